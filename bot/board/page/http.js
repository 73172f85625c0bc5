/** Send requests to the service, and wait before retries. A lost connection gives null; any exception is a bug. */

/** The network may have changed since the request was sent. */
const RESPONSE_TIMEOUT_MS = 10_000;

/**
 * Send a request, and read the whole response.
 * @returns {Promise<{status: number, ok: boolean, retryAfterSeconds: number|null, json: Function}|null>} `json` returns
 *   null for a body that is not JSON; null if no whole response comes
 */
export async function sendRequest(path, options = {}) {
  const control = new AbortController();
  // AbortSignal.timeout came with Safari 16 and Chrome 103.
  const timer = setTimeout(() => control.abort(), RESPONSE_TIMEOUT_MS);
  const response = await fetch(path, { ...options, signal: control.signal }).catch(() => null);
  const text = response ? await response.text().catch(() => null) : null;
  clearTimeout(timer);
  if (text === null) return null;
  const { status, ok, headers } = response;
  return { status, ok, retryAfterSeconds: Number(headers.get("Retry-After")) || null, json: () => parseJson(text) };
}

/** Post JSON, with the session's key if there is one. */
export function postJson(path, body, sessionKey = null) {
  return sendRequest(path, {
    method: "POST",
    headers: { ...(sessionKey && { Authorization: `Bearer ${sessionKey}` }), "Content-Type": "application/json" },
    body: JSON.stringify(body),
    keepalive: true,
  });
}

function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A delay that can be ended early. */
export class Delay {
  /** End the delay, if there is one. */
  end = () => null;

  /** Wait for so many milliseconds, or for `end`; null waits for `end` alone. */
  start(milliseconds) {
    return new Promise((resolve) => {
      this.end = resolve;
      if (milliseconds !== null) setTimeout(resolve, milliseconds);
    });
  }
}

const FIRST_RETRY_DELAY_MS = 500;
const MAX_RETRY_DELAY_MS = 15_000;

/**
 * Return the milliseconds to wait before a retry: twice as long each time, with a random part.
 * @param {number} failures in a row, at least 1
 * @param {number} random from 0 to 1, so that not all pages come back at once
 */
export function computeRetryDelay(failures, random = Math.random()) {
  const delay = Math.min(MAX_RETRY_DELAY_MS, FIRST_RETRY_DELAY_MS * 2 ** Math.max(0, failures - 1));
  return delay * (0.5 + random / 2);
}
