/**
 * The day's hand without a connection: the newest one is kept, and so is its answer until the bot has it. It was
 * solved offline, which the bot is told and which gives no points. Each person's is kept apart: several people may
 * play in one browser.
 */
import { fresh } from "./entries.js";
import { keyOf } from "./laid.js";
import { say } from "./words.js";

/** What ends it: taken, or refused for what it is. All else passes, so it is sent again. */
const FINAL = new Set([200, 400, 409, 413, 415]);
/** Seconds from the beginning of its day for which the bot takes a hand that was solved offline. */
const LIFE = 3 * 86_400;
/** Where nobody's is kept. */
const NOWHERE = { read: () => null, write: () => {} };

export class Day {
  #kept;
  #now;
  #hand = NOWHERE;
  #answers = NOWHERE;
  /** Where the moves on its tiles survive a reload, apart from those of the hand on the table. */
  moves = NOWHERE;

  /**
   * @param {(name: string) => {read: Function, write: Function}} kept where values are kept by name
   * @param {() => number} now epoch seconds
   */
  constructor(kept, now = () => Date.now() / 1000) {
    [this.#kept, this.#now] = [kept, now];
  }

  /** Whose it is from now on: `{id}`; null where nobody knows. */
  of(person) {
    const own = (name) => (person ? this.#kept(`${name}:${person.id}`) : NOWHERE);
    [this.#hand, this.#answers, this.moves] = [own("day"), own("day-answers"), own("day-moves")];
  }

  /** Keep the hand of a state, if it has one, and what it says of the one that is kept. */
  keep(state) {
    for (const day of state.over ?? []) this.done(day);
    if (state.day && state.day.target) this.#hand.write({ ...state.day, language: state.language });
  }

  /** The hand that is kept, to be played, as a round's puzzle; null for none, and for one that is done or too old. */
  get hand() {
    const kept = this.#hand.read();
    return kept && this.#now() - Date.parse(kept.day) / 1000 > LIFE ? null : this.#playable(kept);
  }

  /** The same of the hand that a state shows. */
  shown(state) {
    return this.#playable(state.day);
  }

  #playable(hand) {
    return !hand || !hand.target || hand.done || this.isSolved(hand) ? null : puzzleOf(hand);
  }

  /** Whether moves were made on its tiles, which are kept. */
  isBegun(hand) {
    const kept = this.moves.read();
    return kept?.key === keyOf(puzzleOf(hand)) && kept.moves.length > 0;
  }

  /** The same when it was solved, and its answer waits; null for none. */
  get solvedHand() {
    const kept = this.#hand.read();
    return kept && this.isSolved(kept) ? puzzleOf(kept) : null;
  }

  /** Whether its answer waits to be sent. */
  isSolved(hand) {
    return this.#waiting.some((each) => each.day === hand.day);
  }

  /** The answer to that hand that waits; null for none. */
  answer(hand) {
    return this.#waiting.find((each) => each.day === hand.day)?.answer ?? null;
  }

  /** Whether any answer waits to be sent. */
  get waits() {
    return this.#waiting.length > 0;
  }

  get #waiting() {
    return this.#answers.read() ?? [];
  }

  /** The hand of that day was solved, at `now` by this machine's clock. */
  solved(day, answer, now) {
    this.#answers.write([...this.#waiting, { id: fresh(), day, answer, at: Math.floor(now) }]);
  }

  /**
   * Send what waits. What the bot took or refused for good waits no longer.
   * @param {(body: object) => Promise<{status: number, json: Function}>} post
   * @returns {Promise<string[]>} what the bot says of each
   */
  async send(post) {
    const said = [];
    for (const each of this.#waiting) {
      const answer = await post(each);
      if (!FINAL.has(answer.status)) break;
      const { text, done } = await told(answer, each.day);
      said.push(text);
      if (done) this.done(each.day);
      const left = this.#waiting.filter((other) => other.id !== each.id);
      this.#answers.write(left.length ? left : null);
    }
    return said;
  }

  /** The hand of that day is over for its player. */
  done(day) {
    const kept = this.#hand.read();
    if (kept?.day === day) this.#hand.write({ ...kept, done: true });
  }
}

function puzzleOf(kept) {
  return { game: "twentyfour", every: true, whole: false, near: false, ...kept, id: `day:${kept.day}`, state: "open" };
}

/** What the bot says of an answer, and whether its hand is done; where it says nothing, that it was not taken. */
async function told(answer, day) {
  const said = await answer.json().catch(() => null);
  const text = said?.text ?? say("Your answer to the hand of {day} could not be sent.", { day });
  return { text, done: said?.done !== false };
}
