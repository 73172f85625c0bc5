/**
 * Where entries wait over a reload: those for a round in this window alone, whose place takes them; those for the hand
 * of a day in all windows of its player, since any of their pages may send them.
 */
import { hasTexts, listed } from "./store.js";

export class Waits {
  #here;
  #everywhere;
  #ours = new Set();

  /** @param {{read: Function, write: Function}} here @param {{read: Function, write: Function}} everywhere */
  constructor(here, everywhere) {
    [this.#here, this.#everywhere] = [here, everywhere];
  }

  read() {
    return this.#seen([...listed(this.#here, isEntry), ...listed(this.#everywhere, isEntry)]);
  }

  /** What other windows wrote meanwhile stays. */
  write(entries) {
    this.#seen(entries);
    const theirs = listed(this.#everywhere, isEntry).filter(({ id }) => !this.#ours.has(id));
    put(this.#here, entries.filter(({ day }) => !day));
    put(this.#everywhere, [...theirs, ...entries.filter(({ day }) => day)]);
  }

  #seen(entries) {
    for (const { id } of entries) this.#ours.add(id);
    return entries;
  }
}

function isEntry(value) {
  const day = value?.day === undefined || hasTexts(value, "day");
  return day && (hasTexts(value, "id", "press") || hasTexts(value, "id", "answer"));
}

function put(kept, entries) {
  kept.write(entries.length ? entries : null);
}
