/** The live table: a line for each pupil, with the present hand in full and a mark for each hand. */
import { createElement, createScreenReaderText, Region, setText } from "./dom.js";
import { say } from "./translations.js";

const MARKS = { solved: "✓", over: "✗", open: "…" };

export class PupilsTable {
  #onChoose;
  #lines = new Map(); // by the pupil's id: the row, its name, and the inputs of the other cells
  #head = new Region(createElement("tr", {}));
  #body = createElement("tbody", {});

  /** @param {(id: number) => void} onChoose called when a pupil's name is pressed */
  constructor(onChoose) {
    this.#onChoose = onChoose;
    const table = createElement("table", {}, createElement("thead", {}, this.#head.node), this.#body);
    this.node = createElement("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": say("Pupils") }, table);
  }

  /** Draw the lines that have changed. A name stays where it is, since it may be pressed just now. */
  draw({ pupils, lesson, hands }, now) {
    this.#head.draw(hands, () => createHeadings(hands));
    const ids = new Set(pupils.map(({ id }) => id));
    for (const [id, { row }] of this.#lines) {
      if (!ids.has(id)) row.remove();
      if (!ids.has(id)) this.#lines.delete(id);
    }
    for (const pupil of pupils) this.#drawLine(pupil, lesson, hands, now);
  }

  #drawLine(pupil, lesson, hands, now) {
    const line = this.#lines.get(pupil.id) ?? this.#addLine(pupil.id);
    line.name.draw([pupil.name, pupil.has_joined], () => this.#createName(pupil));
    const inputs = JSON.stringify([pupil.cells, pupil.solved, lesson?.count, hands.length]);
    if (inputs === line.inputs) return;
    line.inputs = inputs;
    while (line.row.lastChild !== line.name.node) line.row.lastChild.remove();
    line.row.append(...createCells(pupil, lesson, hands, now));
    line.row.className = pupil.cells.at(-1)?.is_stuck ? "stuck" : "";
  }

  #addLine(id) {
    const name = new Region(createElement("th", { scope: "row" }));
    const line = { row: createElement("tr", {}, name.node), name, inputs: "" };
    this.#body.append(line.row);
    this.#lines.set(id, line);
    return line;
  }

  #createName({ id, name, has_joined: hasJoined }) {
    const text = createElement("bdi", {}, name);
    const button = createElement("button", { type: "button", "data-key": "name", click: () => this.#onChoose(id) }, text);
    return [button, hasJoined ? null : createElement("small", {}, say("not here"))];
  }

  /** Count the seconds of open hands on. */
  updateSeconds(now) {
    for (const each of this.#body.querySelectorAll("[data-opened]")) {
      setText(each, formatSeconds(Math.max(0, Math.round(now - Number(each.dataset.opened)))));
    }
  }
}

function createHeadings(hands) {
  const texts = [say("Name"), say("Now"), say("Solved"), say("Last wrong answer")];
  return [
    ...texts.map((text) => createElement("th", { scope: "col" }, text)),
    ...hands.map(({ line }, index) => createElement("th", { scope: "col", class: "mark", title: line }, String(index + 1))),
  ];
}

function createCells({ cells, solved }, lesson, hands, now) {
  const present = cells.at(-1);
  const wrong = present?.wrong ? [createElement("bdi", { dir: "ltr" }, present.wrong), createElement("small", {}, present.mistake)] : [];
  return [
    createPresent(present, now),
    createElement("td", {}, lesson ? `${solved} / ${lesson.count}` : "–"),
    createElement("td", {}, ...wrong),
    ...hands.map((_, index) => createMark(cells.find(({ number }) => number === index + 1))),
  ];
}

/** Create the cell of the present hand: time, tries and hints, and whether the pupil is stuck. */
function createPresent(cell, now) {
  if (!cell) return createElement("td", {}, "–");
  const isOpen = cell.state === "open";
  const seconds = isOpen ? Math.max(0, Math.round(now - cell.opened)) : cell.seconds;
  const time = createElement("span", { "data-opened": isOpen ? cell.opened : null }, formatSeconds(seconds));
  const stuck = cell.is_stuck ? createElement("strong", {}, ` · ${say("stuck")}`) : null;
  const counts = [cell.tries ? say("tries: {n}", { n: cell.tries }) : "", cell.hints ? say("hints: {n}", { n: cell.hints }) : ""];
  const details = createElement("small", {}, counts.filter(Boolean).join(" · "));
  return createElement("td", {}, `${MARKS[cell.state]} `, time, stuck, details);
}

function createMark(cell) {
  if (!cell) return createElement("td", { class: "mark" });
  const { seconds, tries, hints, state } = cell;
  const words = { solved: () => say("solved"), over: () => say("not solved"), open: () => say("open") }[state]();
  const details = [words, seconds === null ? "" : formatSeconds(seconds), say("tries: {n}", { n: tries }), say("hints: {n}", { n: hints })];
  const text = details.filter(Boolean).join(say(", "));
  const face = createElement("span", { "aria-hidden": "true" }, MARKS[state]);
  return createElement("td", { class: `mark ${state}`, title: text }, face, createScreenReaderText(text));
}

function formatSeconds(seconds) {
  return seconds < 100 ? say("{n} s", { n: seconds }) : say("{n} min", { n: Math.round(seconds / 60) });
}
