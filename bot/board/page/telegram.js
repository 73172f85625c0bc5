/** Features of the Telegram app around the page. Those that the app is too old for are skipped. */

const SCRIPT = "https://telegram.org/js/telegram-web-app.js";
const SCRIPT_TIMEOUT_MS = 2500;

/** Load Telegram's script; return whether it came in time. */
export function loadTelegramScript(document) {
  return new Promise((resolve) => {
    const script = document.createElement("script");
    script.src = SCRIPT;
    script.onload = () => resolve(true);
    script.onerror = () => resolve(false);
    setTimeout(() => resolve(false), SCRIPT_TIMEOUT_MS);
    document.head.append(script);
  });
}

export class Telegram {
  #app;
  #hasBackHandler = false;
  #confirmsClosing = false;

  /** @param {object|undefined} app `window.Telegram.WebApp`; without it nothing happens */
  constructor(app) {
    this.#app = app;
  }

  #supports(version) {
    return Boolean(this.#app?.isVersionAtLeast?.(version));
  }

  /** Show the page at full height, without swipes that would close it, in Telegram's colours. */
  setUpPage(root) {
    if (!this.#app) return;
    this.#app.ready();
    this.#app.expand();
    if (this.#supports("7.7")) this.#app.disableVerticalSwipes();
    const setScheme = () => (root.dataset.scheme = this.#app.colorScheme === "dark" ? "dark" : "light");
    root.dataset.telegram = "";
    setScheme();
    this.#app.onEvent("themeChanged", setScheme);
  }

  vibrateForTap() {
    if (this.#supports("6.1")) this.#app.HapticFeedback.selectionChanged();
  }

  vibrateForMerge() {
    if (this.#supports("6.1")) this.#app.HapticFeedback.impactOccurred("light");
  }

  vibrateForVerdict(isRight) {
    if (this.#supports("6.1")) this.#app.HapticFeedback.notificationOccurred(isRight ? "success" : "error");
  }

  /** While moves are made: let Telegram's back button undo, and ask before the page closes. */
  protectMoves(isBegun, undo) {
    if (this.#supports("6.1")) this.#showBackButton(isBegun, undo);
    if (!this.#supports("6.2") || isBegun === this.#confirmsClosing) return;
    this.#confirmsClosing = isBegun;
    if (isBegun) this.#app.enableClosingConfirmation();
    else this.#app.disableClosingConfirmation();
  }

  #showBackButton(isShown, onClick) {
    if (!this.#hasBackHandler) this.#app.BackButton.onClick(onClick);
    this.#hasBackHandler = true;
    if (isShown) this.#app.BackButton.show();
    else this.#app.BackButton.hide();
  }

  get canShare() {
    return this.#supports("8.0");
  }

  /** Open a t.me address. */
  openLink(url) {
    if (this.#supports("6.1")) this.#app.openTelegramLink(url);
    else window.open(url, "_blank", "noopener");
  }

  /** Let the reader choose a chat for a prepared message. */
  shareMessage(messageId) {
    this.#app.shareMessage(messageId);
  }
}
