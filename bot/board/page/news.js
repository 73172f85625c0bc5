/** What a newer state brings, for who doesn't see it come. */
import { alone, endingTold } from "./outcome.js";
import { standing } from "./people.js";
import { cardText, dealtText, gameName } from "./texts.js";
import { isolated, say } from "./words.js";

/** The states in which a round is played. */
const PLAYED = new Set(["open", "running"]);
/** How the press of the button begins that gives up, and says how many want to. */
export const GIVE_UP = "s:";

/** Whether there is a round that goes on. */
export function isPlayed(round) {
  return Boolean(round) && PLAYED.has(round.state);
}

/** Whether the round that was played is over by now. */
export function isOver(before, { round }) {
  return before.round?.id === round.id && PLAYED.has(before.round.state) && !PLAYED.has(round.state);
}

/** Whether there is a hint more than there was. */
export function isHinted(before, { round }) {
  return before.round?.id === round.id && (round.hints?.length ?? 0) > (before.round.hints?.length ?? 0);
}

/** Whether it ends sooner than it would have, since somebody has it. */
export function isHurried(before, { round }) {
  return before.round?.id === round.id && Boolean(round.hurry) && !before.round.hurry;
}

/** What is said aloud to who comes back to the table, from the day's hand; `state` is null for no table. */
export function found(state) {
  if (!state) return [];
  return state.round ? news({}, state, true) : [say("No hand is on the table.")];
}

/**
 * What is to be said aloud, a sentence for each thing that happened.
 * @param {boolean} went whether the reader went there by themselves: then nothing has begun
 */
export function news(before, state, went = false) {
  const { round, card } = state;
  const isNew = before.round?.id !== round.id;
  if (isOver(before, state) || (isNew && !PLAYED.has(round.state))) return [endingTold(state)];
  const said = card && (went || before.card?.turn !== card.turn) ? [cardText(card)] : [];
  if (!isNew) return [...said, ...others(before, state)];
  if (round.target) said.push(dealtText(round));
  else if (!card) said.push(went ? gameName(round.game) : say("A game of {game} has begun.", { game: gameName(round.game) }));
  return said;
}

/** Who else has handed in, or is done, since; and how many want to give up. */
function others(before, state) {
  const [voted, votes] = [before, state].map(({ buttons }) => buttons.flat().find(({ press }) => press.startsWith(GIVE_UP))?.label);
  const isDone = ({ status }) => status === "done";
  const was = ({ name }) => before.people.some((each) => isDone(each) && each.name === name);
  const came = state.people.filter((each) => isDone(each) && !each.you && !was(each));
  return [...came.map((each) => isolated(each.name) + standing(each)), ...(voted && votes && votes !== voted ? [votes] : [])];
}

/** What is said aloud once a day's hand lies there: how it ended, by its result or an answer that waits. */
export function laidText(hand, answer, result) {
  return answer || result ? endingTold(alone(hand, answer, result)) : dealtText(hand);
}
