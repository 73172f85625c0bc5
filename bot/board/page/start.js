/** Opens the board: reads the address, opens a session, and joins what is drawn with what is heard. */
import { pause, post } from "./calls.js";
import { Day } from "./day.js";
import { Entries } from "./entries.js";
import { Game } from "./game.js";
import { Boards, Live } from "./live.js";
import { Screen } from "./screen.js";
import { Seat } from "./seat.js";
import { emptied, forget, isTelegram, likely, opening, Refused, session } from "./session.js";
import { lasting, passing } from "./store.js";
import { loaded, Telegram } from "./telegram.js";
import { closing } from "./texts.js";
import { fitting, say, speak, speakSoon } from "./words.js";

const now = () => Date.now() / 1000;
/** Milliseconds between two looks at the clock. */
const TICK = 250;
/** Milliseconds after which a page that nobody sees hears nothing more: a browser has six connections for all of them. */
const HIDDEN = 60_000;

async function begin() {
  const fragment = location.hash;
  if (isTelegram(fragment)) await loaded(document);
  const telegram = new Telegram(isTelegram(fragment) ? window.Telegram?.WebApp : undefined);
  telegram.begin(document.documentElement);
  const { game, on } = table(telegram);
  const fits = speak(lasting("language").read() ?? fitting(navigator.languages)).then((changed) => changed && game.draw());
  keyboard(game);
  otherLinks();
  failures(game);
  otherWindows(game);
  setInterval(() => game.tick(), TICK);
  try {
    const found = await opened(game, opening(fragment), fits);
    history.replaceState(null, "", location.pathname + location.search + emptied(fragment));
    if (found) await playing(game, found, on, telegram);
  } catch (error) {
    game.end("failed");
    throw error;
  }
}

/** Say so when the page itself has an error, in place of everything where even that can't be drawn. */
function failures(game) {
  const fail = () => {
    try {
      game.inform(Object.values(closing("failed")).join(" "), null, "bad");
    } catch {
      game.end("failed");
    }
  };
  addEventListener("error", ({ error }) => error && fail()); // an error in a script from elsewhere has no `error`
  addEventListener("unhandledrejection", fail);
}

/** What other windows of the same person store of the day's hand, and what the bot said to them of its answer. */
function otherWindows(game) {
  addEventListener("storage", ({ key, newValue }) => {
    if (key?.startsWith("board:day")) game.heard(key === game.day.word.name && newValue ? JSON.parse(newValue).text : null);
  });
}

/** Another link, put into the address of this page, is opened as in a new one. */
function otherLinks() {
  addEventListener("hashchange", () => {
    if (!opening(location.hash)) return;
    passing("moves").write(null);
    location.reload();
  });
}

/** The game and its screen, each knowing the other. */
function table(telegram) {
  const on = { reload: () => location.reload() };
  const screen = new Screen(document, on);
  const game = new Game({ screen, telegram, day: new Day(lasting, now), kept: passing("moves"), now });
  for (const name of ["tap", "operate", "undo", "reset", "hand", "press", "visit"]) {
    on[name] = (...given) => game[name](...given);
  }
  on.shareDay = () => telegram.open(game.dayShare);
  return { game, on };
}

/**
 * The session; null when there is none, which the page then says, once it speaks the language that fits. Without a
 * connection it asks again.
 */
async function opened(game, from, fits) {
  game.day.of(likely(from));
  for (let failures = 1; ; failures++) {
    try {
      const found = await session(from, now());
      if (!found) await fits;
      if (!found) return navigator.onLine ? game.end(null) : waiting(game);
      game.day.of(found.you);
      lasting("language").write(found.language);
      await speakSoon(found.language, () => game.draw());
      return found;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      await fits;
      if (error.why) return game.end(reason(from, error.why));
      game.lost();
      await new Promise((done) => setTimeout(done, Math.max(3000, pause(failures))));
    }
  }
}

/** Why an opening was refused; a link that isn't known may only have lost its end. */
function reason(from, status) {
  return from.by !== "telegram" && [400, 401].includes(status) ? "link" : status;
}

/** Without a connection and without a session: perhaps there is the day's hand. */
function waiting(game) {
  game.lost();
  addEventListener("online", () => location.reload());
  return null;
}

async function playing(game, found, on, telegram) {
  const send = (path, body) => post(path, body, found.session);
  const made = passing(`made:${found.mark}`);
  const told = { taken: () => game.taken(), refused: (entry, { status }) => game.refused(entry, status) };
  game.entries = new Entries((entry) => send("./entry", entry), { waiting: passing(`entries:${found.mark}`), made }, told);
  const days = game.day.makeSender(send, made, { ...told, judged: (text) => game.judged(text) });
  game.seat = new Seat(passing(`seat:${found.mark}`));
  game.send = () => days.run();
  on.share = () => shared(game, telegram, send);
  on.watch = () => watched(game, send);
  const hurry = () => [game.entries, days].forEach((each) => each.hurry());
  const boards = new Boards(new BroadcastChannel("board"), () => live.makeRoom());
  addEventListener("pagehide", () => boards.tell(false));
  const live = new Live(found.session, {
    state: (state) => game.take(state),
    word: (word) => game.word(word),
    connected: () => game.connected() && hurry(),
    lost: () => game.lost(),
    live: (is) => boards.tell(is),
    rests: () => game.rests(),
    ended: (status) => {
      if (status === 401) forget(found.session);
      game.end(status);
    },
  });
  network(live, hurry);
  await live.run();
}

/** Which round is meant, of the two that may be at the table. */
function chosen(game) {
  return game.shown ? { round: game.shown } : {};
}

async function shared(game, telegram, send) {
  const answer = await send("./share", chosen(game));
  const message = answer?.ok ? answer.json()?.message : null;
  if (message) telegram.share(message);
  else game.inform(answer ? say("There is nothing to share yet.") : say("That could not be sent."));
}

async function watched(game, send) {
  const answer = await send("./watch", chosen(game));
  const url = answer?.ok ? answer.json()?.url : null;
  if (!url) return game.inform(say("That could not be sent."));
  const copied = await navigator.clipboard?.writeText(url).then(() => true, () => false); // none without https
  game.inform(copied ? say("The link is copied: whoever has it may watch.") : say("Whoever has this link may watch."), url);
}

function keyboard(game) {
  let left = null; // what had the focus once the newest key was typed; nothing after a click or a walk by arrows
  document.addEventListener("click", () => (left = null), true);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const onControl = event.target.matches?.("button, a, input, summary") ?? false;
    if (event.repeat && event.key === "Enter") return event.preventDefault(); // a held key presses once
    const ours = game.key(event.key, onControl, event.target === left && left.matches(".tile"));
    if (ours) event.preventDefault();
    left = ours && !event.key.startsWith("Arrow") ? document.activeElement : null;
  });
}

/** @param {() => void} send sends what waits now */
function network(live, send) {
  const hurry = () => {
    live.hurry();
    send();
  };
  addEventListener("online", hurry);
  addEventListener("focus", hurry);
  addEventListener("offline", () => live.drop());
  for (const use of ["pointerdown", "keydown"]) addEventListener(use, () => live.used());
  let resting = null;
  document.addEventListener("visibilitychange", () => {
    clearTimeout(resting);
    if (document.visibilityState === "visible") hurry();
    else resting = setTimeout(() => live.sleep(), HIDDEN);
  });
}

if ("serviceWorker" in navigator) navigator.serviceWorker.register("./service.js").catch(() => null);
begin();
