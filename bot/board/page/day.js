/**
 * The hand of the day: the newest one is stored, and so is its answer until the bot has it. An answer that was given
 * without a connection gives no points, so the bot is told when that was. Several people may play in one browser, so
 * each has a store of their own; all windows of one person share it, and one of them sends what waits there.
 */
import { Entries, fresh, readEntries, runAlone } from "./entries.js";
import { keyOf } from "./laid.js";
import { hasTexts } from "./store.js";
import { say } from "./words.js";

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
  /** By what the other windows hear what the bot said of an answer; nothing stays there. */
  word = NOWHERE;

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
    [this.#hand, this.#answers, this.moves, this.word] = ["day", "day-answers", "day-moves", "day-word"].map(own);
  }

  /** Keep the hand of a state, if it has one, and what it says of the one that is kept. */
  keep(state) {
    for (const day of state.finished_days ?? []) this.done(day);
    if (state.day) this.#hand.write({ ...state.day, language: state.language });
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
    return !hand || hand.is_done || this.isDone(hand) || this.#answer(hand) ? null : puzzleOf(hand);
  }

  /** Whether moves were made on its tiles, which are kept. */
  isBegun(hand) {
    const kept = this.moves.read();
    return kept?.key === keyOf(puzzleOf(hand)) && kept.moves.length > 0;
  }

  /** The hand that is kept, if it was solved offline and its answer waits; null for none. */
  get solvedHand() {
    const kept = this.#newest;
    return kept && this.isSolved(kept) ? puzzleOf(kept) : null;
  }

  /** Whether its answer waits, and was given offline. */
  isSolved(hand) {
    return this.answer(hand) !== null;
  }

  /** Whether it is known to be over for its player, on whichever page that was heard. */
  isDone({ day }) {
    const kept = this.#newest;
    return kept?.day === day && kept.is_done === true;
  }

  /** The answer to that hand that waits and was given offline; null for none. */
  answer(hand) {
    const found = this.#answer(hand);
    return found && isOffline(found) ? found.answer : null;
  }

  #answer({ day }) {
    return this.waiting.find((each) => each.day === day);
  }

  /** The answers that wait to be sent. */
  get waiting() {
    return readEntries(this.#answers).filter((each) => hasTexts(each, "day"));
  }

  /** Whether an answer waits that was given offline. */
  get waits() {
    return this.waiting.some(isOffline);
  }

  /** The hand that is kept; null for none. */
  get #newest() {
    const kept = this.#hand.read();
    return hasTexts(kept, "day", "target") && [kept.numbers, kept.labels].every(Array.isArray) ? kept : null;
  }

  /**
   * Store an answer to the hand of that day, to be sent; `at` is when it was given, for one without a connection.
   * Returns the answer that waits from now on: where one of another window waits already it is that one.
   */
  add(day, answer, at = null) {
    const waits = this.#answer({ day });
    if (waits) return waits;
    const made = { id: fresh(), day, answer, ...(at !== null && { at: Math.floor(at) }) };
    this.#answers.write([...this.waiting, made]);
    return made;
  }

  /**
   * Returns what sends the answers that wait, in one window at a time.
   * @param {(path: string, body: object) => Promise<object|null>} post null when no answer comes
   * @param {{read: Function, write: Function}} made where the ids of this window's entries are kept
   * @param {{taken: Function, refused: Function, judged: (text: string) => void}} told the first two for answers that
   *   were given with a connection, as `Entries` has them; `judged` gets what the bot says of one given offline
   */
  makeSender(post, made, told) {
    const send = async (each) => {
      if (!isOffline(each)) return post("./entry", each);
      const answer = await post("./day", each);
      return answer?.ok && !answer.json() ? null : answer; // what the bot said of it was lost: send it again
    };
    const judge = (each, answer) => {
      const { text, done } = verdict(each, answer);
      if (done) this.done(each.day);
      this.word.write({ id: each.id, text });
      this.word.write(null);
      told.judged(text);
    };
    const isOver = ({ status }) => status === 401 || status === 403;
    const hear = {
      taken: (each, answer) => (isOffline(each) ? judge(each, answer) : told.taken(each)),
      refused: (each, answer) => (isOffline(each) && !isOver(answer) ? judge(each, answer) : told.refused(each, answer)),
    };
    return new Entries(send, { waiting: this.#answers, made }, hear, (work) => runAlone("day", work));
  }

  /** The hand of that day is over for its player. */
  done(day) {
    const kept = this.#newest;
    if (kept?.day === day) this.#hand.write({ ...kept, is_done: true });
  }
}

function isOffline({ at }) {
  return at !== undefined;
}

/** The hand of a day as a round's puzzle. */
export function puzzleOf(kept) {
  return { ...kept, id: `day:${kept.day}`, state: "open" };
}

/** What the bot says of an answer that was given offline, and whether its hand is done. */
function verdict({ day }, answer) {
  const said = answer.json();
  return { text: said?.text ?? say("Your answer to the hand of {day} could not be sent.", { day }), done: said?.done !== false };
}
