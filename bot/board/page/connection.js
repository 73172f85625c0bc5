/** The state of the connection to the bot, and the notice about it. */
import { say } from "./translations.js";

const LOSS_NOTICE_DELAY_MS = 1200; // shorter breaks are not mentioned
const RECONNECT_NOTICE_MS = 4000;

export class Connection {
  #onChange;
  #timer = null;
  #formatNotice = null;
  /** Null before the first try has ended, and while paused. */
  isConnected = null;
  /** Whether a loss has lasted so long that the notice tells it; answers are then given offline. */
  isOffline = false;
  /** Whether this page has given its connection to newer ones. */
  isPaused = false;

  /** @param {() => void} onChange called when the notice may have changed */
  constructor(onChange) {
    this.#onChange = onChange;
  }

  /** The notice in the current language; null for none. */
  get notice() {
    return this.#formatNotice?.() ?? null;
  }

  /** Note that there is a connection; return whether that is new. */
  noteConnected() {
    if (this.isConnected === true) return false;
    const hadNotice = this.notice !== null;
    this.isConnected = true;
    this.isOffline = false;
    this.isPaused = false;
    this.#setNotice(hadNotice ? () => say("Connected again.") : null);
    if (hadNotice) this.#timer = setTimeout(() => this.#setNotice(null), RECONNECT_NOTICE_MS);
    return true;
  }

  /** Note that the connection is lost; the notice comes after a delay, or at once. */
  noteLost(isNoticeImmediate) {
    if (this.isConnected === false) return;
    this.isConnected = false;
    this.isPaused = false;
    clearTimeout(this.#timer);
    if (isNoticeImmediate) this.#setOffline();
    else this.#timer = setTimeout(() => this.#setOffline(), LOSS_NOTICE_DELAY_MS);
  }

  #setOffline() {
    this.isOffline = true;
    this.#setNotice(() => say("No connection. Trying again …"));
  }

  /** Note that newer pages have the connection until this one is used. */
  notePaused() {
    this.isConnected = null;
    this.isOffline = false;
    this.isPaused = true;
    this.#setNotice(null);
  }

  #setNotice(formatNotice) {
    clearTimeout(this.#timer);
    this.#formatNotice = formatNotice;
    this.#onChange();
  }
}
