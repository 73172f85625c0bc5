/**
 * What is dealt as it is seen and tapped: cards as in the bot's pictures or plain tiles, and chips for what was merged.
 * A place keeps its button, so that the focus stays where it was.
 */
import { button, changed, element, figured, spoken, truth, worded } from "./dom.js";
import { figure, isLettered, OPERATIONS, shown } from "./expression.js";
import { answer, barred, dealt, isBegun, isOpen } from "./tiles.js";
import { operationName, reasonText, tileName } from "./texts.js";
import { say } from "./words.js";

/** How the sheet with all cards is laid out: a row for each suit, aces at the left. */
const [SUITS, RANKS] = ["♠♥♦♣", 13];
/** How much higher a card is on the sheet than its button, which leaves out the shade below it; as in board.css. */
const ZOOM = 1.02;

export class TableView {
  #on;
  #places = [];
  #moves = 0;

  /** @param {{tap: Function, operate: Function, undo: Function, reset: Function, hand: Function}} on */
  constructor(on) {
    this.#on = on;
    this.tiles = element("ul", { class: "tiles" });
    this.expression = element("p", { class: "expression" });
    this.keys = element("p", { class: "keys" });
    this.operations = element("div", { class: "operations", role: "group" });
    this.signs = Object.keys(OPERATIONS).map((op) => button(OPERATIONS[op].sign, () => on.operate(op), { class: "sign" }));
    this.operations.append(...this.signs);
    this.undo = button("", () => on.undo(), { class: "tool" });
    this.reset = button("", () => on.reset(), { class: "tool" });
    this.hand = button("", () => on.hand(), { class: "tool main", hidden: true });
    this.tools = element("div", { class: "tools" }, this.undo, this.reset, this.hand);
    this.node = element("div", { class: "table" }, this.tiles, this.expression, this.operations, this.tools, this.keys);
  }

