/** The report: hands that were hard for the class, and skills that pupils lack. */
import { createElement } from "./dom.js";
import { say } from "./translations.js";

export function createReport({ hands, pupils }) {
  if (!hands.length) return [createElement("p", { tabindex: -1 }, say("No hand is over yet."))];
  return [
    createElement("h3", { tabindex: -1 }, say("Hands, the hardest first")),
    createTable(
      [say("Hand"), say("Level"), say("Solved"), say("Median time"), say("Most frequent mistake")],
      hands.map(({ line, level, solved, tried, seconds, mistake }) => {
        return [line, level, `${solved} / ${tried}`, seconds === null ? "–" : say("{n} s", { n: seconds }), mistake || "–"];
      }),
    ),
    createElement("h3", {}, say("Pupils")),
    createTable(
      [say("Name"), say("Solved"), say("Lacks practice in")],
      pupils.map(({ name, solved, played, skills }) => [name, `${solved} / ${played}`, skills.join(say(", ")) || "–"]),
    ),
  ];
}

function createTable(headings, rows) {
  const head = createElement("tr", {}, ...headings.map((text) => createElement("th", { scope: "col" }, text)));
  const lines = rows.map(([first, ...rest]) => {
    const name = createElement("th", { scope: "row" }, createElement("bdi", {}, first));
    return createElement("tr", {}, name, ...rest.map((text) => createElement("td", {}, text)));
  });
  const table = createElement("table", {}, createElement("thead", {}, head), createElement("tbody", {}, ...lines));
  return createElement("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": headings[0] }, table);
}
