/**
 * Who plays here: what the part of the address behind `#` opens, and the bearer that `./open` gives for it, kept so that
 * an installed page comes back. That part is never sent to a server by itself.
 */
import { post } from "./calls.js";
import { fresh } from "./entries.js";
import { lasting, passing } from "./store.js";

const here = passing("session");
const everywhere = lasting("session");
/** By what this window asked to be opened: it is told to nobody, and survives a reload. */
const proofs = passing("proof");
/** How often a window can be known again. */
const TRIES = 60;

/** The opening was refused with a status; null when no answer came, or the service could not give one. */
export class Refused extends Error {
  constructor(why) {
    super(`not opened: ${why}`);
    this.why = why;
  }
}

/**
 * The session of an opening, or the one that is kept. Two people may play in two windows of one browser: a window's
 * own session comes first. Who only watches leaves nothing for other windows.
 * @param {Opening|null} opening
 * @param {number} now epoch seconds
 * @returns {Promise<object|null>} null when there is none
 */
export async function session(opening, now) {
  const kept = [here.read(), everywhere.read()].filter((each) => each?.session);
  if (!opening) return kept.find(({ until }) => until > now) ?? kept[0] ?? null; // this machine's clock may be wrong
  const same = kept.find((each) => each.mark === opening.mark);
  if (same) return same;
  const opened = { ...(await open(opening)), mark: opening.mark };
  here.write(opened);
  if (opening.by !== "watch") everywhere.write(opened);
  return opened;
}

/**
 * Who plays here, as far as that is known before the bot has said so: what they keep in this browser is found by it,
 * and nothing more. Without an opening it is whoever played in this window last, or else in this browser.
 * @param {Opening|null} opening
 * @returns {{id: number}|null}
 */
export function likely(opening) {
  if (opening?.by === "telegram") return userOf(opening.body.init_data);
  return opening ? null : ((here.read() ?? everywhere.read())?.you ?? null);
}

function userOf(data) {
  try {
    return JSON.parse(new URLSearchParams(data).get("user"));
  } catch {
    return null;
  }
}

/** Forget a session that holds no longer, wherever it is kept. */
export function forget(bearer) {
  for (const kept of [here, everywhere]) if (kept.read()?.session === bearer) kept.write(null);
}

/**
 * What opens a page opens it once, and the answer may be lost: so each question proves that it is of the page which
 * asked before. What it sends hashes to what it sent then, which nobody turns round. Where the browser hashes nothing,
 * away from https, the link is to be opened anew.
 */
async function proof(mark) {
  if (!crypto.subtle) return undefined;
  const known = proofs.read();
  const mine = known?.mark === mark ? known : { mark, secret: fresh(), left: TRIES };
  mine.left = Math.max(mine.left - 1, 1);
  proofs.write(mine);
  let shown = mine.secret;
  for (let times = mine.left; times; times--) {
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(shown)));
    shown = [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }
  return shown;
}

async function open({ by, body, mark }) {
  const page = by === "telegram" ? await proof(mark) : undefined;
  const answer = await post("./open", { ...body, page });
  const opened = answer?.ok ? answer.json() : null;
  if (opened) return opened;
  throw new Refused(!answer || answer.ok || answer.status >= 500 ? null : answer.status);
}

/**
 * @typedef {object} Opening
 * @property {object} body what is posted to `./open`
 * @property {"key"|"watch"|"telegram"} by
 * @property {string} mark tells one opening from another, and opens nothing
 */

/**
 * @param {string} fragment as `location.hash` has it
 * @returns {Opening|null}
 */
export function opening(fragment) {
  const parts = new URLSearchParams(fragment.replace(/^#/, ""));
  const data = parts.get("tgWebAppData");
  if (data) return opened("telegram", { init_data: data, start: startOf(parts, data) }, data);
  for (const by of ["watch", "key"]) {
    const secret = bare(parts.get(by));
    if (secret) return opened(by, { [by]: secret }, secret);
  }
  return null;
}

/** What a key is made of, without the full stop or the bracket that stood behind the link in a text. */
function bare(text) {
  return text?.replace(/^[^\w-]+|[^\w-]+$/g, "");
}

/** Whether Telegram opened this page, so that its script is of use. */
export function isTelegram(fragment) {
  return /[#&]tgWebApp/.test(fragment);
}

/** The fragment without what opens anything; what Telegram says of its look stays for a reload. */
export function emptied(fragment) {
  const kept = fragment.replace(/^#/, "").split("&").filter((part) => !/^(key|watch|tgWebAppData)=/.test(part) && part);
  return kept.length ? `#${kept.join("&")}` : "";
}

function opened(by, body, secret) {
  return { by, body, mark: `${by}:${secret.slice(-12)}` };
}

function startOf(parts, data) {
  return new URLSearchParams(data).get("start_param") ?? parts.get("tgWebAppStartParam") ?? "";
}