  /** @param {import("./tiles.js").Table} table */
  draw(table) {
    this.#laid(table.places.length);
    changed(this.tiles, { "aria-label": say("Numbers"), "data-count": table.places.length, "data-cards": hasCards(table) });
    const lost = this.#places.findIndex((place) => place.button === document.activeElement);
    this.#merging(table);
    table.places.forEach((_, at) => this.#tile(table, at));
    if (lost >= 0 && !table.places[lost]) this.#places[table.merged]?.button.focus();
    this.#sentence(table);
    this.#controls(table);
  }

  /** Moves the focus among the tiles that are left; false when it was on none of them. */
  step(direction) {
    const left = this.#places.map((place) => place.button).filter((each) => !each.hidden);
    const at = left.indexOf(document.activeElement);
    const by = direction === "left" || direction === "up" ? -1 : 1;
    left.at(at < 0 ? 0 : (at + by) % left.length)?.focus();
  }

  #laid(count) {
    if (this.#places.length === count) return;
    this.#places = Array.from({ length: count }, (_, at) => this.#place(at));
    this.tiles.replaceChildren(...this.#places.map((place) => place.item));
  }

  #place(at) {
    const why = element("span", { class: "why", id: `why-${at}`, "aria-hidden": "true" });
    const name = element("span", { class: "spoken" });
    const face = element("span", { class: "face", "aria-hidden": "true" });
    const made = element("button", { type: "button", class: "tile", click: () => this.#on.tap(at) }, name, face, why);
    return { button: made, name, face, why, item: element("li", { class: "place" }, made) };
  }

  #tile(table, at) {
    const [place, expression] = [this.#places[at], table.places[at]];
    changed(place.button, { hidden: !expression });
    changed(place.item, { "aria-hidden": expression ? null : "true" });
    if (!expression) return void worded(place.why, "");
    const reason = barred(table, at);
    const note = reason ? reasonText(reason) : noteOf(expression);
    changed(place.button, {
      class: kindOf(expression),
      "aria-pressed": truth(table.chosen === at),
      "aria-disabled": reason ? "true" : null,
      "aria-describedby": note ? `why-${at}` : null,
      "data-breadth": Math.min(breadth(expression.value), 6),
    });
    worded(place.name, tileName(expression));
    worded(place.why, note);
    showCard(place.button, expression);
    figured(place.face, isCard(expression) ? "" : figure(expression.value));
  }

  #sentence(table) {
    const made = table.chosen ?? table.merged;
    const expression = made === null ? null : table.places[made];
    if (!expression) return figured(this.expression, say("Tap a number, an operation, a number."));
    const text = shown(expression);
    if (table.op) return figured(this.expression, `${bracketed(text, expression, table.op)}${OPERATIONS[table.op].sign}…`);
    return figured(this.expression, expression.op ? `${text} = ${figure(expression.value)}` : text);
  }

  #controls(table) {
    changed(this.operations, { "aria-label": say("Operations") });
    Object.keys(OPERATIONS).forEach((op, at) => {
      changed(this.signs[at], {
        "aria-label": operationName(op),
        "aria-pressed": truth(table.op === op),
        "aria-disabled": table.chosen === null || !isOpen(table) ? "true" : null,
      });
    });
    worded(this.keys, keysText(table.puzzle));
    const begun = isBegun(table);
    changed(worded(this.undo, say("Undo")), { "aria-disabled": begun || table.before ? null : "true" });
    changed(worded(this.reset, say("Reset")), { "aria-disabled": begun ? null : "true" });
    const ready = answer(table);
    changed(this.hand, { hidden: !table.puzzle.accepts_near, "aria-disabled": ready ? null : "true" });
    figured(this.hand, ready ? say("Hand in {number}", { number: figure(ready.value) }) : say("Hand in"));
  }

  /** Shows how two tiles become one, where motion is welcome. */
  #merging(table) {
    const grown = table.moves.length === this.#moves + 1;
    this.#moves = table.moves.length;
    if (!grown || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const [from, , to] = table.moves.at(-1);
    const [a, b] = [from, to].map((at) => this.#places[at].item.getBoundingClientRect());
    const gone = this.#places[from].button;
    const ghost = element("span", { class: `${gone.className} ghost`, "aria-hidden": "true", "data-breadth": gone.dataset.breadth });
    ghost.append(this.#places[from].face.cloneNode(true));
    ghost.style.backgroundPosition = gone.style.backgroundPosition;
    this.#places[from].item.append(ghost);
    const way = `translate(${b.left - a.left}px, ${b.top - a.top}px)`;
    const flight = ghost.animate([{}, { transform: `${way} scale(.7)`, opacity: 0 }], { duration: 200, easing: "ease-out" });
    flight.onfinish = () => ghost.remove();
    flight.oncancel = () => ghost.remove();
    this.#places[to].button.animate([{ transform: "scale(.92)" }, { transform: "scale(1.04)" }, {}], 240);
  }
}

/** What stands small on a tile: what a lettered card is worth, or how a whole number was made. */
function noteOf(expression) {
  if (isLettered(expression)) return figure(expression.value);
  return expression.op && expression.value.isWhole ? shown(expression) : "";
}

/** What may be typed. */
function keysText({ accepts_near: near }) {
  if (near) return say("Or type: numbers, + − × ÷ ( ), Enter to hand in, Backspace to undo, Escape to begin again.");
  return say("Or type: numbers or letters of cards, + − × ÷ ( ), Backspace to undo, Escape to begin again.");
}

function bracketed(text, expression, op) {
  return expression.op && OPERATIONS[op].rank > OPERATIONS[expression.op].rank ? `(${text})` : text;
}

/** Tiles that are only read: for who watches, and when it is over. */
export function readTiles(puzzle) {
  const table = dealt(puzzle);
  const items = table.places.map((each) => {
    const face = isCard(each) ? spoken(each.label) : element("span", { class: "face" }, each.label);
    const tile = element("span", { class: kindOf(each), "data-breadth": each.label.length }, face, " ", element("span", { class: "why" }, noteOf(each)));
    showCard(tile, each);
    return element("li", { class: "place" }, tile);
  });
  return element("ul", { class: "tiles", "data-count": items.length, "data-cards": hasCards(table), "aria-label": say("Numbers") }, ...items);
}

function hasCards({ puzzle }) {
  return Boolean(puzzle.suits?.length);
}

/** Whether a number is shown as a card; one that is on none lies there as a tile. */
function isCard({ op, suit, value }) {
  return !op && Boolean(suit) && value.isWhole && value.top > 0n && value.top <= BigInt(RANKS);
}

function kindOf(expression) {
  if (expression.op) return "tile chip";
  return isCard(expression) ? "tile card" : "tile";
}

/** Moves the sheet behind a node to its card. */
function showCard(node, expression) {
  if (!isCard(expression)) return;
  const column = (Number(expression.value.top) - 1) / (RANKS - 1);
  const row = (SUITS.indexOf(expression.suit) * ZOOM) / (SUITS.length * ZOOM - 1);
  node.style.backgroundPosition = `${column * 100}% ${row * 100}%`;
}

/** How wide a value is, to choose its size: the figures of its longest part. */
function breadth(value) {
  return Math.max(figure(value).split("/")[0].length, String(value.bottom).length);
}
