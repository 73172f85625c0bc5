/** What happens at the table, as it happens: `./events`, read again after every break. */
import { pause } from "./backoff.js";
import { Events } from "./stream.js";

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
  #wake = null;

  constructor(bearer, told) {
    this.#bearer = bearer;
    this.#told = told;
  }

  /** Reads until the session ends. */
  async run() {
    for (;;) {
      while (this.#asleep) await this.#rest(null);
      const ended = await this.#once();
      if (ended) return this.#told.ended(ended);
      if (this.#asleep) continue;
      this.#failures += 1;
      if (this.#rests) this.#told.rests();
      else this.#told.lost();
      await this.#rest(this.#rests ? null : pause(this.#failures));
    }
  }

  /** Try again now: the network is back, or somebody looks at the page again. */
  hurry() {
    this.#asleep = false;
    this.#wake?.();
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
    const alarm = new Alarm(SILENCE, () => this.drop());
    this.#told.live(true);
    try {
      const answer = await this.#asked();
      if (answer?.status === 401 || answer?.status === 403) return answer.status;
      if (answer?.ok) await this.#read(answer.body.getReader(), alarm);
    } finally {
      alarm.stop();
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

  async #read(reader, alarm) {
    const [events, decoder] = [new Events(), new TextDecoder()];
    for (;;) {
      const { done, value } = await reader.read().catch(() => ({ done: true }));
      if (done) return;
      alarm.later();
      for (const event of events.read(decoder.decode(value, { stream: true }))) this.#take(event);
      this.#lastId = events.lastId || this.#lastId;
    }
  }

  #take({ name, data }) {
    if (name === "elsewhere") {
      this.#rests = true;
      return;
    }
    this.#failures = 0;
    this.#told.connected();
    if (name === "state") this.#told.state(JSON.parse(data));
    if (name === "word") this.#told.word(JSON.parse(data));
  }

  #rest(milliseconds) {
    return new Promise((done) => {
      const timer = milliseconds === null ? null : setTimeout(done, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        done();
      };
    });
  }
}

/** Rings once when nobody said `later` for so long. */
class Alarm {
  constructor(milliseconds, ring) {
    [this.milliseconds, this.ring] = [milliseconds, ring];
    this.later();
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(this.ring, this.milliseconds);
  }

  stop() {
    clearTimeout(this.timer);
  }
}
