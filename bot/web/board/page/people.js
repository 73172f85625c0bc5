/** Who is at the table. */
import { element, spoken } from "./dom.js";
import { say } from "./words.js";

/** One person, a line of the list. */
export function person({ name, you, points, in: isIn }) {
  return element(
    "li",
    { class: you ? "person you" : "person" },
    element("span", { class: "mark", "aria-hidden": "true" }, isIn ? "✓" : ""),
    element("bdi", {}, name),
    you ? element("span", { class: "tag" }, say("you")) : null,
    isIn ? spoken(say("is in")) : null,
    points === null || points === undefined ? null : element("span", { class: "points" }, String(points)),
  );
}

/** The list, or nothing for nobody. */
export function people(list) {
  if (!list.length) return [];
  return [element("h2", {}, say("At the table")), element("ul", { class: "people" }, ...list.map(person))];
}
