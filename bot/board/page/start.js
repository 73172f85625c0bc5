/** Start the page: read the address, open a session, and connect the game with its screen and the bot. */
import { DailyStore } from "./daily_store.js";
import { EntryQueue } from "./entries.js";
import { EventStream, PageLimiter } from "./event_stream.js";
import { Game } from "./game.js";
import { computeRetryDelay, postJson } from "./http.js";
import { RoundSelector } from "./round_selector.js";
import { Screen } from "./screen.js";
import { forgetSession, guessPerson, OpeningRefused, openSession } from "./session.js";
import { isOpenedByTelegram, parseOpening, removeSecrets } from "./session.js";
import { openBrowserValue, openWindowValue } from "./storage.js";
import { loadTelegramScript, Telegram } from "./telegram.js";
import { formatClosure } from "./texts.js";
import { chooseLanguage, say, setLanguage, setLanguageOrContinue } from "./translations.js";

const CLOCK_INTERVAL_MS = 250;
/** A page that is hidden for longer disconnects, since a browser has six connections for all pages. */
const MAX_HIDDEN_MS = 60_000;
const MIN_OPENING_DELAY_MS = 3000;

function getNow() {
  return Date.now() / 1000;
}

async function start() {
  const fragment = location.hash;
  const isInTelegram = isOpenedByTelegram(fragment);
  if (isInTelegram) await loadTelegramScript(document);
  const telegram = new Telegram(isInTelegram ? window.Telegram?.WebApp : undefined);
  telegram.setUpPage(document.documentElement);
  const { game, actions } = makeGame(telegram);
  const language = openBrowserValue("language").read() ?? chooseLanguage(navigator.languages);
  const languageChange = setLanguage(language).then((hasChanged) => hasChanged && game.draw());
  listenToKeyboard(game);
  reloadForOtherLinks();
  showErrors(game);
  listenToOtherPages(game);
  setInterval(() => game.updateClock(), CLOCK_INTERVAL_MS);
  try {
    const session = await openSessionWithRetries(game, parseOpening(fragment), languageChange);
    history.replaceState(null, "", location.pathname + location.search + removeSecrets(fragment));
    if (session) await play(game, session, actions, telegram);
  } catch (error) {
    game.close("failed");
    throw error;
  }
}

/** Show a message for errors of the page; if that fails too, close the page. */
function showErrors(game) {
  const showError = () => {
    const { title, text } = formatClosure("failed");
    try {
      game.showMessage(`${title} ${text}`, null, "bad");
    } catch {
      game.close("failed");
    }
  };
  addEventListener("error", ({ error }) => error && showError()); // errors of scripts from elsewhere have no `error`
  addEventListener("unhandledrejection", showError);
}

/** Follow what other pages of the same person store about the daily hand. */
function listenToOtherPages(game) {
  addEventListener("storage", ({ key, newValue }) => {
    if (!key?.startsWith("board:day")) return;
    const isVerdict = key === game.dailyStore.verdict.name && newValue;
    game.followOtherPage(isVerdict ? JSON.parse(newValue).text : null);
  });
}

/** Reload the page when another link is put into its address. */
function reloadForOtherLinks() {
  addEventListener("hashchange", () => {
    if (!parseOpening(location.hash)) return;
    openWindowValue("moves").write(null);
    location.reload();
  });
}

/** Make the game and its screen, whose buttons call `actions`. */
function makeGame(telegram) {
  const actions = { reload: () => location.reload() };
  const screen = new Screen(document, actions);
  const dailyStore = new DailyStore(openBrowserValue, getNow);
  const game = new Game({ screen, telegram, dailyStore, moves: openWindowValue("moves"), now: getNow });
  for (const name of ["tapTile", "tapOperation", "undo", "reset", "submit", "pressButton", "openTab"]) {
    actions[name] = (...values) => game[name](...values);
  }
  actions.shareDailyResult = () => telegram.openLink(game.dailyShareUrl);
  return { game, actions };
}

