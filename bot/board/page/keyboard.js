/**
 * Play with the keyboard: type the name of a tile to choose it, `+ - * /` for an operation, Backspace to undo, Escape
 * to reset, Enter to submit. Digits with which several names begin wait for the next key: with tiles 2 and 25, `2` `5`
 * is 25, and `2` before Enter or an operation is 2. With 25 alone, `2` chooses it, and a `5` after that is swallowed.
 * Numbers in brackets are merged when the bracket is closed, products before sums.
 */
import { listTypedNames, OPERATIONS } from "./expression.js";
import { describeTile, nameOperation } from "./texts.js";
import { say } from "./translations.js";

const OPERATION_KEYS = { "+": "+", "-": "-", "−": "-", "*": "*", "×": "*", "/": "/", "÷": "/", ":": "/" };
const BRACKET_KEYS = { "(": "(", ")": ")", "（": "(", "）": ")" };
const COMMAND_KEYS = { Backspace: "undo", Delete: "undo", Escape: "reset", Enter: "enter" };
/** For this long after a hand has ended, the rest of the last tile's name is swallowed. */
const MAX_REST_SECONDS = 1;

export class KeyboardInput {
  #game;
  /** Typed characters of a name that is not complete. */
  #typed = "";
  /** `{text, before}` of an open bracket; `before` is `{chosen, op}`, null without an operation before the bracket. */
  #bracket = null;
  /** `{text, since, until}`: characters of the name of the last chosen tile that may still be typed, in seconds. */
  #rest = { text: "", since: 0, until: Infinity };

  /** @param {import("./game.js").Game} game */
  constructor(game) {
    this.#game = game;
  }

  /** Forget what was typed. */
  clear() {
    this.#typed = "";
    this.#bracket = null;
    this.#expectRest("");
  }

  /** Note that other tiles were dealt: a reader who still types a name has not seen them. */
  noteDeal() {
    this.#typed = "";
    this.#bracket = null;
    this.#rest.until = this.#rest.since + MAX_REST_SECONDS;
  }

  /**
   * Handle a key while there are tiles; return whether it was used.
   * @param {string} key
   * @param {boolean} isOnControl whether a button has the focus, which then gets Enter
   * @param {boolean} isTyping whether that is a tile which the page focused since the reader types: then it does not
   */
  handleKey(key, isOnControl, isTyping = false) {
    const meaning = interpretKey(key);
    if (!meaning) return false;
    const { command, op, bracket, character } = meaning;
    if (character === "x" && !this.#listNames().flat().includes("X")) return this.handleKey("*", isOnControl, isTyping);
    if (this.#bracket && command === "enter") return !isOnControl || isTyping;
    if (this.#bracket && command !== "reset") return this.#typeInBracket(meaning);
    if (bracket) return this.#typeBracket(bracket);
    if (character) return this.#typeCharacter(character);
    if (op) return this.#typeOperation(op);
    if (command === "enter") return this.#typeEnter(isOnControl && !isTyping, isTyping);
    this.#game[command]();
    return true;
  }

  /** List the names that can be typed, by place. The chosen tile has none, so that 3 typed twice takes both threes. */
  #listNames() {
    const { places, chosen } = this.#game.table;
    return places.map((each, place) => (each && place !== chosen ? listTypedNames(each) : []));
  }

  #typeBracket(bracket) {
    this.#completeName();
    if (bracket === ")") return true;
    const { chosen, op } = this.#game.table;
    this.#bracket = { text: "", before: op && { chosen, op } };
    return this.#typeInBracket({ bracket });
  }

  #typeInBracket({ command, character, op, bracket }) {
    const { text, before } = this.#bracket;
    const next = command ? text.slice(0, -1) : text + (character ?? op ?? bracket);
    const isOpen = next.split("(").length > next.split(")").length;
    this.#bracket = next && isOpen ? { text: next, before } : null;
    const shown = next.toUpperCase().replace(/[-*/]/g, (sign) => OPERATIONS[sign].sign);
    if (isOpen || !next) this.#game.showMessage(next && `${shown}…`);
    else if (!this.#mergeBracket(next, before)) {
      this.#game.showMessage(say("{text} can’t be made of these numbers.", { text: shown }));
    }
    return true;
  }

