/** What is said of the connection: that it is lost, once that lasts; that it is back, for a while; that others have it. */
import { say } from "./words.js";

/** Milliseconds that a break may last before it is spoken of, and that its end is. */
const SHORT = 1200;
const WHILE = 4000;

export class Connection {
  #changed;
  #timer = null;
  /** Whether there is one; null before the first try has ended. */
  is = null;
  /** Whether there is none, and that is spoken of: what is made meanwhile is made without one. */
  isAway = false;
  /** Whether other boards are connected in the place of this one. */
  isResting = false;
  #said = null;

  /** @param {() => void} changed called when there is something else to say */
  constructor(changed) {
    this.#changed = changed;
  }

  /** What is said now, in the language that is spoken by now; null for nothing. */
  get notice() {
    return this.#said?.() ?? null;
  }

  /** There is one; whether that is new. */
  made() {
    if (this.is === true) return false;
    const spoken = this.notice !== null;
    [this.is, this.isAway, this.isResting] = [true, false, false];
    this.#say(spoken ? () => say("Connected again.") : null);
    if (spoken) this.#timer = setTimeout(() => this.#say(null), WHILE);
    return true;
  }

  /** There is none; with nothing shown yet that is said at once. */
  lost(atOnce) {
    if (this.is === false) return;
    [this.is, this.isResting] = [false, false];
    clearTimeout(this.#timer);
    const told = () => {
      this.isAway = true;
      this.#say(() => say("No connection. Trying again …"));
    };
    if (atOnce) told();
    else this.#timer = setTimeout(told, SHORT);
  }

  /** Other boards are connected in the place of this one, until it is used. */
  rests() {
    [this.is, this.isAway, this.isResting] = [null, false, true];
    this.#say(null);
  }

  #say(said) {
    clearTimeout(this.#timer);
    this.#said = said;
    this.#changed();
  }
}