/** Return the session, after retries without a connection; null if there is none, which the page then shows. */
async function openSessionWithRetries(game, opening, languageChange) {
  game.dailyStore.setPerson(guessPerson(opening));
  for (let failures = 1; ; failures++) {
    try {
      const session = await openSession(opening, getNow());
      if (!session && location.pathname.endsWith("/play")) return location.replace("./class"); // pupils' address
      if (!session) await languageChange;
      if (!session) return navigator.onLine ? game.close(null) : waitForConnection(game);
      game.dailyStore.setPerson(session.you);
      openBrowserValue("language").write(session.language);
      await setLanguageOrContinue(session.language, () => game.draw());
      return session;
    } catch (error) {
      if (!(error instanceof OpeningRefused)) throw error;
      await languageChange;
      if (error.status && opening.by === "pupil") return location.replace("./class");
      if (error.status) return game.close(getClosureReason(opening, error.status));
      game.noteLost();
      const delayMs = Math.max(MIN_OPENING_DELAY_MS, computeRetryDelay(failures));
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }
}

/** Return the reason for `formatClosure`; a link that the bot does not know may be cut short. */
function getClosureReason({ by }, status) {
  return by !== "telegram" && [400, 401].includes(status) ? "link" : status;
}

/** Show the stored daily hand, if there is one, until there is a connection. */
function waitForConnection(game) {
  game.noteLost();
  addEventListener("online", () => location.reload());
  return null;
}

/** Play until the session ends. */
async function play(game, session, actions, telegram) {
  const post = (path, body) => postJson(path, body, session.session);
  const dailyQueue = connectQueues(game, session, post);
  game.roundSelector = new RoundSelector(openWindowValue(`round:${session.mark}`));
  actions.shareResult = () => shareResult(game, telegram, post);
  actions.makeSpectatorLink = () => makeSpectatorLink(game, post);
  const retryEntries = () => [game.entries, dailyQueue].forEach((queue) => queue.retryNow());
  const limiter = new PageLimiter(new BroadcastChannel("board"), () => stream.pause());
  addEventListener("pagehide", () => limiter.setActive(false));
  const stream = new EventStream(session.session, {
    onState: (state) => game.receiveState(state),
    onReply: (reply) => game.receiveReply(reply),
    onConnected: () => game.noteConnected() && retryEntries(),
    onLost: () => game.noteLost(),
    onActive: (isActive) => limiter.setActive(isActive),
    onPaused: () => game.notePaused(),
    onEnded: (status) => {
      if (status === 401) forgetSession(session.session);
      if (session.mark.startsWith("pupil:")) location.replace("./class"); // where the pupil comes back
      else game.close(status);
    },
  });
  listenToNetwork(stream, retryEntries);
  await stream.run();
}

/** Let the game send entries; return the queue of its answers to daily hands. */
function connectQueues(game, { mark }, post) {
  const ownIds = openWindowValue(`made:${mark}`);
  const callbacks = {
    onAccepted: () => game.noteAccepted(),
    onRefused: (entry, { status }) => game.noteRefused(entry, status),
  };
  const waiting = openWindowValue(`entries:${mark}`);
  game.entries = new EntryQueue((entry) => post("./entry", entry), { waiting, ownIds }, callbacks);
  const onVerdict = (text) => game.showDailyVerdict(text);
  const dailyQueue = game.dailyStore.makeQueue(post, ownIds, { ...callbacks, onVerdict });
  game.sendDailyAnswers = () => dailyQueue.send();
  return dailyQueue;
}

/** Return the body that names the shown round, since a chat may have two. */
function makeRoundBody(game) {
  return game.shownRoundId ? { round: game.shownRoundId } : {};
}

async function shareResult(game, telegram, post) {
  const response = await post("./share", makeRoundBody(game));
  const messageId = response?.ok ? response.json()?.message : null;
  if (messageId) telegram.shareMessage(messageId);
  else game.showMessage(response ? say("There is nothing to share yet.") : say("That could not be sent."));
}

/** Request a link for spectators, copy it, and show it. */
async function makeSpectatorLink(game, post) {
  const response = await post("./watch", makeRoundBody(game));
  const url = response?.ok ? response.json()?.url : null;
  if (!url) return game.showMessage(say("That could not be sent."));
  const isCopied = await copyText(url);
  if (isCopied) game.showMessage(say("The link is copied: whoever has it may watch."), url);
  else game.showMessage(say("Whoever has this link may watch."), url);
}

/** Copy a text; return whether that was possible. Without https there is no clipboard. */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

function listenToKeyboard(game) {
  let focusedByTyping = null; // what had the focus after the newest typed key; null after a click or an arrow
  document.addEventListener("click", () => (focusedByTyping = null), true);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.repeat && event.key === "Enter") return event.preventDefault(); // a held key presses once
    const isOnControl = event.target.matches?.("button, a, input, summary") ?? false;
    const isTyping = event.target === focusedByTyping && focusedByTyping.matches(".tile");
    const isUsed = game.handleKey(event.key, isOnControl, isTyping);
    if (isUsed) event.preventDefault();
    focusedByTyping = isUsed && !event.key.startsWith("Arrow") ? document.activeElement : null;
  });
}

/** Connect and send at once when the network or the reader comes back; disconnect a hidden page. */
function listenToNetwork(stream, retryEntries) {
  const reconnect = () => {
    stream.reconnectNow();
    retryEntries();
  };
  addEventListener("online", reconnect);
  addEventListener("focus", reconnect);
  addEventListener("offline", () => stream.disconnect());
  for (const name of ["pointerdown", "keydown"]) addEventListener(name, () => stream.resume());
  let hiddenTimer = null;
  document.addEventListener("visibilitychange", () => {
    clearTimeout(hiddenTimer);
    if (document.visibilityState === "visible") reconnect();
    else hiddenTimer = setTimeout(() => stream.suspend(), MAX_HIDDEN_MS);
  });
}

if ("serviceWorker" in navigator) navigator.serviceWorker.register("./service.js").catch(() => null);
start();
