/** The tiles as they lie under the finger: tapped, taken back, and kept over a reload. */
import { shown } from "./expression.js";
import { isPlayed } from "./news.js";
import { barred, cleared, dealt, isBegun, isOpen, operated, outcome, replayed, sent, tapped, undone } from "./tiles.js";
import { barredText, missedText, tileName, tilesText, valueName } from "./texts.js";
import { say } from "./words.js";

export class Laid {
  #parts;
  #on;
  #key = null;
  #kept = null;
  /** The tiles; null when there are none. */
  table = null;

  /**
   * @param {object} parts `screen` and `telegram`
   * @param {object} on `said(text, kind)` with something to say, `moved()` once anything lies otherwise, `made(answer)`
   *   when that makes the target or is handed in, `drawn()` after each of them, and `undo()` for Telegram's own button
   */
  constructor(parts, on) {
    [this.#parts, this.#on] = [parts, on];
  }

  /** Whether anything lies otherwise than it was dealt. */
  get isBegun() {
    return this.table !== null && isBegun(this.table);
  }

  /**
   * Lays the tiles of a round, with the moves that were made before a reload; none for who only looks.
   * @param {{read: Function, write: Function}} kept where moves survive it
   * @returns whether these are others than before
   */
  lay(round, looks, kept) {
    const open = !looks && isPlayed(round) && round.numbers.length;
    const key = open ? keyOf(round) : null;
    if (key === this.#key) return false;
    [this.#key, this.#kept] = [key, kept];
    const before = kept.read();
    this.table = key && (before?.key === key ? replayed(round, before.moves) : dealt(round));
    this.#underway();
    return true;
  }

  tap(place) {
    const before = this.table;
    const reason = before && barred(before, place);
    if (reason) return this.#say(barredText(before, place, reason), "bad");
    this.#parts.telegram.tap();
    this.#set(tapped(before, place));
    if (before.chosen !== place || this.table.chosen !== null) return;
    this.#parts.screen.tell(say("{number}: no longer chosen.", { number: tileName(before.places[place]) }));
  }

  operate(op) {
    if (!isOpen(this.table)) return;
    if (this.table.chosen === null) this.#on.said(say("Choose a number first."), "told");
    this.#parts.telegram.tap();
    this.#set(operated(this.table, op));
  }

  undo() {
    this.#back(say("Undo"), undone(this.table));
  }

  reset() {
    this.#back(say("Reset"), cleared(this.table));
  }

  /** Hand in what is chosen, near the target or on it. */
  hand() {
    const answer = sent(this.table);
    if (answer === null) this.#on.said(say("Choose the number to hand in."), "told");
    else this.#on.made(answer);
    this.#on.drawn();
  }

  /** As it was dealt, for another idea; what was said stays. */
  again() {
    this.#set(cleared(this.table), { keeps: true });
  }

  #set(table, { keeps = false } = {}) {
    const grown = table.moves.length > this.table.moves.length && table !== this.table.before;
    if (table !== this.table && !keeps) this.#on.moved();
    this.table = table;
    this.#kept.write({ key: this.#key, moves: table.moves });
    this.#underway();
    if (grown) this.#grown();
    this.#on.drawn();
  }

  #underway() {
    this.#parts.telegram.underway(this.isBegun, this.#on.undo);
  }

  /** Another state than the newest, and what lies there then, told to who doesn't see it. */
  #back(what, table) {
    const changed = table !== this.table && table.moves !== this.table.moves;
    this.#set(table);
    if (changed) this.#parts.screen.tell(what + say(": ") + tilesText(table));
  }

  #grown() {
    const made = this.table.places[this.table.merged];
    this.#parts.telegram.merged();
    this.#parts.screen.tell(`${shown(made)} = ${valueName(made.value)}`);
    const missed = missedText(this.table);
    if (missed) this.#on.said(missed, this.table.puzzle.accepts_near ? "told" : "bad");
    if (outcome(this.table) === "made") this.#on.made(sent(this.table));
  }

  #say(text, kind) {
    this.#on.said(text, kind);
    this.#on.drawn();
  }
}

/** What tells the tiles of a round, or of a day's hand, from all others, wherever moves on them are kept. */
export function keyOf({ id, numbers }) {
  return `${id} ${numbers.join(" ")}`;
}
