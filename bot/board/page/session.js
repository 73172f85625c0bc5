/**
 * The session: its key comes from `./open` in exchange for the address's fragment, and is stored, so that an installed
 * page opens again. Browsers never send the fragment to a server by themselves.
 */
import { createId } from "./entries.js";
import { postJson } from "./http.js";
import { openBrowserValue, openWindowValue } from "./storage.js";

const windowSession = openWindowValue("session");
const browserSession = openBrowserValue("session");
/** The window's secret, which is never sent. */
const windowProof = openWindowValue("proof");
const MAX_PROOFS = 60;

/** The service refused an opening with a status; null if no response came, or the service failed. */
export class OpeningRefused extends Error {
  constructor(status) {
    super(`not opened: ${status}`);
    this.status = status;
  }
}

/**
 * @typedef {object} Opening
 * @property {object} body what is posted to `./open`
 * @property {"key"|"watch"|"pupil"|"telegram"} by
 * @property {string} mark differs between openings, and opens nothing
 */

/**
 * Return the session of an opening, from storage if it was opened before. Two people may play in two windows of one
 * browser, so the window's session comes first; a spectator's is stored for its window alone.
 * @param {Opening|null} opening null for the stored session
 * @param {number} now epoch seconds
 * @returns {Promise<object|null>} null without opening and stored session
 * @throws {OpeningRefused}
 */
export async function openSession(opening, now) {
  const stored = [windowSession.read(), browserSession.read()].filter((each) => each?.session);
  if (!opening) return stored.find(({ until }) => until > now) ?? stored[0] ?? null; // this device's clock may be wrong
  const known = stored.find((each) => each.mark === opening.mark);
  if (known) return known;
  const session = { ...(await requestSession(opening)), mark: opening.mark };
  windowSession.write(session);
  if (opening.by !== "watch") browserSession.write(session);
  return session;
}

async function requestSession({ by, body, mark }) {
  const page = by === "telegram" ? await makeWindowProof(mark) : undefined;
  const response = await postJson("./open", { ...body, page });
  const session = response?.ok ? response.json() : null;
  if (session) return session;
  const hasFailed = !response || response.ok || response.status >= 500;
  throw new OpeningRefused(hasFailed ? null : response.status);
}

/**
 * Return a proof that a repeated request comes from the window of the first one, whose response may be lost: Telegram's
 * data open one page only. Each proof is a preimage of the hash sent before it. Undefined where the browser can't hash
 * (away from https); then the page must be opened anew from the chat.
 */
async function makeWindowProof(mark) {
  if (!crypto.subtle) return undefined;
  const stored = windowProof.read();
  const { secret, left } = stored?.mark === mark ? stored : { secret: createId(), left: MAX_PROOFS };
  const times = Math.max(left - 1, 1);
  windowProof.write({ mark, secret, left: times });
  let proof = secret;
  for (let count = 0; count < times; count++) proof = await hashText(proof);
  return proof;
}

async function hashText(text) {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Guess who plays, to find what they have stored in this browser, before the bot confirms it: without an opening the
 * last person of this window, else of this browser.
 * @param {Opening|null} opening
 * @returns {{id: number}|null} null for an unknown person
 */
export function guessPerson(opening) {
  if (opening?.by === "telegram") return parseUser(opening.body.init_data);
  return opening ? null : ((windowSession.read() ?? browserSession.read())?.you ?? null);
}

function parseUser(initData) {
  try {
    return JSON.parse(new URLSearchParams(initData).get("user"));
  } catch {
    return null;
  }
}

/** Delete a session that is over. */
export function forgetSession(sessionKey) {
  for (const stored of [windowSession, browserSession]) if (stored.read()?.session === sessionKey) stored.write(null);
}

/**
 * @param {string} fragment of `location.hash`
 * @returns {Opening|null} null if it opens nothing
 */
export function parseOpening(fragment) {
  const parameters = new URLSearchParams(fragment.replace(/^#/, ""));
  const initData = parameters.get("tgWebAppData");
  if (initData) {
    const start = new URLSearchParams(initData).get("start_param") ?? parameters.get("tgWebAppStartParam") ?? "";
    return makeOpening("telegram", { init_data: initData, start }, initData);
  }
  for (const by of ["watch", "pupil", "key"]) {
    const secret = trimPunctuation(parameters.get(by) ?? "");
    if (secret) return makeOpening(by, { [by]: secret }, secret);
  }
  return null;
}

/** Remove the full stop or bracket that stood behind the link in a text. */
function trimPunctuation(text) {
  return text.replace(/^[^\w-]+|[^\w-]+$/g, "");
}

function makeOpening(by, body, secret) {
  return { by, body, mark: `${by}:${secret.slice(-12)}` };
}

/** Whether Telegram opened the page, so that its script is of use. */
export function isOpenedByTelegram(fragment) {
  return /[#&]tgWebApp/.test(fragment);
}

/** Return the fragment without secrets; Telegram's parameters for the page's look stay for a reload. */
export function removeSecrets(fragment) {
  const isHarmless = (part) => part && !/^(key|watch|pupil|tgWebAppData)=/.test(part);
  const parts = fragment.replace(/^#/, "").split("&").filter(isHarmless);
  return parts.length ? `#${parts.join("&")}` : "";
}
