/** A Yahtzee scorecard: the roll, and thirteen categories with the points that it would score there. */
import { createButton, createElement, createScreenReaderText, setAttributes, setText, toAriaBoolean } from "./dom.js";
import { formatRoll } from "./texts.js";
import { say } from "./translations.js";

/** Cells of a grid of three by three, counted from the top left, in which a die has its pips. */
const PIPS = { 1: [4], 2: [2, 6], 3: [2, 4, 6], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8] };
/** The categories that count for the bonus come first. */
const UPPER_CATEGORIES = 6;
const DICE = 5;

export class ScorecardView {
  #sendPress;
  #announce;
  #rows = [];
  /** The press for a category with 0 points that waits to be confirmed by another, since it can't be undone. */
  #pressToConfirm = null;

  /**
   * @param {(press: string) => void} sendPress puts the roll into a category
   * @param {(text: string) => void} announce tells screen readers
   */
  constructor(sendPress, announce) {
    this.#sendPress = sendPress;
    this.#announce = announce;
    this.turn = createElement("h2", { class: "turn", tabindex: "-1" });
    this.dice = createElement("div", { class: "dice", role: "img" });
    this.upper = createElement("ul", { class: "rows" });
    this.lower = createElement("ul", { class: "rows" });
    this.total = createElement("p", { class: "total" });
    this.bonus = createElement("p", { class: "bonus" });
    const sheet = createElement("div", { class: "sheet" }, this.upper, this.lower);
    const sums = createElement("div", { class: "sums" }, this.total, this.bonus);
    this.node = createElement("div", { class: "scorecard" }, this.turn, this.dice, sheet, sums);
  }

  /**
   * @param {object} card of a state
   * @param {string|null} pendingPress a press that is on its way to the bot
   */
  draw(card, pendingPress) {
    const roll = formatRoll(card);
    setAttributes(setText(this.turn, roll), { hidden: !roll });
    setAttributes(this.dice, { "aria-label": card.dice.join(" "), hidden: !card.dice.length });
    if (this.dice.dataset.dice !== card.dice.join("")) {
      this.dice.dataset.dice = card.dice.join("");
      this.dice.replaceChildren(...card.dice.map(createDie));
    }
    this.#ensureRows(card.rows.length);
    setAttributes(this.upper, { "aria-label": say("Ones to sixes") });
    setAttributes(this.lower, { "aria-label": say("The other categories") });
    card.rows.forEach((category, index) => this.#drawRow(this.#rows[index], category, pendingPress));
    setText(this.total, say("Total: {n}", { n: card.total }));
    setText(this.bonus, formatBonus(card));
  }

  /** Move the focus to another category. */
  moveFocus(direction) {
    const index = this.#rows.findIndex(({ button }) => button === document.activeElement);
    const step = { left: -UPPER_CATEGORIES, right: UPPER_CATEGORIES, up: -1, down: 1 }[direction];
    const next = index < 0 ? 0 : Math.min(this.#rows.length - 1, Math.max(0, index + step));
    this.#rows[next].button.focus();
  }

  #ensureRows(count) {
    if (this.#rows.length === count) return;
    this.#rows = Array.from({ length: count }, () => this.#createRow());
    const items = this.#rows.map(({ item }) => item);
    this.upper.replaceChildren(...items.slice(0, UPPER_CATEGORIES));
    this.lower.replaceChildren(...items.slice(UPPER_CATEGORIES));
  }

  #createRow() {
    const createColumn = (style) => createElement("span", { class: style, "aria-hidden": "true" });
    const [name, points] = [createColumn("category"), createColumn("points")];
    const row = { spoken: createScreenReaderText(""), name, points, press: null };
    // The second click of a double click is ignored: by then there may be another roll, or a question.
    const handleClick = ({ detail }) => row.press && detail < 2 && this.#pressRow(row);
    row.button = createButton("", handleClick, { class: "row" });
    row.button.append(row.spoken, name, points);
    row.item = createElement("li", {}, row.button);
    return row;
  }

  /** Send the row's press; for 0 points only if it confirms the one before. */
  #pressRow(row) {
    const needsConfirmation = row.isZero && this.#pressToConfirm !== row.press;
    this.#pressToConfirm = needsConfirmation ? row.press : null;
    this.#rows.forEach((each) => this.#drawName(each));
    if (needsConfirmation) this.#announce(row.spoken.textContent);
    else this.#sendPress(row.press);
  }

  #drawName(row) {
    const isAsked = row.press !== null && row.press === this.#pressToConfirm;
    setText(row.spoken, isAsked ? describeQuestion(row.category) : describeCategory(row.category));
    setText(row.name, isAsked ? say("Put 0 here?") : row.category.name);
    setAttributes(row.button, { "data-asked": isAsked });
  }

  #drawRow(row, category, pendingPress) {
    const { score, preview, press } = category;
    row.press = pendingPress === null ? press : null;
    row.category = category;
    row.isZero = preview === 0 && Boolean(press);
    this.#drawName(row);
    setText(row.points, formatCategoryPoints(score, preview));
    setAttributes(row.button, {
      class: isNumber(score) ? "row filled" : row.isZero ? "row zero" : "row",
      "aria-disabled": row.press ? null : "true",
      "aria-busy": press !== null && pendingPress === press ? toAriaBoolean(true) : null,
    });
  }
}

/** Whether a category has a score, or a preview of one. */
function isNumber(points) {
  return points !== null && points !== undefined;
}

function formatCategoryPoints(score, preview) {
  if (isNumber(score)) return `✓ ${score}`;
  return isNumber(preview) ? `${preview}` : "–";
}

function describeQuestion({ name }) {
  return say("{category}: 0 points. Press again to put it here.", { category: name });
}

function describeCategory({ name, score, preview }) {
  if (isNumber(score)) return say("{category}: {points}, filled", { category: name, points: score });
  if (!isNumber(preview)) return say("{category}: empty", { category: name });
  return say("{category}: {points} for this roll", { category: name, points: preview });
}

/** Return the bonus, or the points missing for it; "" if five dice in each open category would not reach it. */
export function formatBonus({ bonus, missing, rows, dice }) {
  if (bonus) return say("Bonus: {bonus}", { bonus });
  if (!dice.length) return ""; // the card is full
  let reachable = 0;
  rows.slice(0, UPPER_CATEGORIES).forEach(({ score }, index) => {
    if (!isNumber(score)) reachable += DICE * (index + 1);
  });
  return missing > 0 && missing <= reachable ? say("{n} more in ones to sixes for the bonus", { n: missing }) : "";
}

function createDie(number) {
  const cells = Array.from({ length: 9 }, (_, cell) => {
    return createElement("span", { class: PIPS[number].includes(cell) ? "spot" : "" });
  });
  return createElement("span", { class: "die" }, ...cells);
}
