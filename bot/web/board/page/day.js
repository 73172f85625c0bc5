/**
 * The day's hand without a connection: the newest one is kept, and so is its answer until the bot has it. It was
 * solved offline, which the bot is told and which gives no points. Each person's is kept apart: several people may
 * play in one browser. Of several pages of one person any may send an answer; what the bot says of it is for the page
 * on which it was made, so the others leave that to it.
 */
import { fresh } from "./entries.js";
import { keyOf } from "./laid.js";
import { hasTexts, listed } from "./store.js";
import { say } from "./words.js";

/** What ends it: taken, or refused for what it is. All else passes, so it is sent again. */
const FINAL = new Set([200, 400, 409, 413, 415]);
const TELLS = new Set([200, 409]);
/** Seconds from the beginning of its day for which the bot takes a hand that was solved offline. */
const LIFE = 3 * 86_400;
/** So many verdicts are left for the pages whose answers they are about: some of those may have been closed. */
const LEFT = 5;
/** Where nobody's is kept. */
const NOWHERE = { read: () => null, write: () => {} };

export class Day {
  #kept;
  #now;
  #here;
  #hand = NOWHERE;
  #answers = NOWHERE;
  #verdicts = NOWHERE;
  #own = NOWHERE;
  #isSending = false;
  /** Where the moves on its tiles survive a reload, apart from those of the hand on the table. */
  moves = NOWHERE;

  /**
   * @param {(name: string) => {read: Function, write: Function}} kept where values are kept by name
   * @param {() => number} now epoch seconds
   * @param {(name: string) => {read: Function, write: Function}} here the same for this page alone
   */
  constructor(kept, now = () => Date.now() / 1000, here = kept) {
    [this.#kept, this.#now, this.#here] = [kept, now, here];
  }

  /** Whose it is from now on: `{id}`; null where nobody knows. */
  of(person) {
    const own = (name, where = this.#kept) => (person ? where(`${name}:${person.id}`) : NOWHERE);
    [this.#hand, this.#answers, this.moves] = [own("day"), own("day-answers"), own("day-moves")];
    [this.#verdicts, this.#own] = [own("day-verdicts"), own("day-own", this.#here)];
  }

  /** Keep the hand of a state, if it has one, and what it says of the one that is kept. */
  keep(state) {
    for (const day of state.over ?? []) this.done(day);
    if (state.day && state.day.target) this.#hand.write({ ...state.day, language: state.language });
  }

  /** The hand that is kept, to be played, as a round's puzzle; null for none, and for one that is done or too old. */
  get hand() {
    const kept = this.#newest;
    return kept && this.#now() - Date.parse(kept.day) / 1000 > LIFE ? null : this.#playable(kept);
  }

  /** The same of the hand that a state shows. */
  shown(state) {
    return this.#playable(state.day);
  }

  #playable(hand) {
    return !hand || !hand.target || hand.done || this.isDone(hand) || this.isSolved(hand) ? null : puzzleOf(hand);
  }

  /** Whether moves were made on its tiles, which are kept. */
  isBegun(hand) {
    const kept = this.moves.read();
    return kept?.key === keyOf(puzzleOf(hand)) && kept.moves.length > 0;
  }

  /** The same when it was solved, and its answer waits; null for none. */
  get solvedHand() {
    const kept = this.#newest;
    return kept && this.isSolved(kept) ? puzzleOf(kept) : null;
  }

  /** Whether its answer waits to be sent. */
  isSolved(hand) {
    return this.#waiting.some((each) => each.day === hand.day);
  }

  /** Whether it is known to be over for its player, on whichever page that was heard. */
  isDone({ day }) {
    const kept = this.#newest;
    return kept?.day === day && kept.done === true;
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
    return listed(this.#answers, (each) => hasTexts(each, "id", "day", "answer"));
  }

  /** The hand that is kept; null for none. */
  get #newest() {
    const kept = this.#hand.read();
    return hasTexts(kept, "day", "target") && [kept.numbers, kept.shown].every(Array.isArray) ? kept : null;
  }

  /** The hand of that day was solved, at `now` by this machine's clock; where another window was first, that counts. */
  solved(day, answer, now) {
    if (this.isSolved({ day })) return;
    const id = fresh();
    this.#own.write([...this.#owned, id].slice(-LEFT));
    this.#answers.write([...this.#waiting, { id, day, answer, at: Math.floor(now) }]);
  }

  get #owned() {
    return listed(this.#own, (id) => typeof id === "string");
  }

  get #left() {
    return listed(this.#verdicts, (each) => hasTexts(each, "id", "text"));
  }

  #isOwn(id) {
    return this.#owned.includes(id);
  }

  /** What the bot said to another page of answers that were made on this one: each is told once. */
  left() {
    const all = this.#left;
    const [own, rest] = [true, false].map((wanted) => all.filter(({ id }) => this.#isOwn(id) === wanted));
    if (own.length) this.#verdicts.write(rest.length ? rest : null);
    return own.map(({ text }) => text);
  }

  /**
   * Send what waits, unless that is being done. What the bot took or refused for good waits no longer.
   * @param {(body: object) => Promise<{status: number, json: Function}|null>} post null when no answer comes
   * @param {boolean} others whether answers that were made on other pages are sent as well
   * @param {(day: string) => boolean} first whether an answer to the hand of that day waits that was given with a
   *   connection: it goes first, since of two only the one that comes first counts
   * @returns {Promise<string[]>} what the bot says of each
   */
  async send(post, others = true, first = () => false) {
    if (this.#isSending) return [];
    this.#isSending = true;
    try {
      return await this.#sent(post, others, first);
    } finally {
      this.#isSending = false;
    }
  }

  async #sent(post, others, first) {
    const said = [];
    const waits = ({ id }) => this.#waiting.some((each) => each.id === id);
    for (const each of this.#waiting.filter(({ id }) => others || this.#isOwn(id))) {
      if (first(each.day)) continue;
      if (!waits(each)) continue; // another page has sent it meanwhile
      const { text, done } = await this.#verdict(post, each);
      if (!text) break;
      if (!waits(each)) continue; // … and that one was answered first
      said.push(text);
      if (!this.#isOwn(each.id)) this.#verdicts.write([...this.#left, { id: each.id, text }].slice(-LEFT));
      if (done) this.done(each.day);
      this.#keepOnly(({ id }) => id !== each.id);
    }
    return said;
  }

  /** What the bot says of an answer; nothing where it is to be sent again. */
  async #verdict(post, each) {
    const answer = await post(each);
    return FINAL.has(answer?.status) ? told(answer, each.day) : {};
  }

  /** The hand of that day was solved with a connection: what was given without one is nothing any more. */
  drop(day) {
    if (this.isSolved({ day })) this.#keepOnly((each) => each.day !== day);
  }

  #keepOnly(isLeft) {
    const left = this.#waiting.filter(isLeft);
    this.#answers.write(left.length ? left : null);
  }

  /** The hand of that day is over for its player. */
  done(day) {
    const kept = this.#newest;
    if (kept?.day === day) this.#hand.write({ ...kept, done: true });
  }
}

function puzzleOf(kept) {
  return { game: "twentyfour", every: true, whole: false, near: false, ...kept, id: `day:${kept.day}`, state: "open" };
}

/** What the bot says of an answer, and whether its hand is done; of one that it refuses it says nothing. Nothing where that is lost. */
function told(answer, day) {
  const said = answer.json();
  if (!said && TELLS.has(answer.status)) return {};
  const text = said?.text ?? say("Your answer to the hand of {day} could not be sent.", { day });
  return { text, done: said?.done !== false };
}
