/** How long to wait before another try, in milliseconds: twice as long each time, with a part by chance. */
const FIRST = 500;
const MOST = 15_000;

/**
 * @param {number} failures in a row, the newest included
 * @param {number} chance from 0 to 1, so that not everybody comes back at once
 */
export function pause(failures, chance = Math.random()) {
  const whole = Math.min(MOST, FIRST * 2 ** Math.max(0, failures - 1));
  return whole * (0.5 + chance / 2);
}
