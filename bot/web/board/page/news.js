/** What a newer state brings, for who doesn't see it come. */
import { hintText } from "./offers.js";
import { beforeText, endingTold } from "./outcome.js";
import { cardText, gameName, goalText } from "./told.js";
import { say } from "./words.js";

/** The states in which a round is played. */
export const PLAYED = new Set(["open", "running"]);

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

/** What stands by the board as long as nothing else is said there; empty for nothing. */
export function standingText(round) {
  if (isPlayed(round) && round.hurry) return round.hurry;
  if (isPlayed(round) && round.entered) return say("Your answer is in. A later one takes its place.");
  return hintText(round) || beforeText(round);
}

/** What stands beside the board: who is there, the chat's own lines, and the link for who may watch. */
export function beside(state, link) {
  if (!state) return { people: [], lines: [], link: null, invites: false };
  const { people, lines, place, round } = state;
  return { people, lines, link, invites: isPlayed(round) && place.kind !== "watch" };
}

/** What is to be said aloud, a sentence for each thing that happened. */
export function news(before, state) {
  const { round, card } = state;
  const said = [];
  if (isOver(before, state)) said.push(`${endingTold(state)} ${total(card)}`.trim());
  else if (card && before.card?.turn !== card.turn) said.push(cardText(card));
  if (before.round?.id === round.id) return said;
  if (round.target !== null) said.push(`${goalText(round)}: ${round.shown.join(" ")}`);
  else if (!card) said.push(say("A game of {game} has begun.", { game: gameName(round.game) }));
  return said;
}

function total(card) {
  return card ? say("Total: {n}", { n: card.total }) : "";
}
