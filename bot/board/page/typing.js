/**
 * Playing by the keyboard: type what is written on a tile, `+ - * /` for an operation, Backspace to undo, Escape to begin
 * again, Enter to hand in. Figures that could begin several numbers wait for the next key: of the tiles 2 and 25,
 * `2` `5` is 25, and `2` with Enter or an operation behind it is 2. Where 25 alone begins so, `2` takes it, and a `5`
 * behind that is still its own. What stands in brackets is joined once they are closed, products before sums.
 */
import { OPERATIONS, typedNames } from "./expression.js";
import { operationName, tileName } from "./texts.js";
import { say } from "./words.js";

const SIGNS = { "+": "+", "-": "-", "−": "-", "*": "*", "×": "*", "/": "/", "÷": "/", ":": "/" };
const BRACKETS = { "(": "(", ")": ")", "（": "(", "）": ")" };
const COMMANDS = { Backspace: "undo", Delete: "undo", Escape: "reset", Enter: "enter" };
/** Seconds after which a figure is no longer the rest of a number that ended the hand before. */
const MEANT = 1;

export class Typing {
  #game;
  #text = "";
  /** What was typed from a bracket on that is still open, and the number and operation before it; null for none. */
  #opened = null;
  /** What was not typed yet of the name by which a tile was taken, when that was, and until when it is awaited. */
  #rest = { text: "", taken: 0, until: Infinity };

  /** @param {object} game what is tapped: `tap`, `operate`, `undo`, `reset`, `hand`, `inform`, its `table`, `screen` and `now` */
  constructor(game) {
    this.#game = game;
  }

  /** Nothing is typed any more. */
  clear() {
    this.#text = "";
    this.#opened = null;
    this.#await("");
  }

