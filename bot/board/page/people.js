/** Who is at the table: thinking, tried, solved, and with how many points. */
import { element, spoken } from "./dom.js";
import { say } from "./words.js";

const MARKS = { thinking: "…", tried: "✗", done: "✓" };

/** One person, a line of the table. */
export function person({ name, you, points, status, activity }) {
  const seen = (kind, text) => element("span", { class: kind, "aria-hidden": "true" }, text);
  return element(
    "li",
    { class: you ? "person you" : "person", "data-status": status || null },
    seen("mark", MARKS[status] ?? ""),
    element("bdi", {}, name),
    you ? seen("tag", say("you")) : null,
    spoken(standing({ you, points, activity })),
    seen("activity", activity),
    hasPoints(points) ? seen("points", String(points)) : null,
  );
}

/** The same behind the name, to who hears it: what stands in columns would run into one another. */
export function standing({ you, points, activity }) {
  const parts = [you && say("you"), activity, hasPoints(points) && say("points: {n}", { n: points })];
  return parts.filter(Boolean).map((part) => say(", ") + part).join("");
}

function hasPoints(points) {
  return points !== null && points !== undefined;
}

/** The table, or nothing for nobody. */
export function people(list) {
  if (!list.length) return [];
  return [element("h2", {}, say("At the table")), element("ul", { class: "people" }, ...list.map(person))];
}
