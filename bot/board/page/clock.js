/** The time left until a deadline, and the moments at which it is announced. All times are in seconds. */

/** Times left that are announced. */
const THRESHOLDS = Object.freeze([60, 30, 10]);
const MAX_ANNOUNCEMENT_DELAY = 2;
/** A deadline further away is part of the bot's own texts. */
const MAX_SHOWN = 3600;

/** Return by how much the server's clock is ahead of this device's. */
export function computeClockOffset(serverNow, now) {
  return serverNow - now;
}

/** Return the whole seconds until `deadline`, at least 0. */
export function computeSecondsLeft(deadline, clockOffset, now) {
  return Math.max(0, Math.ceil(deadline - now - clockOffset));
}

/** Format seconds as `1:05`. */
export function formatSeconds(seconds) {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** Return the threshold between two readings; null for none, without an earlier one, or if it passed too long ago. */
export function findPassedThreshold(before, now) {
  if (before === null) return null;
  return THRESHOLDS.find((each) => before > each && now <= each && each - now <= MAX_ANNOUNCEMENT_DELAY) ?? null;
}

/** The server's clock, and the deadline that is shown. */
export class Clock {
  #offset = 0;
  #deadline = null;
  #secondsLeft = null;

  /** Set the clock: the server's time at `now` of this device. */
  setServerTime(serverNow, now) {
    this.#offset = computeClockOffset(serverNow, now);
  }

  /** Return the whole seconds since a time of the server. */
  computeSecondsSince(start, now) {
    return Math.max(0, Math.floor(now + this.#offset - start));
  }

  /**
   * Compute the time left. A deadline that has just changed passes no threshold.
   * @param {number|null} deadline null for none
   * @param {number} now of this device
   * @returns {{shownSeconds: number|null, passedThreshold: number|null}}
   */
  readDeadline(deadline, now) {
    const seconds = deadline ? computeSecondsLeft(deadline, this.#offset, now) : null;
    const isSame = seconds !== null && deadline === this.#deadline;
    const passedThreshold = isSame ? findPassedThreshold(this.#secondsLeft, seconds) : null;
    this.#deadline = deadline;
    this.#secondsLeft = seconds;
    return { shownSeconds: seconds !== null && seconds <= MAX_SHOWN ? seconds : null, passedThreshold };
  }
}
