/** The daily hand while the page shows it in place of the chat's round: when it opens and closes, and its answer. */
import { PRESS } from "./buttons.js";
import { isInPlay } from "./rounds.js";

export class DailyHand {
  #store;
  #isRequested = false;
  #isUnrequested = false;
  #answerId = null;
  #hasVerdict = false;
  /** The puzzle that is shown; null for none. */
  puzzle = null;

  /** @param {import("./daily_store.js").DailyStore} store */
  constructor(store) {
    this.#store = store;
  }

  /** Return the puzzle that can be played: the state's, offline the stored one; null for none. */
  findPlayable(state, isOffline) {
    return isOffline || !state ? this.#store.playablePuzzle : this.#store.findPlayable(state.day);
  }

  /** Return the state's result of the puzzle that is shown; null until it is over. */
  findResult(state) {
    const day = state?.day;
    return day?.is_done && day.day === this.puzzle?.day ? day : null;
  }

  /**
   * Show a puzzle; null shows the chat's round again.
   * @param {object|null} puzzle
   * @param {boolean} isUnrequested whether it is shown because there was nothing else
   */
  show(puzzle, isUnrequested = false) {
    this.puzzle = puzzle;
    this.#isUnrequested = isUnrequested;
    this.#isRequested = false;
    this.#answerId = null;
    this.#hasVerdict = false;
  }

  /** Note a press, which may be the one that requests the daily hand. */
  notePress(press) {
    this.#isRequested ||= press.startsWith(PRESS.showDailyHand);
  }

  /** Note the id of an answer to the puzzle. */
  noteAnswer(id) {
    this.#answerId = id;
    this.#hasVerdict = false;
  }

  /** Note that the entry with that id was refused for good. */
  noteRefusal(id) {
    if (id === this.#answerId) this.#answerId = null;
  }

  /** Whether an answer was given that has no verdict yet. */
  get isAwaitingVerdict() {
    return this.#answerId !== null && !this.#hasVerdict;
  }

  /** Whether an answer was given that was neither refused nor wrong. */
  get hasAnswer() {
    return this.#answerId !== null;
  }

  /** Note the verdict on an entry. Return whether the puzzle's answer came too late. */
  noteVerdict(id, isRight) {
    if (this.puzzle === null || id !== this.#answerId) return false;
    this.#hasVerdict = true;
    if (isRight === false) this.#answerId = null;
    return isRight === null || isRight === undefined; // neither right nor wrong
  }

  /** Whether a new state closes the puzzle: it was finished elsewhere, or was neither requested nor begun. */
  mustClose(state, isBegun) {
    const isFinishedElsewhere = this.isFinished(state) && !this.findResult(state);
    return isFinishedElsewhere || this.#store.isSolvedOffline(this.puzzle) || (this.#isUnrequested && !isBegun);
  }

  /** Whether the state calls the puzzle finished. */
  isFinished(state) {
    return Boolean(state.finished_days?.includes(this.puzzle?.day));
  }

  /**
   * Return the puzzle that a new state opens, and forget the request for it; null for none. It opens if it was
   * requested or begun before a reload, and at the reader's own table if it is new, unless another round is in play.
   * @param {object} state
   * @param {object|null} before the state before it
   */
  takeDuePuzzle(state, before) {
    const puzzle = this.findPlayable(state, false);
    if (!puzzle) return null;
    const isAtOwnTable = state.place.kind === "private";
    const isNewOrBegun = isAtOwnTable ? before?.day?.day !== puzzle.day : !before && this.#store.hasMoves(puzzle);
    if (!this.#isRequested && !isNewOrBegun) return null;
    this.#isRequested = false;
    return isInPlay(state.round) || isInPlay(state.beside?.round) ? null : puzzle;
  }
}
