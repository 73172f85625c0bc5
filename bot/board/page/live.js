/** Reads what happens at the table as it happens: `./events`, read again after every break. */
import { pause, Wait } from "./calls.js";
import { fresh } from "./entries.js";

/** A comment comes every 15 s; without one for this long the connection is taken for dead. Milliseconds. */
const SILENCE = 40_000;

/**
 * @param {string} bearer
 * @param {{state: Function, word: Function, connected: Function, lost: Function, live: Function, rests: Function, ended: Function}} told
 *   `state` and `word` get what was sent; `live` gets whether a connection is held from now on; `rests` is called once
 *   this page has made room for others; `ended` gets the status that ends it (401, 403), after which nothing is read
 */
export class Live {
  #bearer;
  #told;
  #failures = 0;
  #lastId = "";
  /** Whether other pages are read in the place of this one, until it is used. */
  #rests = false;
  #asleep = false;
  #control = null;
  #alarm = null;
  #wait = new Wait();

  constructor(bearer, told) {
    this.#bearer = bearer;
    this.#told = told;
  }

  /** Reads until the session ends. */
  async run() {
    for (;;) {
      while (this.#asleep) await this.#wait.begin(null);
      const ended = await this.#once();
      if (ended) return this.#told.ended(ended);
      if (this.#asleep) continue;
      this.#failures += 1;
      if (this.#rests) this.#told.rests();
      else this.#told.lost();
      await this.#wait.begin(this.#rests ? null : pause(this.#failures));
    }
  }

  /** Try again now: the network is back, or somebody looks at the page again. */
  hurry() {
    this.#asleep = false;
    this.#wait.end();
  }

  /** Nobody sees the page: read nothing until `hurry`. That is no break, and nothing is said of it. */
  sleep() {
    this.#asleep = true;
    this.drop();
  }

  /** Make room for other pages, until this one is looked at or used. */
  makeRoom() {
    this.#rests = true;
    this.drop();
  }

  /** Somebody uses the page: go on if it had made room. */
  used() {
    if (this.#rests) this.hurry();
  }

  /** Leave a connection whose network is gone. */
  drop() {
    this.#control?.abort();
  }

  async #once() {
    this.#rests = false;
    this.#control = new AbortController();
    this.#heard();
    this.#told.live(true);
    try {
      const answer = await this.#asked();
      if (answer?.status === 401 || answer?.status === 403) return answer.status;
      if (answer?.ok) await this.#read(answer.body.getReader());
    } finally {
      clearTimeout(this.#alarm);
      this.drop();
      this.#told.live(false);
    }
    return null;
  }

  /** The stream; null when no answer comes. */
  #asked() {
    const headers = { Authorization: `Bearer ${this.#bearer}`, Accept: "text/event-stream" };
    if (this.#lastId) headers["Last-Event-ID"] = this.#lastId;
    return fetch("./events", { headers, signal: this.#control.signal, cache: "no-store" }).catch(() => null);
  }

  /** Something was heard: the connection is good for another while. */
  #heard() {
    clearTimeout(this.#alarm);
    this.#alarm = setTimeout(() => this.drop(), SILENCE);
  }

  async #read(reader) {
    const [events, decoder] = [new Events(), new TextDecoder()];
    for (;;) {
      const { done, value } = await reader.read().catch(() => ({ done: true }));
      if (done) return;
      this.#heard();
      for (const event of events.read(decoder.decode(value, { stream: true }))) this.#take(event);
      this.#lastId = events.lastId || this.#lastId;
    }
  }

  #take({ name, data }) {
    if (name === "elsewhere") return void (this.#rests = true);
    this.#failures = 0;
    this.#told.connected();
    if (name === "state") this.#told.state(JSON.parse(data));
    if (name === "word") this.#told.word(JSON.parse(data));
  }
}

/** Reads server-sent events out of chunks of text, however they are cut. */
export class Events {
  #rest = "";
  #name = "";
  #data = [];
  /** The newest event's id, to be asked from again. */
  lastId = "";

  /**
   * The events that this chunk completes; comments are none.
   * @param {string} chunk
   * @returns {Array<{name: string, data: string}>}
   */
  read(chunk) {
    const found = [];
    const lines = (this.#rest + chunk).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop();
    for (const line of lines) {
      const event = this.#line(line);
      if (event) found.push(event);
    }
    return found;
  }

  #line(line) {
    if (line === "") return this.#ended();
    const [, field, value] = line.match(/^([^:]*):? ?(.*)$/s);
    if (field === "event") this.#name = value;
    if (field === "data") this.#data.push(value);
    if (field === "id") this.lastId = value;
    return null;
  }

  #ended() {
    const event = this.#data.length ? { name: this.#name || "message", data: this.#data.join("\n") } : null;
    this.#name = "";
    this.#data = [];
    return event;
  }
}

/** So many boards are live at most; the sixth connection is for what is handed in. */
const MOST = 5;

/**
 * The boards that are open in one browser. Without HTTP/2 it has six connections for all of them, and each live board
 * holds one: so the oldest makes room.
 */
export class Boards {
  #channel;
  #id = fresh();
  /** Boards that became live after this one; null while this one is not. */
  #newer = null;

  /**
   * @param {BroadcastChannel} channel to the other boards
   * @param {() => void} makeRoom called when so many newer boards are live that this one must not be
   */
  constructor(channel, makeRoom) {
    this.#channel = channel;
    channel.onmessage = ({ data: { id, live } }) => {
      if (live) this.#newer?.add(id);
      else this.#newer?.delete(id);
      if (this.#newer?.size >= MOST) makeRoom();
    };
  }

  /** Tell the other boards whether this one is live. */
  tell(live) {
    this.#newer = live ? new Set() : null;
    this.#channel.postMessage({ id: this.#id, live });
  }
}
