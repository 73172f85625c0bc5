/**
 * A queue of entries: answers and presses. Each is sent again with the same id until the bot accepts or refuses it, so
 * that it counts once however often the connection breaks.
 */
import { computeRetryDelay, Delay } from "./http.js";
import { hasStrings, readList } from "./storage.js";

const REFUSED_STATUSES = new Set([400, 409, 413, 415]);
/** Answers to daily hands then wait for the next session, since they belong to the person and not to the page. */
const SESSION_ENDED_STATUSES = new Set([401, 403]);
/** The bot replies to an entry within moments, so that a few ids are enough. */
const MAX_OWN_IDS = 20;

/** Return 22 random characters. */
export function createId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** Time after which all windows of a browser read what one of them has stored. */
const STORAGE_SYNC_MS = 500;

/**
 * Run `work` while no other window of this browser runs any under the same name. Where the browser has no Web Locks
 * (away from https), windows may send the same entry, which the bot counts once.
 */
export function runInOneWindow(name, work) {
  if (!navigator.locks) return work();
  return navigator.locks.request(`board:${name}`, async () => {
    const result = await work();
    await new Promise((resolve) => setTimeout(resolve, STORAGE_SYNC_MS)); // else another window may send it again
    return result;
  });
}

/** Return the stored entries; values of another shape are left out. */
export function readEntries(stored) {
  return readList(stored, (each) => hasStrings(each, "id", "press") || hasStrings(each, "id", "answer"));
}

export class EntryQueue {
  #post;
  #stored;
  #callbacks;
  #runExclusively;
  #wait;
  #isRunning = false;
  #hasSessionEnded = false;
  #delay = new Delay();

  /**
   * @param {(entry: object) => Promise<object|null>} post returns a response as `postJson` does
   * @param {{waiting: object, ownIds: object}} stored values that hold the entries, and this window's newest ids
   * @param {{onAccepted: Function, onRefused: Function}} callbacks get the entry and the response; after a refusal with
   *   401 or 403 nothing more is sent
   * @param {(work: Function) => Promise} runExclusively runs one try while no other window sends the same entries
   * @param {(milliseconds: number) => Promise} wait waits before a retry
   */
  constructor(post, stored, callbacks, runExclusively = (work) => work(), wait = (ms) => this.#delay.start(ms)) {
    this.#post = post;
    this.#stored = stored;
    this.#callbacks = callbacks;
    this.#runExclusively = runExclusively;
    this.#wait = wait;
  }

  /** Entries without a final response. */
  get waiting() {
    return readEntries(this.#stored.waiting);
  }

  /** Store an entry and send it, unless the same one waits already. Return its id. */
  add(content) {
    const same = this.waiting.find((each) => identifyContent(each) === identifyContent(content));
    if (same) return same.id;
    const entry = { id: createId(), ...content };
    this.storeOwnId(entry.id);
    this.#stored.waiting.write([...this.waiting, entry]);
    this.send();
    return entry.id;
  }

  /** Remember that this window created or sent the entry. */
  storeOwnId(id) {
    if (!this.isOwn(id)) this.#stored.ownIds.write([...this.#ownIds, id].slice(-MAX_OWN_IDS));
  }

  /** Whether this window created or sent the entry, and not only another window of the same person. */
  isOwn(id) {
    return this.#ownIds.includes(id);
  }

  get #ownIds() {
    return readList(this.#stored.ownIds, (id) => typeof id === "string");
  }

  /** Send the waiting entries one by one, with pauses after failures. */
  async send() {
    if (this.#isRunning) return;
    this.#isRunning = true;
    let failures = 0;
    while (this.waiting.length && !this.#hasSessionEnded) {
      const delayMs = await this.#runExclusively(() => this.#sendFirst(failures + 1));
      failures = delayMs ? failures + 1 : 0;
      if (delayMs) await this.#wait(delayMs);
    }
    this.#isRunning = false;
  }

  /** Send without waiting for the end of a pause. */
  retryNow() {
    this.#delay.end();
    this.send();
  }

  /** Send the first entry. Return the milliseconds to wait before the next try; 0 if the entry has a final response. */
  async #sendFirst(failures) {
    const [entry] = this.waiting;
    if (!entry) return 0; // another window has sent it
    this.storeOwnId(entry.id);
    const response = await this.#post(entry);
    if (!response) return computeRetryDelay(failures);
    const isAccepted = response.status >= 200 && response.status < 300;
    this.#hasSessionEnded = SESSION_ENDED_STATUSES.has(response.status);
    if (!isAccepted && !this.#hasSessionEnded && !REFUSED_STATUSES.has(response.status)) {
      return response.retryAfterSeconds ? response.retryAfterSeconds * 1000 : computeRetryDelay(failures);
    }
    this.#keepOnly((each) => (this.#hasSessionEnded ? each.day : each.id !== entry.id));
    if (isAccepted) this.#callbacks.onAccepted(entry, response);
    else this.#callbacks.onRefused(entry, response);
    return 0;
  }

  #keepOnly(isKept) {
    const kept = this.waiting.filter(isKept);
    this.#stored.waiting.write(kept.length ? kept : null);
  }
}

/** Return a text that is the same for entries that differ in their ids alone. */
function identifyContent({ id, ...content }) {
  return JSON.stringify(content);
}
