/** Whether a round goes on, and what has changed in it between two states. */
const STATES_IN_PLAY = new Set(["open", "running"]);

/** Whether there is a round that is not over. */
export function isInPlay(round) {
  return Boolean(round) && STATES_IN_PLAY.has(round.state);
}

export function hasEnded(before, { round }) {
  return isSameRound(before, round) && isInPlay(before.round) && !isInPlay(round);
}

export function hasNewHint(before, { round }) {
  return isSameRound(before, round) && (round.hints?.length ?? 0) > (before.round.hints?.length ?? 0);
}

/** Whether the deadline has moved forward, since somebody has the answer. */
export function hasShorterTime(before, { round }) {
  return isSameRound(before, round) && Boolean(round.hurry) && !before.round.hurry;
}

function isSameRound(before, round) {
  return before.round?.id === round.id;
}
