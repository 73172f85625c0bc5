/** Questions to the service beside `./events`. A lost connection gives null; any error is the page's own. */

/** Milliseconds after which no answer is waited for: the network may have changed under the question. */
const PATIENCE = 10_000;

/**
 * Ask, and read the whole answer.
 * @returns {Promise<{status: number, ok: boolean, after: number|null, json: Function}|null>} `after`: seconds that the
 *   service asks to wait; `json` gives null for what is no JSON; null where no answer comes
 */
export async function ask(path, options = {}) {
  const control = new AbortController();
  const timer = setTimeout(() => control.abort(), PATIENCE); // AbortSignal.timeout came with Safari 16 and Chrome 103
  const answer = await fetch(path, { ...options, signal: control.signal }).catch(() => null);
  const text = answer ? await answer.text().catch(() => null) : null;
  clearTimeout(timer);
  if (text === null) return null;
  const { status, ok, headers } = answer;
  return { status, ok, after: Number(headers.get("Retry-After")) || null, json: () => parse(text) };
}

/** Post JSON, with the session's key. */
export function post(path, body, bearer = null) {
  return ask(path, {
    method: "POST",
    headers: { ...(bearer && { Authorization: `Bearer ${bearer}` }), "Content-Type": "application/json" },
    body: JSON.stringify(body),
    keepalive: true,
  });
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A wait that can be ended early. */
export class Wait {
  /** Ends the wait, if there is one. */
  end = () => null;

  /** Waits so many milliseconds; null waits until `end`. */
  begin(milliseconds) {
    return new Promise((done) => {
      this.end = done;
      if (milliseconds !== null) setTimeout(done, milliseconds);
    });
  }
}

/** Milliseconds to wait before the second try, and at most. */
const FIRST = 500;
const MOST = 15_000;

/**
 * Milliseconds to wait before another try: twice as long each time, with a random part.
 * @param {number} failures in a row, the newest included
 * @param {number} chance from 0 to 1, so that not everybody comes back at once
 */
export function pause(failures, chance = Math.random()) {
  const whole = Math.min(MOST, FIRST * 2 ** Math.max(0, failures - 1));
  return whole * (0.5 + chance / 2);
}
