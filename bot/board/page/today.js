/**
 * The day's hand, as it lies before its reader in place of the table: what there is of it to play, and when it comes
 * and goes by itself. What was made of it with a connection is an answer like any other.
 */
import { isPlayed } from "./news.js";

/** How the press begins that shows today's hand, from which on its reader's time runs. */
const TODAYS = "do:";

export class Today {
  #day;
  #awaited = false;
  #handed = null;
  #judged = false;
  #unasked = false;
  /** The hand that lies there, as a round's puzzle; null for none. */
  hand = null;

  /** @param {import("./day.js").Day} day what is kept of it */
  constructor(day) {
    this.#day = day;
  }

  /** What there is to play: with a connection what the bot shows; null for none, and where it was handed in. */
  playable(state, isAway) {
    return isAway || !state ? this.#day.hand : this.#day.shown(state);
  }

  /** How today's hand stands whose time runs: to be "played", or "solved" offline; null for none, and once it is done. */
  stand(state) {
    if (state?.day && this.#day.isSolved(state.day)) return "solved";
    return state && this.#day.shown(state) ? "played" : null;
  }

  /** It lies there from now on; `unasked` by itself, since there was nothing else to show. */
  lay(hand, unasked = false) {
    [this.hand, this.#unasked, this.#awaited, this.#handed, this.#judged] = [hand, unasked, false, null, false];
  }

  /** A button was pressed: perhaps the one that asks for it. */
  pressed(press) {
    this.#awaited ||= press.startsWith(TODAYS);
  }

  /** An answer to it was handed in, by that id. */
  handedIn(id) {
    [this.#handed, this.#judged] = [id, false];
  }

  /** What was handed in by that id is refused for good. */
  refused(id) {
    if (id === this.#handed) this.#handed = null;
  }

  /** Whether what was handed in has not been judged yet. */
  get isOnItsWay() {
    return this.#handed !== null && !this.#judged;
  }

  /** Whether one was, and was not called wrong. */
  get isHandedIn() {
    return this.#handed !== null;
  }

  /** Whether the bot's word on what was handed in is that it came too late: it calls that neither right nor wrong. */
  isTooLate(id, right) {
    if (this.hand === null || id !== this.#handed) return false;
    this.#judged = true;
    if (right === false) this.#handed = null;
    return (right ?? null) === null;
  }

  /** Whether it goes as that state comes: it is done, or lies there unasked and untouched. */
  goes(state, isBegun) {
    return this.isDone(state) || this.#day.isSolved(this.hand) || (this.#unasked && !isBegun);
  }

  /** Whether the bot says that it is done. */
  isDone(state) {
    return Boolean(state.finished_days?.includes(this.hand?.day));
  }

  /**
   * What is laid at once as that state comes, if anything: what was asked for by its button, or begun before a reload,
   * as long as nothing else is played.
   */
  due(state, isFirst) {
    const hand = this.playable(state, false);
    if (!hand || !(this.#awaited || (isFirst && this.#day.isBegun(hand)))) return null;
    this.#awaited = false;
    return [state, state.beside].some((each) => isPlayed(each?.round)) ? null : hand;
  }
}
