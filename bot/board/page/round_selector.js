/**
 * Choose which of a chat's two rounds the reader sees: the hand, or the contest beside it. A round that ended while it
 * was shown stays until the reader moves on, or a new round begins.
 */
import { PRESS } from "./buttons.js";
import { isInPlay } from "./rounds.js";

const HAND = "hand";
const CONTEST = "contest";
const INITIAL_CHOICE = {
  side: null, // the round that is shown
  newestHand: 0, // id of the newest hand seen
  newestContest: 0,
  wantsHand: false, // the reader has pressed the button that deals a hand
  hasLeftHand: false, // the reader left a running hand: the hands that follow it, as in a race, are not shown
};

export class RoundSelector {
  #stored;
  #choice;
  #state = null;

  /** @param {{read: Function, write: Function}} stored where the choice survives a reload */
  constructor(stored = { read: () => null, write: () => {} }) {
    this.#stored = stored;
    this.#choice = stored.read() ?? INITIAL_CHOICE;
  }

  /** Return the part of a state that the reader sees: the state itself, or with its fields from `beside`. */
  select(state) {
    this.#state = state;
    const { hand, contest } = this.sides;
    const { newestHand, newestContest, wantsHand, hasLeftHand } = this.#choice;
    const side = this.#chooseSide(hand?.round, contest?.round);
    this.#store({
      side,
      newestHand: Math.max(newestHand, hand?.round.id ?? 0),
      newestContest: Math.max(newestContest, contest?.round.id ?? 0),
      wantsHand: wantsHand && !hasBegun(hand?.round, newestHand),
      hasLeftHand: hasLeftHand && side === CONTEST && isInPlay(hand?.round),
    });
    return (side === CONTEST ? contest : hand) ?? state;
  }

  /** Move the reader to the other round; return what they see there. */
  switchSide() {
    const side = this.#choice.side === HAND ? CONTEST : HAND;
    this.#store({ ...this.#choice, side, hasLeftHand: side === CONTEST && isInPlay(this.sides.hand?.round) });
    return this.select(this.#state);
  }

  /** The round that the reader sees: "hand" or "contest"; null before the first state. */
  get side() {
    return this.#choice.side;
  }

  /** Note a press: a reader who deals a hand sees it, wherever they are. */
  notePress(press) {
    if (press === PRESS.dealHand) this.#store({ ...this.#choice, wantsHand: true });
  }

  /** What the reader would see on each side, `{hand, contest}`; undefined for a side without a round. */
  get sides() {
    const main = this.#state;
    const beside = main?.beside && { ...main, ...main.beside };
    const withRound = [main, beside].filter((each) => each?.round);
    return { hand: withRound.find((each) => !isContest(each)), contest: withRound.find(isContest) };
  }

  /** A new hand comes first if the state puts it first, a new contest if no hand is in play. */
  #chooseSide(hand, contest) {
    if (!hand || !contest) return contest ? CONTEST : HAND;
    const firstSide = isContest(this.#state) ? CONTEST : HAND;
    const { side, newestHand, newestContest, wantsHand, hasLeftHand } = this.#choice;
    if (hasBegun(hand, newestHand) && (wantsHand || (firstSide === HAND && !hasLeftHand))) return HAND;
    if (hasBegun(contest, newestContest) && !isInPlay(hand)) return CONTEST;
    return side ?? firstSide;
  }

  #store(choice) {
    this.#choice = choice;
    this.#stored.write(choice);
  }
}

function isContest({ round }) {
  return round.kind === CONTEST;
}

/** Whether a round in play is newer than the newest one seen. */
function hasBegun(round, newestId) {
  return isInPlay(round) && round.id > newestId;
}
