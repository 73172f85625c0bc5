/** What happens at the table, as it happens: `./events`, read again after every break. */
import { pause } from "./backoff.js";
import { Events } from "./stream.js";

/** A comment comes every 15 s; without one for this long the connection is taken for dead. Milliseconds. */
const SILENCE = 40_000;
/** Milliseconds after which a page that is seen comes back which had to make room for others of the same person. */
const ELSEWHERE = 60_000;

/**
 * @param {string} bearer
 * @param {{state: Function, word: Function, connected: Function, lost: Function, ended: Function}} told
 *   `state` and `word` get what was sent; `ended` gets the status that ends it (401, 403), after which nothing is read
 */
export class Live {
  #bearer;
  #told;
  #failures = 0;
  #lastId = "";
  #elsewhere = false;
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
      this.#told.lost();
      await this.#rest(this.#elsewhere ? (seen() ? ELSEWHERE : null) : pause(this.#failures));
    }
  }

  /** Try again now: the network is back, or somebody looks at the page again. One that made room waits for this. */
  hurry() {
    this.#asleep = false;
    this.#wake?.();
  }

  /** Nobody sees the page: read nothing until `hurry`. That is no break, and nothing is said of it. */
  sleep() {
    this.#asleep = true;
    this.drop();
  }

  /** Leave a connection whose network is gone. */
  drop() {
    this.#control?.abort();
  }

  async #once() {
    this.#elsewhere = false;
    this.#control = new AbortController();
    const alarm = new Alarm(SILENCE, () => this.#control.abort());
    try {
      const answer = await this.#asked();
      if (answer.status === 401 || answer.status === 403) return answer.status;
      if (answer.ok) await this.#read(answer.body.getReader(), alarm);
    } catch {
      // A break of any kind is followed by another try.
    } finally {
      alarm.stop();
    }
    return null;
  }

  #asked() {
    const headers = { Authorization: `Bearer ${this.#bearer}`, Accept: "text/event-stream" };
    if (this.#lastId) headers["Last-Event-ID"] = this.#lastId;
    return fetch("./events", { headers, signal: this.#control.signal, cache: "no-store" });
  }

  async #read(reader, alarm) {
    const [events, decoder] = [new Events(), new TextDecoder()];
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      alarm.later();
      for (const event of events.read(decoder.decode(value, { stream: true }))) this.#take(event);
      this.#lastId = events.lastId || this.#lastId;
    }
  }

  #take({ name, data }) {
    if (name === "elsewhere") {
      this.#elsewhere = true;
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

function seen() {
  return globalThis.document?.visibilityState === "visible";
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