  /** Other tiles lie there: whoever was about to end a number has not seen them yet. */
  dealt() {
    [this.#text, this.#opened] = ["", null];
    this.#rest.until = this.#rest.taken + MEANT;
  }

  /**
   * A key, while the tiles are on the table; whether it was ours.
   * @param {string} key
   * @param {boolean} onControl whether a button has the focus, so that Enter is its own
   * @param {boolean} stays whether that is a tile, at which the focus was left since something was typed: the page put
   *   it there, so Enter goes on with what is typed
   */
  key(key, onControl, stays = false) {
    const meant = meaning(key);
    if (!meant) return false;
    if (meant.figure === "x" && !this.#names().flat().includes("X")) return this.key("*", onControl, stays);
    if (this.#opened && meant.command === "enter") return !onControl || stays;
    if (this.#opened && meant.command !== "reset") return this.#inBrackets(meant);
    if (meant.bracket) return this.#open(meant.bracket);
    if (meant.figure) return this.#figure(meant.figure);
    if (meant.op) return this.#operation(meant.op);
    if (meant.command === "enter") return this.#enter(onControl && !stays, stays);
    this.#game[meant.command]();
    return true;
  }

  /** The names that may be typed. The chosen tile's is left out: typing 3 twice takes both threes. */
  #names() {
    const { places, chosen } = this.#game.table;
    return places.map((each, at) => (each && at !== chosen ? typedNames(each) : []));
  }

  #open(bracket) {
    this.#settle();
    const { chosen, op } = this.#game.table;
    if (bracket === ")") return true;
    this.#opened = { text: "", before: op && { chosen, op } };
    return this.#inBrackets({ bracket });
  }

  #inBrackets({ command, figure, op, bracket }) {
    const { text, before } = this.#opened;
    const longer = command ? text.slice(0, -1) : text + (figure ?? op ?? bracket);
    const open = longer.split("(").length - longer.split(")").length;
    this.#opened = longer && open ? { text: longer, before } : null;
    const read = longer.toUpperCase().replace(/[-*/]/g, (sign) => OPERATIONS[sign].sign);
    if (open || !longer) this.#game.inform(longer && `${read}…`);
    else if (!this.#closed(parsed(longer), before)) this.#game.inform(say("{text} can’t be made of these numbers.", { text: read }));
    return true;
  }

  /** Joins what stood in brackets, and then what stood before them with it; whether all of it could be. */
  #closed(tree, before) {
    const names = this.#game.table.places.map((each, at) => (each && at !== before?.chosen ? typedNames(each).map(bare) : []));
    const placed = tree && placedIn(names, tree);
    if (!placed) return false;
    if (before) this.#game.operate(before.op);
    const place = this.#joined(placed);
    return place !== null && (!before || this.#joined({ op: before.op, left: before.chosen, right: place }) !== null);
  }

  /** The place where a tree of places is joined; null where that is not allowed. */
  #joined(tree) {
    if (typeof tree === "number") {
      if (this.#game.table.chosen === null) this.#game.tap(tree);
      return tree;
    }
    const [left, right] = [tree.left, tree.right].map((part) => part !== null && this.#joined(part));
    if (left === null || right === null) return null;
    const before = this.#game.table.moves.length;
    if (this.#game.table.chosen !== left) this.#game.tap(left);
    this.#game.operate(tree.op);
    this.#game.tap(right);
    return this.#game.table.moves.length > before ? right : null;
  }

  #figure(figure) {
    if (this.#isRest(figure)) return true;
    const text = this.#text + figure;
    const { place, waits, rest } = typed(text, this.#names());
    if (place !== null) this.#take(place);
    this.#await(rest);
    this.#text = waits ? text : "";
    if (place === null) this.#game.inform(waits ? `${text} …` : say("There is no {name} here.", { name: text.toUpperCase() }));
    return true;
  }

  /** A sign; but of the tiles 8 and 8/3, where the second number is asked for, `8` `/` `3` is 8/3. */
  #operation(op) {
    const fraction = `${this.#text}/`;
    const goesOn = op === "/" && this.#text && this.#game.table.op !== null;
    if (goesOn && this.#names().flat().some((name) => name.startsWith(fraction))) return this.#figure("/");
    if (this.#game.table.chosen === null && this.#isRest(op)) return true; // of a fraction that ended the hand before
    this.#settle();
    this.#game.operate(op);
    const { chosen, places } = this.#game.table;
    if (this.#game.table.op === op) this.#game.screen.tell(`${tileName(places[chosen])} ${operationName(op)}`);
    return true;
  }

  /** Enter takes what is typed, or hands in what was made; on a button it is the button's. */
  #enter(onControl, stays) {
    if (this.#settle()) return true;
    if (onControl || !this.#game.table.puzzle.accepts_near || !this.#game.table.moves.length) return stays;
    this.#game.hand();
    return true;
  }

  /** Whether that figure only ends the name by which a tile was taken. Any other one begins anew. */
  #isRest(figure) {
    const { text, until } = this.#rest;
    const isOwn = text.startsWith(figure) && this.#game.now() <= until;
    if (isOwn) this.#rest.text = text.slice(figure.length);
    else this.#await("");
    return isOwn;
  }

  #await(text) {
    this.#rest = { text, taken: this.#game.now(), until: Infinity };
  }

  /** Takes the tile that is named exactly as typed; whether there was one. */
  #settle() {
    const place = exact(this.#text, this.#names());
    this.clear();
    if (place !== null) this.#take(place);
    return place !== null;
  }

  /** Takes a tile. That it is chosen is told, since the focus is elsewhere; a merger tells itself. */
  #take(place) {
    const before = this.#game.table.moves.length;
    this.#game.tap(place);
    const { chosen, moves, places } = this.#game.table;
    if (chosen === place && moves.length === before) this.#game.screen.tell(tileName(places[place]));
  }
}

/** What a key means: `{command}`, `{op}`, `{bracket}`, `{figure}`, `{arrow}`, or null for nothing of ours. */
export function meaning(key) {
  if (COMMANDS[key]) return { command: COMMANDS[key] };
  if (SIGNS[key]) return { op: SIGNS[key] };
  if (BRACKETS[key]) return { bracket: BRACKETS[key] };
  if (/^Arrow(Left|Right|Up|Down)$/.test(key)) return { arrow: key.slice(5).toLowerCase() };
  return /^[0-9a-z]$/i.test(key) ? { figure: key.toLowerCase() } : null;
}

/**
 * What was typed until now, against the names of the tiles that may be taken, a list for each place.
 * @returns {{place: number|null, waits: boolean, rest: string}} the tile if it is certain, and what of its name was not
 *   typed; whether more may follow
 */
export function typed(text, names) {
  const fitting = names.flat().map(bare).filter((name) => name.startsWith(text));
  if (!text || !fitting.length) return { place: null, waits: false, rest: "" };
  const certain = fitting.every((name) => name === fitting[0]);
  if (!certain) return { place: null, waits: true, rest: "" };
  return { place: exact(fitting[0], names), waits: false, rest: fitting[0].slice(text.length) };
}

/** The tile that is named exactly so; null for none. */
export function exact(text, names) {
  const place = names.findIndex((each) => each.map(bare).includes(text));
  return text && place >= 0 ? place : null;
}

/** What was typed in brackets, as `{op, left, right}` or a name; null where it can't be read. */
export function parsed(text) {
  const parts = text.match(/[0-9a-z]+|[-+*/()]/g);
  const one = () => {
    const part = parts.shift();
    if (part !== "(") return /\w/.test(part ?? "") ? part : null;
    const inner = sum();
    return parts.shift() === ")" ? inner : null;
  };
  const row = (ops, next) => {
    let left = next();
    while (left && ops.includes(parts[0])) {
      const op = parts.shift();
      const right = next();
      left = right && { op, left, right };
    }
    return left;
  };
  const product = () => row(["*", "/"], one);
  const sum = () => row(["+", "-"], product);
  const whole = sum();
  return parts.length ? null : whole;
}

/** The tree with a place for each name, each taken once; null where one is missing. */
function placedIn(names, tree, taken = new Set()) {
  if (typeof tree !== "string") {
    const [left, right] = [tree.left, tree.right].map((part) => placedIn(names, part, taken));
    return left === null || right === null ? null : { ...tree, left, right };
  }
  const place = names.findIndex((each, at) => !taken.has(at) && each.includes(tree));
  taken.add(place);
  return place < 0 ? null : place;
}

function bare(name) {
  return name.replace(/^[-−]/, "").toLowerCase();
}
