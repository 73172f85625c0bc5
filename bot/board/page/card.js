/** A card of Yahtzee: the roll, and thirteen categories that say what it would score there. */
import { changed, element, truth, worded } from "./dom.js";
import { rollText } from "./texts.js";
import { say } from "./words.js";

/** Where a die has its spots, as places of a grid of three by three, from the top left. */
const SPOTS = { 1: [4], 2: [2, 6], 3: [2, 4, 6], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8] };
/** Categories that count for the bonus. */
const UPPER = 6;
const DICE = 5;

export class CardView {
  #put;
  #tell;
  #rows = [];
  /** The press that would score nothing, and was asked about: it can't be taken back. */
  #asked = null;

  /**
   * @param {(press: string) => void} put puts the roll in a category
   * @param {(text: string) => void} tell tells a screen reader
   */
  constructor(put, tell) {
    [this.#put, this.#tell] = [put, tell];
    this.turn = element("h2", { class: "turn", tabindex: "-1" });
    this.dice = element("div", { class: "dice", role: "img" });
    this.upper = element("ul", { class: "rows" });
    this.lower = element("ul", { class: "rows" });
    this.total = element("p", { class: "total" });
    this.bonus = element("p", { class: "bonus" });
    const sheet = element("div", { class: "sheet" }, this.upper, this.lower);
    const sums = element("div", { class: "sums" }, this.total, this.bonus);
    this.node = element("div", { class: "card" }, this.turn, this.dice, sheet, sums);
  }

  /**
   * @param {object} card as the state has it
   * @param {string|null} going what was pressed and is on its way
   */
  draw(card, going) {
    changed(worded(this.turn, rollText(card)), { hidden: !rollText(card) });
    changed(this.dice, { "aria-label": card.dice.join(" "), hidden: !card.dice.length });
    if (this.dice.dataset.dice !== card.dice.join("")) {
      this.dice.dataset.dice = card.dice.join("");
      this.dice.replaceChildren(...card.dice.map(die));
    }
    this.#laid(card.rows.length);
    changed(this.upper, { "aria-label": say("Ones to sixes") });
    changed(this.lower, { "aria-label": say("The other categories") });
    card.rows.forEach((row, at) => this.#row(this.#rows[at], row, going));
    worded(this.total, say("Total: {n}", { n: card.total }));
    worded(this.bonus, bonusText(card));
  }

  /** Moves the focus among the categories. */
  step(direction) {
    const at = this.#rows.findIndex((row) => row.button === document.activeElement);
    const by = { left: -UPPER, right: UPPER, up: -1, down: 1 }[direction];
    const next = at < 0 ? 0 : Math.min(this.#rows.length - 1, Math.max(0, at + by));
    this.#rows[next].button.focus();
  }

  #laid(count) {
    if (this.#rows.length === count) return;
    this.#rows = Array.from({ length: count }, () => this.#made());
    this.upper.replaceChildren(...this.#rows.slice(0, UPPER).map((row) => row.item));
    this.lower.replaceChildren(...this.#rows.slice(UPPER).map((row) => row.item));
  }

  #made() {
    const seen = (name) => element("span", { class: name, "aria-hidden": "true" });
    const row = { told: element("span", { class: "spoken" }), name: seen("category"), points: seen("points"), press: null };
    // Two clicks at once are one: by the second there may be another roll, or a question.
    const put = ({ detail }) => row.press && detail < 2 && this.#pressed(row);
    row.button = element("button", { type: "button", class: "row", click: put }, row.told, row.name, row.points);
    row.item = element("li", {}, row.button);
    return row;
  }

  /** Puts the roll there; where it scores nothing only once it is pressed again. */
  #pressed(row) {
    const sure = this.#asked === row.press;
    this.#ask(row.zero && !sure ? row : null);
    if (row.zero && !sure) this.#tell(row.told.textContent);
    else this.#put(row.press);
  }

  #named(row) {
    const asked = row.press !== null && row.press === this.#asked;
    worded(row.told, asked ? asking(row.category) : rowName(row.category));
    worded(row.name, asked ? say("Put 0 here?") : row.category.name);
    changed(row.button, { "data-asked": asked });
  }

  #ask(asked) {
    this.#asked = asked?.press ?? null;
    this.#rows.forEach((row) => this.#named(row));
  }

  #row(row, { name, score, preview, press }, going) {
    row.press = going === null ? press : null;
    row.category = { name, score, preview };
    row.zero = preview === 0 && Boolean(press);
    const filled = score !== null && score !== undefined;
    this.#named(row);
    worded(row.points, filled ? `✓ ${score}` : preview === null || preview === undefined ? "–" : `${preview}`);
    changed(row.button, {
      class: filled ? "row filled" : row.zero ? "row zero" : "row",
      "aria-disabled": row.press ? null : "true",
      "aria-busy": press !== null && going === press ? truth(true) : null,
    });
  }
}

function asking({ name }) {
  return say("{category}: 0 points. Press again to put it here.", { category: name });
}

function rowName({ name, score, preview }) {
  if (score !== null && score !== undefined) return say("{category}: {points}, filled", { category: name, points: score });
  if (preview === null || preview === undefined) return say("{category}: empty", { category: name });
  return say("{category}: {points} for this roll", { category: name, points: preview });
}

/** How far the bonus is, as long as it can be reached: five dice of a kind in each category of it that is open. */
export function bonusText({ bonus, missing, rows, dice }) {
  if (bonus) return say("Bonus: {bonus}", { bonus });
  if (!dice.length) return ""; // nothing more can be put
  const open = rows.slice(0, UPPER).map(({ score }, at) => (score === null || score === undefined ? at + 1 : 0));
  const reach = DICE * open.reduce((all, each) => all + each, 0);
  return missing > 0 && missing <= reach ? say("{n} more in ones to sixes for the bonus", { n: missing }) : "";
}

function die(spots) {
  const places = Array.from({ length: 9 }, (_, at) => element("span", { class: SPOTS[spots].includes(at) ? "spot" : "" }));
  return element("span", { class: "die" }, ...places);
}
