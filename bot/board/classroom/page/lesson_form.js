/** The form for a new lesson: which hands, and how they are played. Typed hands are checked while they are typed. */
import { createElement } from "./dom.js";
import { say } from "./translations.js";

const MAX_HANDS = 20;
const FIRST_COUNT = 5;
const CHECK_DELAY_MS = 400;
const CLOCKS = [0, 60, 120, 180, 300]; // seconds for a hand; 0 for none

export class LessonForm {
  #actions;
  #form = null;
  #timer = null;
  #checks = null;

  /** @param {{begin: (plan: object) => void, check: (game: string, hands: string) => Promise<object[]>}} actions */
  constructor(actions) {
    this.#actions = actions;
  }

  /** Return the form, the same one with what was typed until a lesson begins. */
  create({ games, levels }) {
    this.#form ??= this.#createForm(games, levels);
    return this.#form;
  }

  reset() {
    this.#form = null;
  }

  #createForm(games, levels) {
    const gameOptions = games.map(({ key, title }) => [key, title]);
    const levelOptions = [["", say("any level")], ...levels];
    const clockOptions = CLOCKS.map((each) => [each, each ? say("{n} min a hand", { n: each / 60 }) : say("no clock")]);
    const paceOptions = [["together", say("together, on the same hand")], ["own", say("at their own pace")]];
    this.#checks = createElement("div", { class: "checks", role: "status" });
    const form = createElement(
      "form",
      { class: "lesson-form" },
      createElement("p", {}, say("Choose hands, then begin. Whoever joins later gets them, too.")),
      createField(say("Game"), createSelect("game", gameOptions)),
      createField(say("Number of hands"), createElement("input", { name: "count", type: "number", min: 1, max: MAX_HANDS, value: FIRST_COUNT })),
      createField(say("Level"), createSelect("level", levelOptions)),
      createField(say("How"), createSelect("pace", paceOptions)),
      createField(say("Clock"), createSelect("seconds", clockOptions)),
      createField(say("Homework: due"), createElement("input", { name: "due", type: "datetime-local" })),
      createField(say("Or your own hands, one a line"), createElement("textarea", { name: "hands", rows: 3, placeholder: "3 8 3 8\n1 3 4 6 = 24" })),
      this.#checks,
      createElement("button", { type: "submit", class: "main" }, say("Begin")),
    );
    form.addEventListener("input", () => this.#update(form, games));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#actions.begin(readPlan(form));
    });
    this.#update(form, games);
    return form;
  }

  /** Show the fields that the game and the pace have, and check typed hands a moment later. */
  #update(form, games) {
    const { game, pace, hands, level, count, due } = form.elements;
    const chosen = games.find(({ key }) => key === game.value);
    const hasTyped = chosen.takes_own_hands && hands.value.trim() !== "";
    setShown(hands, chosen.takes_own_hands);
    setShown(level, chosen.has_levels && !hasTyped);
    setShown(count, !hasTyped);
    setShown(due, pace.value === "own");
    clearTimeout(this.#timer);
    if (hasTyped) this.#timer = setTimeout(() => this.#check(game.value, hands.value), CHECK_DELAY_MS);
    else this.#checks.replaceChildren();
  }

  async #check(game, hands) {
    const checked = await this.#actions.check(game, hands);
    const items = checked.map(({ typed, is_right: isRight, text }) => {
      const shown = isRight ? `✓ ${text}` : `✗ ${typed}: ${text}`;
      return createElement("p", { class: isRight ? "right" : "wrong" }, shown);
    });
    this.#checks.replaceChildren(...items);
  }
}

function readPlan(form) {
  const { game, pace, hands, level, count, seconds, due } = form.elements;
  const isShown = (field) => !field.parentNode.hidden;
  return {
    game: game.value,
    pace: pace.value,
    level: isShown(level) ? level.value : "",
    count: Math.min(MAX_HANDS, Math.max(1, Number(count.value) || 1)),
    hands: isShown(hands) ? hands.value : "",
    seconds: Number(seconds.value),
    due: isShown(due) && due.value ? Math.round(new Date(due.value).getTime() / 1000) : 0,
  };
}

function createField(label, control) {
  return createElement("label", {}, createElement("span", {}, label), control);
}

function createSelect(name, options) {
  return createElement("select", { name }, ...options.map(([value, text]) => createElement("option", { value }, text)));
}

function setShown(field, isShown) {
  field.parentNode.hidden = !isShown;
}
