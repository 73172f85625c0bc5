/** Time that is left, told in figures; and when to say it aloud. All times are seconds. */

/** What is said aloud when the time left falls to it. */
const THRESHOLDS = Object.freeze([60, 30, 10]);
/** Seconds by which it may be told late. */
const LATE = 2;
/** A deadline further away than this is told by the bot's own lines. */
const FAR = 3600;

/** How far this machine's clock is behind the server's, from a time that the server just said. */
export function offset(serverNow, now) {
  return serverNow - now;
}

/** Whole seconds until `deadline`, never below 0. */
export function left(deadline, ahead, now) {
  return Math.max(0, Math.ceil(deadline - now - ahead));
}

/** `1:05`. */
export function figures(seconds) {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/**
 * The threshold that was passed between two readings; null for none, without a reading before, or where so much time
 * went by unread that it would be told too late.
 */
export function passed(before, now) {
  if (before === null) return null;
  return THRESHOLDS.find((each) => before > each && now <= each && each - now <= LATE) ?? null;
}

/** A deadline, read again and again. */
export class Clock {
  #ahead = 0;
  #deadline = null;
  #seconds = null;

  /** What time the server just said that it is, at `now` by this machine. */
  set(serverNow, now) {
    this.#ahead = offset(serverNow, now);
  }

  /** Whole seconds since a time of the server. */
  since(began, now) {
    return Math.max(0, Math.floor(now + this.#ahead - began));
  }

  /**
   * @param {number|null} deadline null for none
   * @param {number} now by this machine
   * @returns {{seconds: number|null, crossed: number|null}} what to show, and the threshold that time has passed: a
   *   deadline that moves passes none
   */
  read(deadline, now) {
    const seconds = deadline ? left(deadline, this.#ahead, now) : null;
    const crossed = seconds === null || deadline !== this.#deadline ? null : passed(this.#seconds, seconds);
    [this.#deadline, this.#seconds] = [deadline, seconds];
    return { seconds: seconds === null || seconds > FAR ? null : seconds, crossed };
  }
}
