/**
 * The hands of a storm or streak, of which the bot sends some ahead: the page goes on to the next one before the bot has
 * judged the answer, also without a connection.
 */
import { isInPlay } from "./rounds.js";

export class RunHands {
  #runId = null;
  #number = 0; // of the hand that the reader sees, from 1

  /** Return the state with the hand to which the reader has come; other rounds as they are. */
  select(state) {
    const { round } = state;
    if (!round?.run || !isInPlay(round)) return state;
    const { id, number, ahead } = round.run;
    if (id !== this.#runId) this.#number = 0;
    this.#runId = id;
    this.#number = Math.max(this.#number, number);
    const tiles = ahead[this.#number - number - 1]; // undefined for the bot's present hand
    return { ...state, round: { ...round, ...tiles, id: `${id}.${this.#number}` } };
  }

  /** Go on to the next hand; return whether there is one. `state` is the one given to `select`. */
  advance({ round }) {
    if (!round?.run || this.#number - round.run.number >= round.run.ahead.length) return false;
    this.#number += 1;
    return true;
  }

  /** Go back to the bot's present hand: it has not accepted an answer. */
  reset() {
    this.#number = 0;
  }
}
