/**
 * The tiles on the screen: cards as in the bot's pictures or plain tiles, and chips for merged numbers. A place keeps
 * its button, so that the focus stays.
 */
import { createButton, createElement, createScreenReaderText } from "./dom.js";
import { setAttributes, setMathText, setText, toAriaBoolean } from "./dom.js";
import { formatExpression, formatValue, hasLetter, OPERATIONS } from "./expression.js";
import { canMerge, dealTiles, findObstacle, getAnswer, isBegun } from "./tiles.js";
import { describeTile, formatObstacle, nameOperation } from "./texts.js";
import { say } from "./translations.js";

/** The sheet of cards has a row for each suit, and a column for each rank from the ace on. */
const SUITS = "♠♥♦♣";
const RANKS = 13;
/** Height of a card on the sheet, with its shadow, by that of its button; as in board.css. */
const SHEET_ZOOM = 1.02;
const MAX_BREADTH = 6;

export class TilesView {
  #actions;
  #places = [];
  #moveCount = 0;

  /** @param {{tapTile: Function, tapOperation: Function, undo: Function, reset: Function, submit: Function}} actions */
  constructor(actions) {
    this.#actions = actions;
    this.tiles = createElement("ul", { class: "tiles" });
    this.expression = createElement("p", { class: "expression" });
    this.keys = createElement("p", { class: "keys" });
    this.operations = createElement("div", { class: "operations", role: "group" });
    this.signs = Object.keys(OPERATIONS).map((op) => {
      return createButton(OPERATIONS[op].sign, () => actions.tapOperation(op), { class: "sign" });
    });
    this.operations.append(...this.signs);
    this.undo = createButton("", () => actions.undo(), { class: "tool" });
    this.reset = createButton("", () => actions.reset(), { class: "tool" });
    this.submit = createButton("", () => actions.submit(), { class: "tool main", hidden: true });
    this.tools = createElement("div", { class: "tools" }, this.undo, this.reset, this.submit);
    const parts = [this.tiles, this.expression, this.operations, this.tools, this.keys];
    this.node = createElement("div", { class: "table" }, ...parts);
  }

  /** @param {import("./tiles.js").Table} table */
  draw(table) {
    this.#ensurePlaces(table.places.length);
    const count = table.places.length;
    setAttributes(this.tiles, { "aria-label": say("Numbers"), "data-count": count, "data-cards": hasCards(table) });
    const focusedPlace = this.#places.findIndex(({ button }) => button === document.activeElement);
    this.#animateMerge(table);
    table.places.forEach((_, place) => this.#drawTile(table, place));
    if (focusedPlace >= 0 && !table.places[focusedPlace]) this.#places[table.merged]?.button.focus();
    this.#drawExpression(table);
    this.#drawControls(table);
  }

  /** Move the focus to the next tile; to the first one if it is on none. */
  moveFocus(direction) {
    const buttons = this.#places.map(({ button }) => button).filter((each) => !each.hidden);
    const index = buttons.indexOf(document.activeElement);
    const step = direction === "left" || direction === "up" ? -1 : 1;
    buttons.at(index < 0 ? 0 : (index + step) % buttons.length)?.focus();
  }

  #ensurePlaces(count) {
    if (this.#places.length === count) return;
    this.#places = Array.from({ length: count }, (_, place) => this.#createPlace(place));
    this.tiles.replaceChildren(...this.#places.map(({ item }) => item));
  }

  #createPlace(place) {
    const note = createElement("span", { class: "note", id: `note-${place}`, "aria-hidden": "true" });
    const name = createScreenReaderText("");
    const face = createElement("span", { class: "face", "aria-hidden": "true" });
    const button = createButton("", () => this.#actions.tapTile(place), { class: "tile" });
    button.append(name, face, note);
    return { button, name, face, note, item: createElement("li", { class: "place" }, button) };
  }

  #drawTile(table, place) {
    const { button, item, name, face, note } = this.#places[place];
    const expression = table.places[place];
    setAttributes(button, { hidden: !expression });
    setAttributes(item, { "aria-hidden": expression ? null : "true" });
    if (!expression) return void setText(note, "");
    const obstacle = findObstacle(table, place);
    const noteText = obstacle ? formatObstacle(obstacle) : formatNote(expression);
    setAttributes(button, {
      class: getTileClass(expression),
      "aria-pressed": toAriaBoolean(table.chosen === place),
      "aria-disabled": obstacle ? "true" : null,
      "aria-describedby": noteText ? `note-${place}` : null,
      "data-breadth": Math.min(countDigits(expression.value), MAX_BREADTH),
    });
    setText(name, describeTile(expression));
    setText(note, noteText);
    showCardFace(button, expression);
    setMathText(face, isCard(expression) ? "" : formatValue(expression.value));
  }

  #drawExpression(table) {
    const expression = table.places[table.chosen ?? table.merged];
    if (!expression) return setMathText(this.expression, say("Tap a number, an operation, a number."));
    const text = formatExpression(expression);
    if (table.op) {
      const operand = bracketOperand(text, expression, table.op);
      return setMathText(this.expression, `${operand}${OPERATIONS[table.op].sign}…`);
    }
    return setMathText(this.expression, expression.op ? `${text} = ${formatValue(expression.value)}` : text);
  }

