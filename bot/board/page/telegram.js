/** Telegram around the page, if it is there. Each feature asks first whether the app is new enough for it. */

const SCRIPT = "https://telegram.org/js/telegram-web-app.js";
/** Milliseconds after which the page begins without Telegram's script. */
const PATIENCE = 2500;

/** Adds Telegram's script and waits for it; whether it came. */
export function loaded(document) {
  return new Promise((done) => {
    const script = document.createElement("script");
    script.src = SCRIPT;
    script.onload = () => done(true);
    script.onerror = () => done(false);
    setTimeout(() => done(false), PATIENCE);
    document.head.append(script);
  });
}

export class Telegram {
  #app;
  #back = null;
  #confirms = false;

  /** @param {object|undefined} app `window.Telegram.WebApp`; without one nothing happens */
  constructor(app) {
    this.#app = app;
  }

  #knows(version) {
    return Boolean(this.#app?.isVersionAtLeast?.(version));
  }

  /** Shows the page at its full height, without swipes that would close it, in Telegram's colours. */
  begin(root) {
    if (!this.#app) return;
    this.#app.ready();
    this.#app.expand();
    if (this.#knows("7.7")) this.#app.disableVerticalSwipes();
    const look = () => (root.dataset.scheme = this.#app.colorScheme === "dark" ? "dark" : "light");
    root.dataset.telegram = "";
    look();
    this.#app.onEvent("themeChanged", look);
  }

  /** A tick under the finger. */
  tap() {
    if (this.#knows("6.1")) this.#app.HapticFeedback.selectionChanged();
  }

  /** Two tiles became one. */
  merged() {
    if (this.#knows("6.1")) this.#app.HapticFeedback.impactOccurred("light");
  }

  /** It was right, or it was not. */
  judged(right) {
    if (this.#knows("6.1")) this.#app.HapticFeedback.notificationOccurred(right ? "success" : "error");
  }

  /** While an expression is under way: Telegram's back button undoes, and closing asks first. */
  underway(begun, undo) {
    if (this.#knows("6.1")) this.#backs(begun, undo);
    if (!this.#knows("6.2") || begun === this.#confirms) return;
    this.#confirms = begun;
    if (begun) this.#app.enableClosingConfirmation();
    else this.#app.disableClosingConfirmation();
  }

  #backs(shown, undo) {
    if (!this.#back) {
      this.#back = undo;
      this.#app.BackButton.onClick(undo);
    }
    if (shown) this.#app.BackButton.show();
    else this.#app.BackButton.hide();
  }

  get canShare() {
    return this.#knows("8.0");
  }

  /** Opens an address of Telegram's own. */
  open(url) {
    if (this.#knows("6.1")) this.#app.openTelegramLink(url);
    else window.open(url, "_blank", "noopener");
  }

  /** Offers a prepared message to the person's chats. */
  share(message) {
    this.#app.shareMessage(message);
  }
}
