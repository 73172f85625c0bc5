/**
 * What the browser keeps for this page. Where it keeps nothing (private windows, a full disk) the page plays on
 * without: nothing is read, and writing is left out.
 */

/** A named value in `localStorage` (for all windows) or `sessionStorage` (for this one), as JSON. */
export class Kept {
  constructor(name, area) {
    this.name = `board:${name}`;
    this.area = area;
  }

  read() {
    try {
      return JSON.parse(this.area().getItem(this.name));
    } catch {
      return null;
    }
  }

  write(value) {
    try {
      if (value === null) this.area().removeItem(this.name);
      else this.area().setItem(this.name, JSON.stringify(value));
    } catch {
      // Kept nowhere: it holds until the page is closed.
    }
  }
}

/** In all windows, until the browser forgets. */
export const lasting = (name) => new Kept(name, () => localStorage);
/** In this window alone. */
export const passing = (name) => new Kept(name, () => sessionStorage);
