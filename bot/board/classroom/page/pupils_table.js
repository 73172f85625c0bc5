/** The live table: a line for each pupil, with the present hand in full and a mark for each hand. */
import { createButton, createElement, createScreenReaderText, setText } from "./dom.js";
import { say } from "./translations.js";

const MARKS = { solved: "✓", over: "✗", open: "…" };

/** @param {{rename: Function, remove: Function, readmit: Function}} actions get the pupil */
export function createPupilsTable(state, now, actions) {
  const { pupils, lesson, door } = state;
  if (!pupils.length) return createElement("p", {}, say("Nobody has joined yet."));
  const numbers = state.hands.map((_, index) => index + 1);
  const headings = [say("Name"), say("Solved"), say("Now"), say("Last wrong answer")];
  const head = createElement(
    "tr",
    {},
    ...headings.map((text) => createElement("th", { scope: "col" }, text)),
    ...numbers.map((n) => createElement("th", { scope: "col", title: state.hands[n - 1].line }, String(n))),
    door.is_closed ? null : createElement("th", { scope: "col" }, createScreenReaderText(say("Actions"))),
  );
  const rows = pupils.map((pupil) => createRow(pupil, numbers, lesson, now, door.is_closed ? null : actions));
  return createElement(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": say("Pupils") },
    createElement("table", {}, createElement("thead", {}, head), createElement("tbody", {}, ...rows)),
  );
}

function createRow(pupil, numbers, lesson, now, actions) {
  const present = pupil.cells.at(-1);
  const isStuck = Boolean(present?.is_stuck);
  const wrong = present?.wrong ? `${present.wrong} · ${present.mistake}` : "";
  const name = createElement("th", { scope: "row" }, createElement("bdi", {}, pupil.name));
  if (!pupil.has_joined) name.append(" ", createElement("small", {}, say("not here")));
  return createElement(
    "tr",
    { class: isStuck ? "stuck" : null },
    name,
    createElement("td", {}, lesson ? `${pupil.solved} / ${lesson.count}` : "–"),
    createPresent(present, isStuck, now),
    createElement("td", { class: "wrong", dir: "ltr" }, wrong),
    ...numbers.map((number) => createMark(pupil.cells.find((cell) => cell.number === number))),
    actions ? createActions(pupil, actions) : null,
  );
}

/** Create the cell of the present hand: time, tries and hints, and whether the pupil is stuck. */
function createPresent(cell, isStuck, now) {
  if (!cell) return createElement("td", {}, "–");
  const isOpen = cell.state === "open";
  const seconds = isOpen ? Math.max(0, Math.round(now - cell.opened)) : cell.seconds;
  const time = createElement("span", { "data-opened": isOpen ? cell.opened : null }, formatSeconds(seconds));
  const parts = [cell.tries ? say("tries: {n}", { n: cell.tries }) : "", cell.hints ? say("hints: {n}", { n: cell.hints }) : ""];
  const text = parts.filter(Boolean).map((part) => ` · ${part}`).join("");
  const mark = isStuck ? createElement("strong", {}, ` · ${say("stuck")}`) : null;
  return createElement("td", { class: "present" }, `${MARKS[cell.state]} `, time, text, mark);
}

function createMark(cell) {
  if (!cell) return createElement("td", { class: "mark" }, "");
  const { seconds, tries, hints, state } = cell;
  const words = { solved: () => say("solved"), over: () => say("not solved"), open: () => say("open") }[state]();
  const details = [words, seconds === null ? "" : formatSeconds(seconds), say("tries: {n}", { n: tries }), say("hints: {n}", { n: hints })];
  const text = details.filter(Boolean).join(say(", "));
  const face = createElement("span", { "aria-hidden": "true" }, MARKS[state]);
  return createElement("td", { class: `mark ${state}`, title: text }, face, createScreenReaderText(text));
}

function createActions(pupil, { rename, remove, readmit }) {
  const create = (text, run) => createButton(text, () => run(pupil), { "data-key": `${text} ${pupil.id}` });
  const buttons = [create(say("Rename"), rename), create(say("Remove"), remove)];
  if (pupil.has_joined) buttons.push(create(say("Let in again"), readmit));
  const summary = createElement("summary", {}, "⋯", createScreenReaderText(say("Actions for {name}", { name: pupil.name })));
  return createElement("td", {}, createElement("details", { class: "actions" }, summary, ...buttons));
}

/** Count the seconds of open hands on. */
export function updateSeconds(table, now) {
  for (const each of table.querySelectorAll("[data-opened]")) {
    setText(each, formatSeconds(Math.max(0, Math.round(now - Number(each.dataset.opened)))));
  }
}

function formatSeconds(seconds) {
  return seconds < 100 ? say("{n} s", { n: seconds }) : say("{n} min", { n: Math.round(seconds / 60) });
}
