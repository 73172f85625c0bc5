/** The buttons and tabs that the page offers. A press is the data of a button, which the bot receives. */
import { formatGameName } from "./texts.js";
import { say } from "./translations.js";

/** How presses begin. */
export const PRESS = Object.freeze({
  hint: "h:",
  giveUp: "s:",
  endContest: "ce:",
  acceptChallenge: "da:",
  showDailyHand: "do:", // from then on the reader's time runs
  dealHand: "st:deal",
  dealGame: "st:play:",
});

/** Whether a press must be confirmed by another: it ends a hand, or deals one to other people. */
export function needsConfirmation(press, state) {
  return press.startsWith(PRESS.giveUp) || (press.startsWith(PRESS.dealGame) && state?.place.kind === "group");
}

/**
 * Return the rows of a state's buttons. When no hint is left, its button stays, so that no other one comes under the
 * finger.
 * @param {object} state
 * @param {string|null} pressToConfirm the press that waits to be confirmed
 * @returns {Array<Array<{key: string, label: string, note: string, press: string|null}>>} null for a disabled button
 */
export function listButtonRows({ buttons, round }, pressToConfirm) {
  const rows = buttons.map((row) => row.map((each) => makeButton(each, round, pressToConfirm)));
  const hasNoHintLeft = round?.hints?.length && !buttons.flat().some(({ press }) => press.startsWith(PRESS.hint));
  const row = hasNoHintLeft && rows.find((each) => each.some(({ key }) => key === PRESS.giveUp));
  if (row) row.unshift({ key: PRESS.hint, label: say("Hint"), note: "", press: null });
  return rows;
}

/** A key is the same for buttons that take the place of each other; challenges, several at once, have one each. */
function makeButton({ label, press }, round, pressToConfirm) {
  const key = press.startsWith(PRESS.acceptChallenge) ? press : press.slice(0, press.indexOf(":") + 1);
  const note = key === PRESS.hint && round?.is_hint_costly ? say("−1 point") : "";
  return { key, label: pressToConfirm === press ? say("Yes, give up") : label, note, press };
}

/** Whether one of a state's buttons or tabs has this press. */
export function isOffered(state, press) {
  return [...(state?.buttons.flat() ?? []), ...(state?.games ?? [])].some((each) => each.press === press);
}

/**
 * Return the tabs of the header: the games, and the daily hand; an empty list if there is nowhere else to go.
 * @returns {Array<{key: string, label: string, isCurrent: boolean}>} `key`: "hand", "contest" or "day" to show what is
 *   there, or the press that deals the game
 */
export function listTabs({ state, dailyPuzzle, offeredDailyPuzzle, roundSelector, isClosed }) {
  if (isClosed) return [];
  const games = (state?.games ?? []).map(({ game, press }) => {
    const side = ["hand", "contest"].find((each) => roundSelector.sides[each]?.round.game === game);
    const isCurrent = !dailyPuzzle && side !== undefined && roundSelector.side === side;
    return { key: side ?? press, label: formatGameName(game), isCurrent };
  });
  const tabs = games.filter(({ key }) => key);
  if (dailyPuzzle || offeredDailyPuzzle) {
    tabs.push({ key: "day", label: say("The day’s hand"), isCurrent: Boolean(dailyPuzzle) });
  }
  return tabs.length > 1 || tabs.some(({ isCurrent }) => !isCurrent) ? tabs : [];
}

/** Return the buttons of the page itself, each with the name of its action in `start.js`. */
export function listPageButtons({ mode, dailyPuzzle, state, canShare, dailyResult, hasFailed }) {
  const buttons = [];
  if (hasFailed) buttons.push({ label: say("Reload"), action: "reload" });
  const isPlaying = state && !dailyPuzzle && state.place.kind !== "watch";
  const canShareResult = dailyResult ? dailyResult.share : isPlaying && canShare;
  if (mode === "ended" && canShareResult) {
    const action = dailyResult ? "shareDailyResult" : "shareResult";
    buttons.push({ label: say("Share the result"), action });
  }
  return buttons;
}
