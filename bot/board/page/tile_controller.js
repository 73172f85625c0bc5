/** Play with the tiles: make moves, store them over a reload, announce them, and report an answer. */
import { formatExpression } from "./expression.js";
import { isInPlay } from "./rounds.js";
import { canMerge, findObstacle, formatTilesAnswer, isBegun, judgeTiles } from "./tiles.js";
import { replayMoves, resetTiles, tapOperation, tapTile, undoStep } from "./tiles.js";
import { describeTile, describeTiles, describeValue, formatForbiddenMove, formatMiss } from "./texts.js";
import { say } from "./translations.js";

/**
 * @typedef {object} TileCallbacks
 * @property {(text: string, kind: string) => void} onMessage
 * @property {() => void} onMove the tiles have changed
 * @property {(answer: string) => void} onAnswer the target was made, or the reader submits a number
 * @property {(answer: string) => void} onMiss the last number is not the target
 * @property {() => void} onEnd called after each action, to draw
 * @property {() => void} onUndo for Telegram's back button
 */

export class TileController {
  #screen;
  #telegram;
  #callbacks;
  #key = null;
  #stored = null;
  /** @type {import("./tiles.js").Table|null} null without tiles */
  table = null;

  /**
   * @param {object} parts `screen` and `telegram`
   * @param {TileCallbacks} callbacks
   */
  constructor({ screen, telegram }, callbacks) {
    this.#screen = screen;
    this.#telegram = telegram;
    this.#callbacks = callbacks;
  }

  get isBegun() {
    return this.table !== null && isBegun(this.table);
  }

  /**
   * Deal the tiles of a round, with the stored moves on them; no tiles for a reader who only watches.
   * @param {object} round
   * @param {boolean} isWatching
   * @param {{read: Function, write: Function}} stored holds the moves
   * @returns {boolean} whether the tiles differ from those before
   */
  deal(round, isWatching, stored) {
    const hasTiles = !isWatching && isInPlay(round) && round.numbers.length > 0;
    const key = hasTiles ? identifyTiles(round) : null;
    if (key === this.#key) return false;
    this.#key = key;
    this.#stored = stored;
    const earlier = stored.read();
    const moves = earlier?.key === key ? earlier.moves : [];
    this.table = key && replayMoves(round, moves);
    this.#protectMoves();
    return true;
  }

  tapTile(place) {
    const before = this.table;
    const obstacle = before && findObstacle(before, place);
    if (obstacle) {
      this.#callbacks.onMessage(formatForbiddenMove(before, place, obstacle), "bad");
      this.#callbacks.onEnd();
      return;
    }
    this.#telegram.vibrateForTap();
    this.#setTable(tapTile(before, place));
    if (before.chosen !== place || this.table.chosen !== null) return;
    this.#screen.announce(say("{number}: no longer chosen.", { number: describeTile(before.places[place]) }));
  }

  tapOperation(op) {
    if (!canMerge(this.table)) return;
    if (this.table.chosen === null) this.#callbacks.onMessage(say("Choose a number first."), "info");
    this.#telegram.vibrateForTap();
    this.#setTable(tapOperation(this.table, op));
  }

  undo() {
    this.#goBack(say("Undo"), undoStep(this.table));
  }

  reset() {
    this.#goBack(say("Reset"), resetTiles(this.table));
  }

  /** Report the number that makes the target, else the chosen one, as the answer. */
  submit() {
    const answer = formatTilesAnswer(this.table);
    if (answer === null) this.#callbacks.onMessage(say("Choose the number to hand in."), "info");
    else this.#callbacks.onAnswer(answer);
    this.#callbacks.onEnd();
  }

  /** Reset the tiles for another idea; the message stays. */
  restart() {
    this.#setTable(resetTiles(this.table), { keepsMessage: true });
  }

  #setTable(table, { keepsMessage = false } = {}) {
    const before = this.table;
    const hasMerged = table.moves.length > before.moves.length && table !== before.beforeReset;
    if (table !== before && !keepsMessage) this.#callbacks.onMove();
    this.table = table;
    this.#stored.write({ key: this.#key, moves: table.moves });
    this.#protectMoves();
    if (hasMerged) this.#handleMerge();
    this.#callbacks.onEnd();
  }

  #protectMoves() {
    this.#telegram.protectMoves(this.isBegun, this.#callbacks.onUndo);
  }

  /** Set an earlier table, and announce its tiles if they differ. */
  #goBack(action, table) {
    const hasChanged = table !== this.table && table.moves !== this.table.moves;
    this.#setTable(table);
    if (hasChanged) this.#screen.announce(action + say(": ") + describeTiles(table));
  }

  #handleMerge() {
    const merged = this.table.places[this.table.merged];
    this.#telegram.vibrateForMerge();
    this.#screen.announce(`${formatExpression(merged)} = ${describeValue(merged.value)}`);
    const miss = formatMiss(this.table);
    const acceptsNear = this.table.puzzle.accepts_near;
    if (miss) this.#callbacks.onMessage(miss, acceptsNear ? "info" : "bad");
    if (miss && !acceptsNear) this.#callbacks.onMiss(formatTilesAnswer(this.table));
    if (judgeTiles(this.table) === "made") this.#callbacks.onAnswer(formatTilesAnswer(this.table));
  }
}

/** Return a text that differs between the tiles of all rounds and daily hands, under which moves are stored. */
export function identifyTiles({ id, numbers }) {
  return `${id} ${numbers.join(" ")}`;
}
