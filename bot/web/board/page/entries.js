/**
 * What is handed in, one after the other. Each has an id of its own and is sent again with the same one until the
 * bot has taken or refused it, so that it counts once whatever the connection does.
 */
import { pause } from "./backoff.js";
import { listed } from "./store.js";

const FINAL = new Set([400, 409, 413, 415]);
/** What says that the session is over. An answer to the hand of a day waits for the next: it is the person's, not the page's. */
const ENDED = new Set([401, 403]);
/** So many of the newest ids are known again: the bot says what comes of each within moments. */
const KNOWN = 20;

/** 22 characters by chance. */
export function fresh(random = (bytes) => crypto.getRandomValues(bytes)) {
  const bytes = random(new Uint8Array(16));
  return btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

export class Entries {
  #post;
  #kept;
  #told;
  #wait;
  #waiting;
  #made = [];
  #done = new Map();
  #running = false;
  #ended = false;
  #wake = null;

  /**
   * @param {(entry: object) => Promise<{status: number, after: number|null}|null>} post null when no answer comes;
   *   `after`: seconds that the server asks to wait
   * @param {{waiting: object, made: object}} kept where entries, and the ids of the newest, survive a reload; see `Waits`
   * @param {{taken: Function, refused: Function, changed: Function}} told `refused` gets the entry and the status;
   *   with 401 and 403 nothing more is sent
   */
  constructor(post, kept, told, wait = (milliseconds) => this.#rest(milliseconds)) {
    [this.#post, this.#kept, this.#told, this.#wait] = [post, kept, told, wait];
    this.#waiting = kept.waiting.read() ?? [];
    this.#know(listed(kept.made, (id) => typeof id === "string"), this.#waiting);
  }

  /** Entries that the bot has not answered for yet. */
  get waiting() {
    return this.#waiting;
  }

  /** Hand something in, unless just the same waits already. Returns its id. */
  add(entry) {
    const same = this.#waiting.find((each) => likeness(each) === likeness(entry));
    if (same) return same.id;
    const made = { id: fresh(), ...entry };
    this.#know(this.#made, [made]);
    this.#set([...this.#waiting, made]);
    this.run();
    return made.id;
  }

  /** Whether an answer to the hand of that day waits. */
  waitsFor(day) {
    return this.#waiting.some((each) => each.day === day);
  }

  /** For the hand of which day something was that this page has or had to send; null for none, and for what it doesn't know. */
  dayOf(id) {
    return (this.#done.get(id) ?? this.#waiting.find((each) => each.id === id))?.day ?? null;
  }

  /** Whether that was handed in on this page, or is sent by it, and not only by another one of the same person. */
  isOwn(id) {
    return this.#made.includes(id);
  }

  /** Send what waits. */
  async run() {
    if (this.#running) return;
    this.#running = true;
    for (let failures = 0; this.#waiting.length && !this.#ended; ) {
      const milliseconds = await this.#sent(this.#waiting[0], failures + 1);
      failures = milliseconds ? failures + 1 : 0;
      if (milliseconds) await this.#wait(milliseconds);
    }
    this.#running = false;
  }

  /** Send what waits, with what other pages left since: they may be closed by now. */
  look() {
    const ours = new Set([...this.#done.keys(), ...this.#waiting.map(({ id }) => id)]);
    const theirs = (this.#kept.waiting.read() ?? []).filter(({ id }) => !ours.has(id));
    this.#waiting = [...this.#waiting, ...theirs];
    this.#know(this.#made, theirs);
    this.run();
  }

  /** Try again now. */
  hurry() {
    this.#wake?.();
    this.look();
  }

  /** Milliseconds to wait before the next try; 0 when this entry is done with. */
  async #sent(entry, failures) {
    const answer = await this.#post(entry);
    if (!answer) return pause(failures);
    const accepted = answer.status >= 200 && answer.status < 300;
    if (ENDED.has(answer.status)) return this.#end(entry, answer.status);
    if (!accepted && !FINAL.has(answer.status)) return answer.after ? answer.after * 1000 : pause(failures);
    this.#done.set(entry.id, entry);
    this.#set(this.#waiting.filter((each) => each.id !== entry.id));
    if (accepted) this.#told.taken(entry);
    else this.#told.refused(entry, answer.status);
    return 0;
  }

  /** Nothing more is sent by this session, and what only it could send is dropped. */
  #end(entry, status) {
    this.#ended = true;
    this.#set(this.#waiting.filter(({ day }) => day));
    this.#told.refused(entry, status);
    return 0;
  }

  #know(made, more) {
    this.#made = [...made, ...more.map(({ id }) => id)].slice(-KNOWN);
    this.#kept.made.write(this.#made);
  }

  #set(waiting) {
    this.#waiting = waiting;
    this.#kept.waiting.write(waiting);
    this.#told.changed();
  }

  #rest(milliseconds) {
    return new Promise((done) => {
      const timer = setTimeout(done, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        done();
      };
    });
  }
}

function likeness({ id, ...entry }) {
  return JSON.stringify(entry);
}
