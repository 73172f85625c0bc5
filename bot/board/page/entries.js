/**
 * A queue of what is handed in. Each entry has an id and is sent again with the same id until the bot has taken or
 * refused it, so that it counts once whatever the connection does.
 */
import { pause, Wait } from "./calls.js";
import { hasTexts, listed } from "./store.js";

const FINAL = new Set([400, 409, 413, 415]);
/** The session is over. An answer to the hand of a day waits for the next one: it is the person's, not the page's. */
const ENDED = new Set([401, 403]);
/** So many of the newest ids are remembered: the bot says what comes of each within moments. */
const KNOWN = 20;

/** 22 random characters. */
export function fresh(random = (bytes) => crypto.getRandomValues(bytes)) {
  const bytes = random(new Uint8Array(16));
  return btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** Milliseconds after which all windows of a browser read what one of them has written. */
const SPREAD = 500;

/**
 * Runs `work` while no other window of this browser runs any under that name. Web Locks need https or this machine;
 * without them windows may send the same entry, and the bot counts it once.
 */
export function runAlone(name, work) {
  if (!navigator.locks) return work();
  return navigator.locks.request(`board:${name}`, async () => {
    const result = await work();
    await new Promise((done) => setTimeout(done, SPREAD)); // else the next window may send what was just taken
    return result;
  });
}

/** The entries that are stored, without anything of another shape. */
export function readEntries(kept) {
  return listed(kept, (each) => hasTexts(each, "id", "press") || hasTexts(each, "id", "answer"));
}

export class Entries {
  #post;
  #kept;
  #told;
  #alone;
  #wait;
  #running = false;
  #ended = false;
  #rest = new Wait();

  /**
   * @param {(entry: object) => Promise<{status: number, after: number|null}|null>} post null when no answer comes;
   *   `after`: seconds that the server asks to wait
   * @param {{waiting: object, made: object}} kept where entries, and the ids of this window's newest, survive a reload
   * @param {{taken: Function, refused: Function}} told both get the entry and the answer; after a refusal with 401 or
   *   403 nothing more is sent
   * @param {(work: Function) => Promise} alone runs one try while no other window sends what is stored there
   */
  constructor(post, kept, told, alone = (work) => work(), wait = (milliseconds) => this.#rest.begin(milliseconds)) {
    [this.#post, this.#kept, this.#told, this.#alone, this.#wait] = [post, kept, told, alone, wait];
  }

  /** Entries that the bot has not answered for yet. */
  get waiting() {
    return readEntries(this.#kept.waiting);
  }

  /** Hand something in, unless just the same waits already. Returns its id. */
  add(entry) {
    const same = this.waiting.find((each) => likeness(each) === likeness(entry));
    if (same) return same.id;
    const made = { id: fresh(), ...entry };
    this.remember(made.id);
    this.#kept.waiting.write([...this.waiting, made]);
    this.run();
    return made.id;
  }

  /** Remember that this window handed in or sent the entry with that id. */
  remember(id) {
    if (!this.isOwn(id)) this.#kept.made.write([...this.#made, id].slice(-KNOWN));
  }

  /** Whether this window handed that in or sent it, and not only another window of the same person. */
  isOwn(id) {
    return this.#made.includes(id);
  }

  get #made() {
    return listed(this.#kept.made, (id) => typeof id === "string");
  }

  /** Send what waits. */
  async run() {
    if (this.#running) return;
    this.#running = true;
    for (let failures = 0; this.waiting.length && !this.#ended; ) {
      const milliseconds = await this.#alone(() => this.#sendFirst(failures + 1));
      failures = milliseconds ? failures + 1 : 0;
      if (milliseconds) await this.#wait(milliseconds);
    }
    this.#running = false;
  }

  /** Try again now. */
  hurry() {
    this.#rest.end();
    this.run();
  }

  /** Returns the milliseconds to wait before the next try; 0 when this entry is done with. */
  async #sendFirst(failures) {
    const [entry] = this.waiting;
    if (!entry) return 0; // another window has sent it
    this.remember(entry.id);
    const answer = await this.#post(entry);
    if (!answer) return pause(failures);
    const isTaken = answer.status >= 200 && answer.status < 300;
    this.#ended = ENDED.has(answer.status);
    if (!isTaken && !this.#ended && !FINAL.has(answer.status)) return answer.after ? answer.after * 1000 : pause(failures);
    this.#keepOnly((each) => (this.#ended ? each.day : each.id !== entry.id));
    if (isTaken) this.#told.taken(entry, answer);
    else this.#told.refused(entry, answer);
    return 0;
  }

  #keepOnly(isLeft) {
    const left = this.waiting.filter(isLeft);
    this.#kept.waiting.write(left.length ? left : null);
  }
}

function likeness({ id, ...entry }) {
  return JSON.stringify(entry);
}
