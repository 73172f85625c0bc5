/** Who is at the table. */
import { element, spoken } from "./dom.js";
import { say } from "./words.js";

/** One person, a line of the list. */
export function person({ name, you, points, activity }) {
  return element(
    "li",
    { class: you ? "person you" : "person" },
    element("span", { class: "mark", "aria-hidden": "true" }, activity ? "✓" : ""),
    element("bdi", {}, name),
    you ? element("span", { class: "tag", "aria-hidden": "true" }, say("you")) : null,
    spoken(standing({ you, points, activity })),
    hasPoints(points) ? element("span", { class: "points", "aria-hidden": "true" }, String(points)) : null,
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

/** The list, or nothing for nobody. */
export function people(list) {
  if (!list.length) return [];
  return [element("h2", {}, say("At the table")), element("ul", { class: "people" }, ...list.map(person))];
}