  /** Merge the numbers in a closed bracket, then the number before it with them; return whether that was possible. */
  #mergeBracket(text, before) {
    const { places } = this.#game.table;
    const names = places.map((each, place) => {
      return each && place !== before?.chosen ? listTypedNames(each).map(normalizeName) : [];
    });
    const tree = parseExpression(text);
    const placeTree = tree && assignPlaces(names, tree);
    if (!placeTree) return false;
    if (before) this.#game.tapOperation(before.op);
    const place = this.#mergeTree(placeTree);
    if (place === null || !before) return place !== null;
    return this.#mergeTree({ op: before.op, left: before.chosen, right: place }) !== null;
  }

  /** Merge a tree of places; return the place of the result, null if a merger is not allowed. */
  #mergeTree(tree) {
    const game = this.#game;
    if (typeof tree === "number") {
      if (game.table.chosen === null) game.tapTile(tree);
      return tree;
    }
    const left = this.#mergeTree(tree.left);
    const right = this.#mergeTree(tree.right);
    if (left === null || right === null) return null;
    const movesBefore = game.table.moves.length;
    if (game.table.chosen !== left) game.tapTile(left);
    game.tapOperation(tree.op);
    game.tapTile(right);
    return game.table.moves.length > movesBefore ? right : null;
  }

  #typeCharacter(character) {
    if (this.#swallowRest(character)) return true;
    const typed = this.#typed + character;
    const { place, isIncomplete, rest } = matchName(typed, this.#listNames());
    if (place !== null) this.#chooseTile(place);
    this.#expectRest(rest);
    this.#typed = isIncomplete ? typed : "";
    if (isIncomplete) this.#game.showMessage(`${typed} …`);
    else if (place === null) this.#game.showMessage(say("There is no {name} here.", { name: typed.toUpperCase() }));
    return true;
  }

  /** Choose an operation; but with tiles 8 and 8/3, when the second number is expected, `8` `/` `3` is 8/3. */
  #typeOperation(op) {
    if (op === "/" && this.#canContinueFraction()) return this.#typeCharacter("/");
    const isNewHand = this.#game.table.chosen === null; // the slash may belong to a fraction that ended the hand before
    if (isNewHand && this.#swallowRest(op)) return true;
    this.#completeName();
    this.#game.tapOperation(op);
    const { chosen, op: chosenOp, places } = this.#game.table;
    if (chosenOp === op) this.#game.screen.announce(`${describeTile(places[chosen])} ${nameOperation(op)}`);
    return true;
  }

  #canContinueFraction() {
    if (!this.#typed || this.#game.table.op === null) return false;
    return this.#listNames().flat().some((name) => name.startsWith(`${this.#typed}/`));
  }

  /** Complete the typed name, or submit what was merged, unless a control gets the key. */
  #typeEnter(isOnControl, isTyping) {
    if (this.#completeName()) return true;
    const { puzzle, moves } = this.#game.table;
    if (isOnControl || !puzzle.accepts_near || !moves.length) return isTyping;
    this.#game.submit();
    return true;
  }

  /** Swallow a character that only completes the name of the last chosen tile; any other one ends that. */
  #swallowRest(character) {
    const { text, until } = this.#rest;
    const isRest = text.startsWith(character) && this.#game.now() <= until;
    if (isRest) this.#rest.text = text.slice(character.length);
    else this.#expectRest("");
    return isRest;
  }

  #expectRest(text) {
    this.#rest = { text, since: this.#game.now(), until: Infinity };
  }

  /** Choose the tile with exactly the typed name; return whether there was one. */
  #completeName() {
    const place = findPlace(this.#typed, this.#listNames());
    this.clear();
    if (place !== null) this.#chooseTile(place);
    return place !== null;
  }

  /** Tap a tile. Its choice is announced, since the focus is elsewhere; a merger is announced by the game. */
  #chooseTile(place) {
    const movesBefore = this.#game.table.moves.length;
    this.#game.tapTile(place);
    const { chosen, moves, places } = this.#game.table;
    if (chosen === place && moves.length === movesBefore) this.#game.screen.announce(describeTile(places[place]));
  }
}

/** Return what a key means: `{command}`, `{op}`, `{bracket}`, `{character}` or `{arrow}`; null for any other key. */
export function interpretKey(key) {
  if (COMMAND_KEYS[key]) return { command: COMMAND_KEYS[key] };
  if (OPERATION_KEYS[key]) return { op: OPERATION_KEYS[key] };
  if (BRACKET_KEYS[key]) return { bracket: BRACKET_KEYS[key] };
  if (/^Arrow(Left|Right|Up|Down)$/.test(key)) return { arrow: key.slice(5).toLowerCase() };
  return /^[0-9a-z]$/i.test(key) ? { character: key.toLowerCase() } : null;
}

/**
 * Match typed characters with the names of the tiles, a list for each place.
 * @returns {{place: number|null, isIncomplete: boolean, rest: string}} the tile if only one name fits, with the
 *   characters of its name that were not typed; whether more characters are needed to tell the tiles apart
 */
export function matchName(text, names) {
  const fitting = names.flat().map(normalizeName).filter((name) => name.startsWith(text));
  if (!text || !fitting.length) return { place: null, isIncomplete: false, rest: "" };
  const [name] = fitting;
  if (fitting.some((each) => each !== name)) return { place: null, isIncomplete: true, rest: "" };
  return { place: findPlace(name, names), isIncomplete: false, rest: name.slice(text.length) };
}

/** Return the first place with exactly this name; null for none. */
export function findPlace(text, names) {
  const place = names.findIndex((each) => each.map(normalizeName).includes(text));
  return text && place >= 0 ? place : null;
}

/** Parse a typed expression into names and `{op, left, right}`; null if it is incomplete or wrong. */
export function parseExpression(text) {
  const tokens = text.match(/[0-9a-z]+|[-+*/()]/g);
  function parseOperand() {
    const token = tokens.shift();
    if (token !== "(") return /\w/.test(token ?? "") ? token : null;
    const inner = parseSum();
    return tokens.shift() === ")" ? inner : null;
  }
  function parseChain(ops, parsePart) {
    let left = parsePart();
    while (left && ops.includes(tokens[0])) {
      const op = tokens.shift();
      const right = parsePart();
      left = right && { op, left, right };
    }
    return left;
  }
  const parseProduct = () => parseChain(["*", "/"], parseOperand);
  const parseSum = () => parseChain(["+", "-"], parseProduct);
  const tree = parseSum();
  return tokens.length ? null : tree;
}

/** Return the tree with a place for each name, each used once; null if a name has no place. */
function assignPlaces(names, tree, used = new Set()) {
  if (typeof tree !== "string") {
    const left = assignPlaces(names, tree.left, used);
    const right = assignPlaces(names, tree.right, used);
    return left === null || right === null ? null : { op: tree.op, left, right };
  }
  const place = names.findIndex((each, index) => !used.has(index) && each.includes(tree));
  used.add(place);
  return place < 0 ? null : place;
}

/** Remove the minus, since keys type it as an operation. */
function normalizeName(name) {
  return name.replace(/^[-−]/, "").toLowerCase();
}
