/**
 * Where somebody sits: at the hand on the table, or at the contest beside it, of which the state tells as well. What
 * ended before their eyes stays there until they go on by themselves, or something new begins.
 */
import { isPlayed } from "./news.js";

const [HAND, CONTEST] = ["hand", "contest"];
/** What deals a hand where nothing else leads on. */
const DEAL = "st:deal";
/** Where nobody has been before. */
const NOWHERE = { at: null, hand: 0, contest: 0, deals: false, left: false };

export class Seat {
  #kept;
  #known;
  #state = null;

  /** @param {{read: Function, write: Function}} kept where it survives a reload */
  constructor(kept = { read: () => null, write: () => {} }) {
    this.#kept = kept;
    this.#known = kept.read() ?? NOWHERE;
  }

  /** What of a state lies before them: the state itself, or with what it tells of what stands beside. */
  shown(state) {
    this.#state = state;
    const { hand, contest } = this.parts;
    const at = this.#choice(hand?.round, contest?.round);
    this.#note({
      at,
      hand: Math.max(this.#known.hand, hand?.round.id ?? 0),
      contest: Math.max(this.#known.contest, contest?.round.id ?? 0),
      deals: this.#known.deals && !isNew(hand?.round, this.#known.hand),
      left: this.#known.left && at === CONTEST && isPlayed(hand?.round),
    });
    return (at === CONTEST ? contest : hand) ?? state;
  }

  /**
   * They go over to what stands beside: what lies before them then. Who leaves a hand that goes on is not called to
   * those that follow it at once, as in a race.
   */
  other() {
    const at = this.#known.at === HAND ? CONTEST : HAND;
    this.#note({ ...this.#known, at, left: at === CONTEST && isPlayed(this.parts.hand?.round) });
    return this.shown(this.#state);
  }

  /** Whether they sit at the "hand" or at the "contest". */
  get at() {
    return this.#known.at;
  }

  /** Who deals a hand wants to see it, wherever they are. */
  pressed(press) {
    if (press === DEAL) this.#note({ ...this.#known, deals: true });
  }

  /** What the state tells of each: `hand` and `contest`, as far as there is one. */
  get parts() {
    const all = [this.#state, this.#state?.beside && { ...this.#state, ...this.#state.beside }];
    const [contest, hand] = [true, false].map((wanted) => all.find((each) => each?.round && isContest(each) === wanted));
    return { hand, contest };
  }

  /** A hand comes first where the state has it so, a contest where no hand is played. */
  #choice(hand, contest) {
    if (!hand || !contest) return contest ? CONTEST : HAND;
    const first = isContest(this.#state) ? CONTEST : HAND;
    const { at, deals, left } = this.#known;
    if (isNew(hand, this.#known.hand) && (deals || (first === HAND && !left))) return HAND;
    if (isNew(contest, this.#known.contest) && !isPlayed(hand)) return CONTEST;
    return at ?? first;
  }

  #note(known) {
    this.#known = known;
    this.#kept.write(known);
  }
}

function isContest({ round }) {
  return round.kind === CONTEST;
}

/** Whether it goes on, and was not there before. */
function isNew(round, newest) {
  return isPlayed(round) && round.id > newest;
}
