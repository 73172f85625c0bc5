/** Sentences for screen readers about what a newer state changes. */
import { PRESS } from "./buttons.js";
import { describeEnding, makeDailyEnding } from "./ending.js";
import { describeProgress } from "./people.js";
import { hasEnded, isInPlay } from "./rounds.js";
import { describeDeal, describeScorecard, formatGameName } from "./texts.js";
import { isolateName, say } from "./translations.js";

/** Describe the chat's round to a reader who comes back to it; `state` is null before the first one. */
export function describeState(state) {
  if (!state) return [];
  return state.round ? describeChanges({}, state, true) : [say("No hand is on the table.")];
}

/**
 * Return a sentence for each change.
 * @param {boolean} isOwnMove whether the reader has moved to this round, which then has not just begun
 */
export function describeChanges(before, state, isOwnMove = false) {
  const { round, card } = state;
  const isNew = before.round?.id !== round.id;
  if (hasEnded(before, state) || (isNew && !isInPlay(round))) return [describeEnding(state)];
  const sentences = card && (isOwnMove || before.card?.turn !== card.turn) ? [describeScorecard(card)] : [];
  if (!isNew) return [...sentences, ...describePeople(before, state), ...describeVotes(before, state)];
  if (round.target) return [...sentences, describeDeal(round)];
  if (card) return sentences;
  const game = formatGameName(round.game);
  return [isOwnMove ? game : say("A game of {game} has begun.", { game })];
}

/** Describe the other people who have become done. */
function describePeople(before, state) {
  const namesBefore = before.people.filter(isDone).map(({ name }) => name);
  const newlyDone = state.people.filter((each) => isDone(each) && !each.you && !namesBefore.includes(each.name));
  return newlyDone.map((each) => isolateName(each.name) + describeProgress(each));
}

function isDone({ status }) {
  return status === "done";
}

/** Return the label of the button to give up if its number of votes has changed. */
function describeVotes(before, state) {
  const [labelBefore, label] = [findVoteLabel(before), findVoteLabel(state)];
  return labelBefore && label && label !== labelBefore ? [label] : [];
}

function findVoteLabel({ buttons }) {
  return buttons.flat().find(({ press }) => press.startsWith(PRESS.giveUp))?.label;
}

/** Describe the daily hand; once it is over, its result or the answer that was given offline. */
export function describeDailyHand(puzzle, offlineAnswer, result) {
  if (!offlineAnswer && !result) return describeDeal(puzzle);
  return describeEnding(makeDailyEnding(puzzle, offlineAnswer, result));
}
