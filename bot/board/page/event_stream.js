/** Read live states and replies as server-sent events, and reconnect after every break. */
import { createId } from "./entries.js";
import { computeRetryDelay, Delay } from "./http.js";

/** The service sends a comment every 15 s; a longer silence means that the connection is dead. */
const MAX_SILENCE_MS = 40_000;

/**
 * @typedef {object} StreamCallbacks
 * @property {(state: object) => void} onState
 * @property {(reply: object) => void} onReply
 * @property {() => void} onConnected called with each event
 * @property {() => void} onLost
 * @property {(isActive: boolean) => void} onActive whether this page holds a connection from now on
 * @property {() => void} onPaused this page has given its connection to others
 * @property {(status: number) => void} onEnded the session is over (401, 403): the stream has ended
 */

export class EventStream {
  #sessionKey;
  #callbacks;
  #path;
  #failures = 0;
  #lastId = "";
  #isPaused = false; // until the page is used
  #isSuspended = false; // while nobody sees the page
  #control = null;
  #silenceTimer = null;
  #delay = new Delay();

  /**
   * @param {string} sessionKey
   * @param {StreamCallbacks} callbacks
   * @param {string} path where the events come from
   */
  constructor(sessionKey, callbacks, path = "./events") {
    this.#sessionKey = sessionKey;
    this.#callbacks = callbacks;
    this.#path = path;
  }

  /** Read until the session ends. */
  async run() {
    for (;;) {
      while (this.#isSuspended) await this.#delay.start(null);
      const endingStatus = await this.#readOnce();
      if (endingStatus) return this.#callbacks.onEnded(endingStatus);
      if (this.#isSuspended) continue;
      this.#failures += 1;
      if (this.#isPaused) this.#callbacks.onPaused();
      else this.#callbacks.onLost();
      await this.#delay.start(this.#isPaused ? null : computeRetryDelay(this.#failures));
    }
  }

  /** Connect now: the network is back, or somebody looks at the page. */
  reconnectNow() {
    this.#isSuspended = false;
    this.#delay.end();
  }

  /** Disconnect until `reconnectNow`, without reporting a loss. */
  suspend() {
    this.#isSuspended = true;
    this.disconnect();
  }

  /** Leave the connection to other pages until `resume` or `reconnectNow`. */
  pause() {
    this.#isPaused = true;
    this.disconnect();
  }

  /** Connect again if paused. */
  resume() {
    if (this.#isPaused) this.reconnectNow();
  }

  /** Close the connection; `run` opens another one. */
  disconnect() {
    this.#control?.abort();
  }

  /** Read one response to its end; return its status if that ends the session, else null. */
  async #readOnce() {
    this.#isPaused = false;
    this.#control = new AbortController();
    this.#restartSilenceTimer();
    this.#callbacks.onActive(true);
    try {
      const response = await this.#sendRequest();
      if (response?.status === 401 || response?.status === 403) return response.status;
      if (response?.ok) await this.#readEvents(response.body.getReader());
    } finally {
      clearTimeout(this.#silenceTimer);
      this.disconnect();
      this.#callbacks.onActive(false);
    }
    return null;
  }

  /** Return the response; null if there is none. */
  #sendRequest() {
    const headers = { Authorization: `Bearer ${this.#sessionKey}`, Accept: "text/event-stream" };
    if (this.#lastId) headers["Last-Event-ID"] = this.#lastId;
    return fetch(this.#path, { headers, signal: this.#control.signal, cache: "no-store" }).catch(() => null);
  }

  #restartSilenceTimer() {
    clearTimeout(this.#silenceTimer);
    this.#silenceTimer = setTimeout(() => this.disconnect(), MAX_SILENCE_MS);
  }

  async #readEvents(reader) {
    const [parser, decoder] = [new EventParser(), new TextDecoder()];
    for (;;) {
      const { done, value } = await reader.read().catch(() => ({ done: true }));
      if (done) return;
      this.#restartSilenceTimer();
      for (const event of parser.parse(decoder.decode(value, { stream: true }))) this.#handleEvent(event);
      this.#lastId = parser.lastId || this.#lastId;
    }
  }

  #handleEvent({ name, data }) {
    if (name === "elsewhere") {
      this.#isPaused = true;
      return;
    }
    this.#failures = 0;
    this.#callbacks.onConnected();
    if (name === "state") this.#callbacks.onState(JSON.parse(data));
    if (name === "word") this.#callbacks.onReply(JSON.parse(data));
  }
}

/** Parse server-sent events out of chunks of text, however they are cut. */
export class EventParser {
  #incompleteLine = "";
  #name = "";
  #data = [];
  /** The id of the newest event, from which the stream can be continued. */
  lastId = "";

  /**
   * Return the events that a chunk completes; comments are skipped.
   * @param {string} chunk
   * @returns {Array<{name: string, data: string}>}
   */
  parse(chunk) {
    const events = [];
    const lines = (this.#incompleteLine + chunk).split(/\r\n|\n|\r(?!$)/);
    this.#incompleteLine = lines.pop();
    for (const line of lines) {
      if (line !== "") this.#parseField(line);
      else events.push(...this.#completeEvent());
    }
    return events;
  }

  #parseField(line) {
    const [, field, value] = line.match(/^([^:]*):? ?(.*)$/s);
    if (field === "event") this.#name = value;
    if (field === "data") this.#data.push(value);
    if (field === "id") this.lastId = value;
  }

  /** Return a list of the event that a blank line ends; an empty list without data. */
  #completeEvent() {
    const events = this.#data.length ? [{ name: this.#name || "message", data: this.#data.join("\n") }] : [];
    this.#name = "";
    this.#data = [];
    return events;
  }
}

/** Without HTTP/2 a browser has six connections to a server; the sixth is for entries. */
const MAX_ACTIVE_PAGES = 5;

/** Limit the pages of one browser that hold a connection: the oldest is paused. */
export class PageLimiter {
  #channel;
  #id = createId();
  #newerIds = null; // of pages that became active after this one; null while it is not active

  /**
   * @param {BroadcastChannel} channel to the other pages
   * @param {() => void} onTooMany called when too many newer pages are active
   */
  constructor(channel, onTooMany) {
    this.#channel = channel;
    channel.onmessage = ({ data: { id, live } }) => {
      if (live) this.#newerIds?.add(id);
      else this.#newerIds?.delete(id);
      if (this.#newerIds?.size >= MAX_ACTIVE_PAGES) onTooMany();
    };
  }

  /** Tell the other pages whether this one is active. */
  setActive(isActive) {
    this.#newerIds = isActive ? new Set() : null;
    this.#channel.postMessage({ id: this.#id, live: isActive });
  }
}
