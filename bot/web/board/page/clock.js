/** Time that is left, told in figures; and when to say it aloud. All times are seconds. */

/** What is said aloud when the time left falls to it. */
export const THRESHOLDS = Object.freeze([60, 30, 10]);
/** A deadline further away than this is told by the bot's own lines. */
export const FAR = 3600;

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

/** The threshold that was passed between two readings, the nearest to the end; null for none, or without a reading. */
export function passed(before, now) {
  if (before === null) return null;
  return THRESHOLDS.filter((each) => before > each && now <= each).at(-1) ?? null;
}
