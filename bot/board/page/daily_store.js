/**
 * What the browser stores of the daily hand: the newest hand, the moves on it, and answers until the bot has them. An
 * answer given offline gives no points, so its time is sent to the bot. Each person has a store of their own, which
 * all their windows share; one of these windows sends the answers.
 */
import { createId, EntryQueue, readEntries, runInOneWindow } from "./entries.js";
import { hasStrings } from "./storage.js";
import { identifyTiles } from "./tile_controller.js";
import { say } from "./translations.js";

/** The bot accepts offline solutions of a hand for this long from the start of its day. */
const MAX_AGE_SECONDS = 3 * 86_400;
const NO_VALUE = { read: () => null, write: () => {} }; // while the person is unknown

export class DailyStore {
  #openValue;
  #now;
  #hand = NO_VALUE;
  #answers = NO_VALUE;
  /** The moves on the hand's tiles, as `TileController` stores them. */
  moves = NO_VALUE;
  /** The bot's verdict on an offline answer. It is deleted at once, since it only tells other windows. */
  verdict = NO_VALUE;

  /**
   * @param {(name: string) => {read: Function, write: Function}} openValue returns a stored value by name
   * @param {() => number} now epoch seconds
   */
  constructor(openValue, now = () => Date.now() / 1000) {
    this.#openValue = openValue;
    this.#now = now;
  }

  /** Open the store of a person, `{id}`; null stores nothing. */
  setPerson(person) {
    const open = (name) => (person ? this.#openValue(`${name}:${person.id}`) : NO_VALUE);
    this.#hand = open("day");
    this.#answers = open("day-answers");
    this.moves = open("day-moves");
    this.verdict = open("day-word");
  }

  /** Store the daily hand of a state, if it has one, and mark the hands that it calls finished. */
  storeHand(state) {
    for (const day of state.finished_days ?? []) this.markFinished(day);
    if (state.day) this.#hand.write({ ...state.day, language: state.language });
  }

  /** The stored hand as a puzzle; null if there is none, or if it is finished, answered or too old. */
  get playablePuzzle() {
    const hand = this.#storedHand;
    const isTooOld = hand && this.#now() - Date.parse(hand.day) / 1000 > MAX_AGE_SECONDS;
    return isTooOld ? null : this.findPlayable(hand);
  }

  /** Return a state's `day` as a puzzle; null if there is none, or if it is finished or answered. */
  findPlayable(hand) {
    if (!hand || hand.is_done || this.isFinished(hand) || this.#findWaiting(hand)) return null;
    return makeDailyPuzzle(hand);
  }

  /** Whether moves on the hand are stored. */
  hasMoves(hand) {
    const stored = this.moves.read();
    return stored?.key === identifyTiles(makeDailyPuzzle(hand)) && stored.moves.length > 0;
  }

  /** The stored hand as a puzzle if it was solved offline, and its answer waits; else null. */
  get solvedPuzzle() {
    const hand = this.#storedHand;
    return hand && this.isSolvedOffline(hand) ? makeDailyPuzzle(hand) : null;
  }

  /** Whether an offline answer to the hand waits to be sent. */
  isSolvedOffline(hand) {
    return this.getOfflineAnswer(hand) !== null;
  }

  /** Whether the hand is over for this person, as the bot has told any of their pages. */
  isFinished({ day }) {
    const hand = this.#storedHand;
    return hand?.day === day && hand.is_done === true;
  }

  /** Return the offline answer to the hand that waits to be sent; null for none. */
  getOfflineAnswer(hand) {
    const waiting = this.#findWaiting(hand);
    return waiting && isOffline(waiting) ? waiting.answer : null;
  }

  #findWaiting({ day }) {
    return this.waitingAnswers.find((each) => each.day === day);
  }

  get waitingAnswers() {
    return readEntries(this.#answers).filter((each) => hasStrings(each, "day"));
  }

  /** Whether an offline answer to any daily hand waits to be sent. */
  get hasOfflineAnswer() {
    return this.waitingAnswers.some(isOffline);
  }

  /** The stored hand; null if there is none, or if it has another shape. */
  get #storedHand() {
    const hand = this.#hand.read();
    const isValid = hasStrings(hand, "day", "target") && [hand.numbers, hand.labels].every(Array.isArray);
    return isValid ? hand : null;
  }

  /**
   * Store an answer to be sent, and return it. If an answer to that day's hand waits already, it is returned instead.
   * @param {string} day
   * @param {string} answer
   * @param {number|null} offlineTime when it was given, for an offline answer
   */
  addAnswer(day, answer, offlineTime = null) {
    const waiting = this.#findWaiting({ day });
    if (waiting) return waiting;
    const entry = { id: createId(), day, answer, ...(offlineTime !== null && { at: Math.floor(offlineTime) }) };
    this.#answers.write([...this.waitingAnswers, entry]);
    return entry;
  }

  /**
   * Return the queue that sends the answers, in one window at a time.
   * @param {(path: string, body: object) => Promise<object|null>} post
   * @param {{read: Function, write: Function}} ownIds holds the ids of this window's entries
   * @param {object} callbacks `onAccepted` and `onRefused` as for `EntryQueue`, for answers that are not offline;
   *   `onVerdict` gets the bot's text about an offline answer
   */
  makeQueue(post, ownIds, { onAccepted, onRefused, onVerdict }) {
    const handleVerdict = (entry, response) => onVerdict(this.#storeVerdict(entry, response));
    const callbacks = {
      onAccepted: (entry, response) => {
        if (isOffline(entry)) handleVerdict(entry, response);
        else onAccepted(entry, response);
      },
      onRefused: (entry, response) => {
        const isSessionOver = response.status === 401 || response.status === 403;
        if (isOffline(entry) && !isSessionOver) handleVerdict(entry, response);
        else onRefused(entry, response);
      },
    };
    const stored = { waiting: this.#answers, ownIds };
    const runExclusively = (work) => runInOneWindow("day", work);
    return new EntryQueue((entry) => postAnswer(post, entry), stored, callbacks, runExclusively);
  }

  /** Store the verdict on an offline answer for the other windows; return its text. */
  #storeVerdict({ id, day }, response) {
    const verdict = response.json();
    const text = verdict?.text ?? say("Your answer to the hand of {day} could not be sent.", { day });
    if (verdict?.done !== false) this.markFinished(day);
    this.verdict.write({ id, text });
    this.verdict.write(null);
    return text;
  }

  markFinished(day) {
    const hand = this.#storedHand;
    if (hand?.day === day) this.#hand.write({ ...hand, is_done: true });
  }
}

/** Send an answer; null if no verdict on an offline one arrives, so that it is sent again. */
async function postAnswer(post, entry) {
  if (!isOffline(entry)) return post("./entry", entry);
  const response = await post("./day", entry);
  return response?.ok && !response.json() ? null : response;
}

function isOffline({ at }) {
  return at !== undefined;
}

/** Return a daily hand with the fields of a round. */
export function makeDailyPuzzle(hand) {
  return { ...hand, id: `day:${hand.day}`, state: "open" };
}
