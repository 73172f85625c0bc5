/**
 * What the browser keeps for this page. What it doesn't take (private windows, a full disk) is held here as long as the
 * page is open, so that the page plays on with it.
 */

/** A named value in `localStorage` (for all windows) or `sessionStorage` (for this one), as JSON. */
export class Kept {
  /** @param {Map<string, string>} held what that area didn't take, by name: it is newer than what is there */
  constructor(name, area, held) {
    this.name = `board:${name}`;
    this.area = area;
    this.held = held;
  }

  read() {
    try {
      return JSON.parse(this.held.get(this.name) ?? this.area().getItem(this.name));
    } catch {
      return null;
    }
  }

  write(value) {
    try {
      if (value === null) this.area().removeItem(this.name);
      else this.area().setItem(this.name, JSON.stringify(value));
      this.held.delete(this.name);
    } catch {
      this.held.set(this.name, JSON.stringify(value));
    }
  }
}

const [everywhere, here] = [new Map(), new Map()];

/** In all windows, until the browser forgets. */
export const lasting = (name) => new Kept(name, () => localStorage, everywhere);
/** In this window alone. */
export const passing = (name) => new Kept(name, () => sessionStorage, here);

/** What of a kept list has the right shape, and nothing of anything else: whatever wrote there, the page comes. */
export function listed(kept, isRight) {
  const value = kept.read();
  return Array.isArray(value) ? value.filter(isRight) : [];
}

/** Whether a value has a text by each of these names. */
export function hasTexts(value, ...names) {
  return names.every((name) => typeof value?.[name] === "string");
}
