/** The list of people at the table: their progress and points. */
import { createElement, createScreenReaderText } from "./dom.js";
import { say } from "./translations.js";

const STATUS_MARKS = { thinking: "…", tried: "✗", done: "✓" };

function createPerson({ name, you, points, status, activity }) {
  const createColumn = (style, text) => createElement("span", { class: style, "aria-hidden": "true" }, text);
  return createElement(
    "li",
    { class: you ? "person you" : "person", "data-status": status || null },
    createColumn("mark", STATUS_MARKS[status] ?? ""),
    createElement("bdi", {}, name),
    you ? createColumn("tag", say("you")) : null,
    createScreenReaderText(describeProgress({ you, points, activity })),
    createColumn("activity", activity),
    hasPoints(points) ? createColumn("points", String(points)) : null,
  );
}

/** Return what follows a name for screen readers; read from its columns, it would run together. */
export function describeProgress({ you, points, activity }) {
  const parts = [you && say("you"), activity, hasPoints(points) && say("points: {n}", { n: points })];
  return parts.filter(Boolean).map((part) => say(", ") + part).join("");
}

function hasPoints(points) {
  return points !== null && points !== undefined;
}

/** Return the heading and the list; no nodes without people. */
export function createPeopleList(people) {
  if (!people.length) return [];
  const list = createElement("ul", { class: "people" }, ...people.map(createPerson));
  return [createElement("h2", {}, say("At the table")), list];
}
