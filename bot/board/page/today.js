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

  /** What the bot says of the end of the hand that lies there; null as long as it isn't over. */
  result(state) {
    const { day } = state ?? {};
    return day?.is_done && day.day === this.hand?.day ? day : null;
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

  /** Whether it goes as that state comes: it is done elsewhere, or lies there unasked and untouched. */
  goes(state, isBegun) {
    const isDone = this.isDone(state) && !this.result(state);
    return isDone || this.#day.isSolved(this.hand) || (this.#unasked && !isBegun);
  }

  /** Whether the bot says that it is done. */
  isDone(state) {
    return Boolean(state.finished_days?.includes(this.hand?.day));
  }

  /**
   * What is laid at once as that state comes, if anything: what was asked for by its button or begun before a reload,
   * and at one's own table what runs, as long as nothing else is played.
   * @param {object|null} before the state before it
   */
  due(state, before) {
    const hand = this.playable(state, false);
    const isNews = state.place.kind === "private" ? before?.day?.day !== hand?.day : !before && hand && this.#day.isBegun(hand);
    if (!hand || !(this.#awaited || isNews)) return null;
    this.#awaited = false;
    return [state, state.beside].some((each) => isPlayed(each?.round)) ? null : hand;
  }
}
