/** What may be pressed, as the page offers it: with what a hint costs, and a question before a hand is given up. */
import { GIVE_UP, isPlayed } from "./news.js";
import { beforeText } from "./outcome.js";
import { gameName } from "./texts.js";
import { say } from "./words.js";

const HINT = "h:";
const END = "ce:";
/** Who is about to accept one challenge accepts no other. */
const ACCEPT = "da:";

/** How the press of a tab begins that deals its game. */
export const DEAL = "st:play:";

/** Whether a press is asked about first: what ends a hand, and what deals one to others. */
export function asks(press, state) {
  return press.startsWith(GIVE_UP) || (press.startsWith(DEAL) && state?.place.kind === "group");
}

/**
 * The rows of a state's buttons. A hint that can't be had any more keeps its place, so that nothing else comes under
 * the finger.
 * @param {object} state
 * @param {string|null} asked what was pressed once, and asked about
 * @returns {Array<Array<{key: string, label: string, note: string, press: string|null}>>} no `press`: only to be seen
 */
export function offered({ buttons, round }, asked) {
  const rows = buttons.map((row) => row.map((each) => shown(each, round, asked)));
  const spent = round?.hints?.length && !buttons.flat().some(({ press }) => press.startsWith(HINT));
  const row = spent && rows.find((each) => each.some(({ key }) => key === GIVE_UP));
  if (row) row.unshift({ key: HINT, label: say("Hint"), note: "", press: null });
  return rows;
}

/** The newest hint, with what the hand is worth by now; empty for none. */
export function hintText(round) {
  const newest = round?.hints?.at(-1);
  return newest ? `💡 ${newest}${round.worth ? say(" ({n})", { n: round.worth }) : ""}` : "";
}

/** Whether one of a state's buttons or tabs sends that press. */
export function isOffered(state, wanted) {
  return [...(state?.buttons.flat() ?? []), ...(state?.games ?? [])].some(({ press }) => press === wanted);
}

/** What was said of the end of a game, once that can be asked for no more: to press once more would press another button. */
function isStale({ of }, state) {
  return of?.startsWith(END) && !isOffered(state, of);
}

/**
 * What is said. That a press waits comes first: its button alone would only look busy. News takes the place of the
 * question that was `asked`, and its button still asks.
 */
export function spoken({ isResting, said: latest, asked, pressed, onItsWay, waits, is, today, state, isAway, isSolved, result, isSolvedElsewhere }) {
  if (isResting) return { text: say("Newer boards are open, so this one waits. Tap it to go on."), kind: "told" };
  if (result) return null; // it is told in the place of the tiles
  const question = asked ? { text: questionText(asked, state), kind: "told" } : null;
  const said = latest && !isStale(latest, state) ? latest : question;
  const kept = { text: say("Kept, and sent as soon as there is a connection."), kind: "told" };
  if (pressed && is === false && !today) return kept;
  if (said || (is === false && waits && !today)) return said ?? kept;
  if (today && onItsWay) return is ? { text: say("Handed in."), kind: "told" } : kept;
  return today ? daysText(isAway, isSolved) : standing(state, isSolvedElsewhere);
}

function questionText(asked, state) {
  if (!asked.startsWith(DEAL)) return say("Give this hand up? Press once more.");
  const { game } = state.games.find(({ press }) => press === asked);
  return say("Deal {game}? Press once more.", { game: gameName(game) });
}

/** What is said of the day's hand as long as nothing else is: without a connection what it gives, before and after. */
function daysText(isAway, isSolved) {
  if (isSolved) return { text: offlineText(), kind: "told" };
  const text = isAway ? say("If you solve it offline, it gives no points, and is sent once you are connected.") : say("Your time runs.");
  return { text, kind: "told" };
}

/** What comes of a day's hand that was solved without a connection. */
export function offlineText() {
  return say("Solved offline: it gives no points, and is sent once you are connected.");
}

/** What is said of a hand as long as nothing else is: of an answer that is in, a duel, the newest hint, the hand before. */
function standing(state, isSolved) {
  const round = state?.round;
  const entered = isPlayed(round) && round.entry_value ? round.entry_value + say(": ") + say("Your answer is in. A later one takes its place.") : "";
  const text = (isPlayed(round) && round.hurry) || entered || state?.notice || hintText(round);
  const before = text ? "" : beforeText(round);
  if (before) return { text: before, kind: round.last_result.you ? "good" : "told" };
  const rest = text || solvedText(state, isSolved);
  return rest ? { text: rest, kind: "told" } : null;
}

/** That the day's hand was solved on another page, at one's own table, as long as no other is played there. */
function solvedText(state, isSolved) {
  return isSolved && state.place.kind === "private" && !isPlayed(state.round) ? elsewhereText() : "";
}

/** Why the day's hand is not to be played: it was solved on another page, whose answer waits. */
export function elsewhereText() {
  return say("You have solved the day’s hand offline. It is sent once you are connected.");
}

function shown({ label, press }, round, asked) {
  const key = press.startsWith(ACCEPT) ? press : press.slice(0, press.indexOf(":") + 1);
  const note = key === HINT && round?.is_hint_costly ? say("−1 point") : "";
  return { key, label: asked === press ? say("Yes, give up") : label, note, press };
}

/** What stands beside the hand: who is there, and whether others may be asked to watch. */
export function about({ mode, today, state, link }) {
  if (today || mode === "closed" || !state) return { people: [], link: null, invites: false };
  const { people, place, round } = state;
  return { people, link, invites: isPlayed(round) && place.kind !== "watch" };
}

/** What stands above the day's hand while it lies there. */
export function dayText(isAway) {
  return isAway ? say("The day’s hand, offline") : say("The day’s hand");
}

/**
 * The tabs of the header: the games, of which one lies on the table and one may stand beside it, and the day's hand.
 * @returns {Array<{key: string, label: string, isHere: boolean}>} `key`: "hand", "contest", "day", or the press that
 *   deals the game; nothing where there is only one way
 */
export function tabs({ state, today, day, seat, isClosed }) {
  if (isClosed) return [];
  const games = (state?.games ?? []).map(({ game, press }) => {
    const at = ["hand", "contest"].find((each) => seat.parts[each]?.round.game === game);
    return { key: at ?? press, label: gameName(game), isHere: !today && at !== undefined && seat.at === at };
  });
  const days = today || day ? [{ key: "day", label: say("The day’s hand"), isHere: Boolean(today) }] : [];
  const all = [...games.filter(({ key }) => key), ...days];
  return all.length > 1 || all.some(({ isHere }) => !isHere) ? all : [];
}

/** What the page itself can do just now, below what the bot offers: labels, and the game's own names of actions. */
export function extras({ mode, today, state, canShare, result, isFailed }) {
  const isPlaying = state && !today && state.place.kind !== "watch";
  const share = { label: say("Share the result"), action: result ? "shareDay" : "share" };
  return [
    isFailed && { label: say("Reload"), action: "reload" },
    mode === "ended" && (result ? result.share : isPlaying && canShare) && share,
  ].filter(Boolean);
}