  #drawControls(table) {
    setAttributes(this.operations, { "aria-label": say("Operations") });
    Object.keys(OPERATIONS).forEach((op, index) => {
      setAttributes(this.signs[index], {
        "aria-label": nameOperation(op),
        "aria-pressed": toAriaBoolean(table.op === op),
        "aria-disabled": table.chosen === null || !canMerge(table) ? "true" : null,
      });
    });
    setText(this.keys, formatKeysHelp(table.puzzle));
    const hasBegun = isBegun(table);
    setAttributes(setText(this.undo, say("Undo")), { "aria-disabled": hasBegun || table.beforeReset ? null : "true" });
    setAttributes(setText(this.reset, say("Reset")), { "aria-disabled": hasBegun ? null : "true" });
    const answer = getAnswer(table);
    setAttributes(this.submit, { hidden: !table.puzzle.accepts_near, "aria-disabled": answer ? null : "true" });
    setMathText(this.submit, answer ? say("Hand in {number}", { number: formatValue(answer.value) }) : say("Hand in"));
  }

  /** Animate the newest merger, unless the reader prefers less motion. */
  #animateMerge(table) {
    const hasMerged = table.moves.length === this.#moveCount + 1;
    this.#moveCount = table.moves.length;
    if (!hasMerged || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const [fromPlace, , toPlace] = table.moves.at(-1);
    const [from, to] = [this.#places[fromPlace], this.#places[toPlace]];
    const [start, end] = [from, to].map(({ item }) => item.getBoundingClientRect());
    const { className, dataset, style } = from.button;
    const attributes = { class: `${className} ghost`, "aria-hidden": "true", "data-breadth": dataset.breadth };
    const ghost = createElement("span", attributes);
    ghost.append(from.face.cloneNode(true));
    ghost.style.backgroundPosition = style.backgroundPosition;
    from.item.append(ghost);
    const transform = `translate(${end.left - start.left}px, ${end.top - start.top}px) scale(.7)`;
    const flight = ghost.animate([{}, { transform, opacity: 0 }], { duration: 200, easing: "ease-out" });
    flight.onfinish = () => ghost.remove();
    flight.oncancel = () => ghost.remove();
    to.button.animate([{ transform: "scale(.92)" }, { transform: "scale(1.04)" }, {}], 240);
  }
}

/** Return the small text on a tile: the value of a card with a letter, or how a whole number was made; "" for none. */
function formatNote(expression) {
  if (hasLetter(expression)) return formatValue(expression.value);
  return expression.op && expression.value.isWhole ? formatExpression(expression) : "";
}

function formatKeysHelp({ accepts_near: acceptsNear }) {
  if (acceptsNear) {
    return say("Or type: numbers, + − × ÷ ( ), Enter to hand in, Backspace to undo, Escape to begin again.");
  }
  return say("Or type: numbers or letters of cards, + − × ÷ ( ), Backspace to undo, Escape to begin again.");
}

function bracketOperand(text, expression, op) {
  return expression.op && OPERATIONS[op].precedence > OPERATIONS[expression.op].precedence ? `(${text})` : text;
}

/** Create tiles without buttons, for spectators and for the end of a round. */
export function createReadOnlyTiles(puzzle) {
  const table = dealTiles(puzzle);
  const items = table.places.map((each) => {
    const { label } = each;
    const face = isCard(each) ? createScreenReaderText(label) : createElement("span", { class: "face" }, label);
    const note = createElement("span", { class: "note" }, formatNote(each));
    const attributes = { class: getTileClass(each), "data-breadth": label.length };
    const tile = createElement("span", attributes, face, " ", note);
    showCardFace(tile, each);
    return createElement("li", { class: "place" }, tile);
  });
  const attributes = { "aria-label": say("Numbers"), "data-count": items.length, "data-cards": hasCards(table) };
  return createElement("ul", { class: "tiles", ...attributes }, ...items);
}

function hasCards({ puzzle }) {
  return Boolean(puzzle.suits?.length);
}

/** Whether a number is shown as a card, and not as a tile or chip. */
function isCard({ op, suit, value }) {
  return !op && Boolean(suit) && value.isWhole && value.isPositive && value.numerator <= BigInt(RANKS);
}

function getTileClass(expression) {
  if (expression.op) return "tile chip";
  return isCard(expression) ? "tile card" : "tile";
}

/** Move the sheet in a node's background to the card; other numbers have none. */
function showCardFace(node, expression) {
  if (!isCard(expression)) return;
  const column = (Number(expression.value.numerator) - 1) / (RANKS - 1);
  const row = (SUITS.indexOf(expression.suit) * SHEET_ZOOM) / (SUITS.length * SHEET_ZOOM - 1);
  node.style.backgroundPosition = `${column * 100}% ${row * 100}%`;
}

/** Return the number of digits of the longer part of a fraction, from which the font size follows. */
function countDigits(value) {
  return Math.max(formatValue(value).split("/")[0].length, String(value.denominator).length);
}
