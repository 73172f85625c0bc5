/** The line below the tiles: `{text, kind}`, with the kind "good", "bad" or "info". */
import { isOffered, PRESS } from "./buttons.js";
import { formatLastResult } from "./ending.js";
import { isInPlay } from "./rounds.js";
import { formatGameName } from "./texts.js";
import { say } from "./translations.js";

/**
 * Choose the line that matters most; null for none. A waiting press comes first, since its button only looks busy.
 * The newest message replaces the question before a press, which its button still asks.
 */
export function chooseMessage({
  connection: { isConnected, isOffline, isPaused },
  newest,
  pressToConfirm,
  pendingPress,
  isAwaitingVerdict,
  hasWaitingAnswer,
  dailyPuzzle,
  state,
  isSolvedOffline,
  dailyResult,
  isSolvedElsewhere,
}) {
  if (isPaused) return makeInfo(say("Newer boards are open, so this one waits. Tap it to go on."));
  if (dailyResult) return null; // the panel tells it
  const waiting = makeInfo(say("Kept, and sent as soon as there is a connection."));
  const isLost = isConnected === false && !dailyPuzzle;
  if (isLost && pendingPress) return waiting;
  if (newest && !isOutdated(newest, state)) return newest;
  if (pressToConfirm) return makeInfo(formatQuestion(pressToConfirm, state));
  if (isLost && hasWaitingAnswer) return waiting;
  if (!dailyPuzzle) return chooseRoundMessage(state, isSolvedElsewhere);
  if (isAwaitingVerdict) return isConnected ? makeInfo(say("Handed in.")) : waiting;
  return makeInfo(formatDailyMessage(isOffline, isSolvedOffline));
}

function makeInfo(text) {
  return { text, kind: "info" };
}

/** Whether a message asks to end a game by another press of a button that is gone. */
function isOutdated({ press }, state) {
  return press?.startsWith(PRESS.endContest) && !isOffered(state, press);
}

function formatQuestion(press, state) {
  if (!press.startsWith(PRESS.dealGame)) return say("Give this hand up? Press once more.");
  const { game } = state.games.find((each) => each.press === press);
  return say("Deal {game}? Press once more.", { game: formatGameName(game) });
}

function formatDailyMessage(isOffline, isSolvedOffline) {
  if (isSolvedOffline) return formatSolvedOffline();
  if (!isOffline) return say("Your time runs.");
  return say("If you solve it offline, it gives no points, and is sent once you are connected.");
}

export function formatSolvedOffline() {
  return say("Solved offline: it gives no points, and is sent once you are connected.");
}

/** Choose between a shorter deadline, the reader's answer, the bot's notice, the newest hint, and the hand before. */
function chooseRoundMessage(state, isSolvedElsewhere) {
  const round = state?.round;
  const text = (isInPlay(round) && (round.hurry || formatEntered(round))) || state?.notice || formatNewestHint(round);
  if (text) return makeInfo(text);
  const lastResult = formatLastResult(round);
  if (lastResult) return { text: lastResult, kind: round.last_result.you ? "good" : "info" };
  const isAtOwnTable = state?.place.kind === "private";
  return isSolvedElsewhere && isAtOwnTable && !isInPlay(round) ? makeInfo(formatSolvedElsewhere()) : null;
}

function formatEntered({ entry_value: value }) {
  return value ? value + say(": ") + say("Your answer is in. A later one takes its place.") : "";
}

/** Format the newest hint, and the points that the hand still gives; "" without a hint. */
export function formatNewestHint(round) {
  const newest = round?.hints?.at(-1);
  return newest ? `💡 ${newest}${round.worth ? say(" ({n})", { n: round.worth }) : ""}` : "";
}

/** Return why the daily hand can't be played: another page has solved it, and its answer waits. */
export function formatSolvedElsewhere() {
  return say("You have solved the day’s hand offline. It is sent once you are connected.");
}
