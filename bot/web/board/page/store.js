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
