/** The whole page, drawn from what `Game` says it shows. What did not change is left as it is. */
import { button, changed, element, figured, Part, truth, worded } from "./dom.js";
import { CardView } from "./card.js";
import { figures } from "./clock.js";
import { asks } from "./offers.js";
import { ending } from "./outcome.js";
import { people } from "./people.js";
import { readTiles, TableView } from "./table.js";
import { gameName, goalText } from "./texts.js";
import { say, tag } from "./words.js";

/** Seconds left from which the clock is marked. */
const LOW = 10;
/** Milliseconds between two things that are told. */
const BEHIND = 500;
/** Buttons that lay something else: who pressed one goes there, since another button has come to its place. */
const WAYS = ["do:"];

export class Screen {
  #on;
  #mode = "loading";
  /** The tab that was in view last: a row that was swiped stays so. */
  #here;

  /** @param {Document} page with the parts of index.html; `on` has an action for each thing that can be tapped */
  constructor(page, on) {
    this.#on = on;
    const part = (id) => page.getElementById(id);
    [this.title, this.place, this.clock, this.notice] = ["title", "place", "clock", "notice"].map(part);
    [this.play, this.goal, this.worth, this.board, this.said, this.aloud] = ["play", "goal", "worth", "board", "said", "aloud"].map(part);
    this.tabs = new Part(part("tabs"));
    this.buttons = new Part(part("buttons"));
    this.about = new Part(part("about"));
    this.shown = new Part(element("div", {}));
    this.table = new TableView(on);
    this.card = new CardView((press) => on.press(press), (text) => this.tell(text));
    this.root = page.documentElement;
  }

  /** @param {object} model see `Game` */
  draw(model) {
    const focused = this.play.contains(document.activeElement);
    const way = WAYS.find((key) => key === document.activeElement?.dataset.key);
    changed(this.root, { lang: tag() });
    this.#head(model);
    this.#middle(model);
    figured(this.said, model.said?.text ?? "");
    changed(this.said, { "data-kind": model.said?.kind ?? null, hidden: model.mode === "closed" });
    this.buttons.draw([model.buttons, model.going, model.extras, tag()], () => this.#rows(model));
    this.about.draw([model.about, model.mode, tag()], () => this.#side(model));
    const went = way && document.activeElement?.dataset.key !== way;
    const moved = focused && (this.#mode !== model.mode || !this.play.contains(document.activeElement));
    if (went || moved) this.play.querySelector(":is([tabindex='-1'], button):not([hidden])")?.focus();
    this.#mode = model.mode;
  }

  /** Tells a screen reader, and nobody else; `behind` what is said by the board just now, of which it would drop one. */
  tell(text, behind = false) {
    if (behind) return setTimeout(() => this.tell(text), BEHIND);
    this.aloud.textContent = this.aloud.textContent === text ? `${text}\u00a0` : text;
  }

  /** The clock; null hides it. `runs`: whether it counts the time that was taken, and not what is left. */
  time(seconds, runs = false) {
    changed(this.clock, { hidden: seconds === null, "aria-label": runs ? say("Your time") : say("Time left") });
    if (seconds === null) return;
    worded(this.clock, figures(seconds));
    changed(this.clock, { "data-low": !runs && seconds <= LOW });
  }

  /** Arrow keys, on tiles or categories. */
  step(direction) {
    if (this.#mode === "table") this.table.step(direction);
    if (this.#mode === "card") this.card.step(direction);
  }

  #head({ game, place, notice, tabs, going, state }) {
    worded(this.title, gameName(game));
    changed(this.root, { "data-watch": state?.place.kind === "watch" });
    changed(this.tabs.node, { hidden: !tabs.length, "aria-label": say("Games") });
    changed(this.tabs.node.parentNode, { "data-tabs": tabs.length > 0 });
    changed(this.title, { class: tabs.length ? "spoken" : null }); // the tab says the same
    this.tabs.draw([tabs, going, tag()], () => tabs.map((each) => this.#tab(each, going)));
    const here = this.tabs.node.querySelector("[aria-current]");
    if (here && here.dataset.key !== this.#here) this.tabs.node.scrollLeft = here.offsetLeft - this.tabs.node.offsetLeft;
    this.#here = here?.dataset.key;
    changed(worded(this.place, place ?? ""), { hidden: !place || Boolean(notice) }); // they share a line
    worded(this.notice, notice ?? "");
  }

  #tab({ key, label, isHere }, going) {
    // Two clicks at once are one: what deals a game may have to be pressed again.
    const press = ({ detail }) => !isHere && going === null && detail < 2 && this.#on.visit(key);
    return button(label, press, { class: "tab", "data-key": key, "aria-current": isHere ? "page" : null });
  }

  #middle(model) {
    const isLaid = ["table", "watch"].includes(model.mode) || (model.mode === "ended" && !model.state.tree);
    const goal = model.puzzle?.target && !model.puzzle.race_end && isLaid ? goalText(model.puzzle) : "";
    changed(worded(this.goal, goal), { hidden: !goal });
    const worth = goal && model.mode !== "ended" ? model.puzzle.about : "";
    changed(figured(this.worth, worth ?? ""), { hidden: !worth });
    changed(this.play, { "aria-busy": model.mode === "loading" ? truth(true) : null, "data-mode": model.mode });
    if (model.mode === "loading") return;
    if (model.mode === "table") this.table.draw(model.table);
    if (model.mode === "card" || (model.mode === "ended" && model.card)) this.card.draw(model.card, model.going);
    const node = { table: this.table.node, card: this.card.node }[model.mode] ?? this.shown.node;
    if (node === this.shown.node) this.shown.draw([model.mode, model.view, Boolean(model.card), tag()], () => this.#view(model));
    if (this.board.firstChild !== node) this.board.replaceChildren(node);
  }

  #view({ mode, state, puzzle, closed }) {
    const shown = state?.tree ? { ...puzzle, numbers: [] } : puzzle; // the tree has them
    if (mode === "ended") return [ending(state), ...read(state, shown, say("You are watching. The link ends here.")), state.card ? this.card.node : null];
    if (mode === "watch") return read(state, puzzle, say("You are watching."));
    if (mode === "closed") return [element("h2", { tabindex: "-1" }, closed.title), element("p", {}, closed.text)];
    const ways = state?.place.kind === "watch" ? null : say("Deal one here, or choose a game in the chat: /help shows them all.");
    return [element("h2", { tabindex: "-1" }, say("No hand is on the table.")), ways && element("p", {}, ways)];
  }

  #rows({ buttons, going, extras }) {
    const rows = buttons.map((row) => row.map((each) => this.#button(each, going)));
    const more = extras.map(({ label, action }) => button(label, () => this.#on[action](), { "data-key": action }));
    return [...rows, more].filter((row) => row.length).map((row) => element("div", { class: "buttons" }, ...row));
  }

  #button({ key, label, note, press }, going) {
    const grave = press !== null && asks(press);
    // Two clicks at once on what asks first are one: the button that asks has come under the finger by the second.
    const made = button(label, ({ detail }) => going === null && !(grave && detail > 1) && this.#on.press(press), {
      "data-key": key,
      "aria-disabled": going === null && press !== null ? null : "true",
      "aria-busy": going !== null && going === press ? "true" : null,
    });
    if (note) made.append(" ", element("small", {}, note));
    return made;
  }

  #side({ about }) {
    return [...people(about.people), ...this.#invitation(about)];
  }

  /** What lets others watch: a button that makes a link, and the link. */
  #invitation({ invites, link }) {
    const more = { class: "quietly", "data-key": "watch" };
    const asks = invites ? [button(say("Link for spectators"), () => this.#on.watch(), more)] : [];
    const known = invites && link ? [element("p", {}, element("a", { href: link, class: "link" }, link))] : [];
    return [...asks, ...known];
  }
}

/** What who has nothing to tap sees: the tiles, and that they watch; without a card of their own, nothing yet. */
function read({ place }, puzzle, watching) {
  return [puzzle.numbers.length ? readTiles(puzzle) : null, place.kind === "watch" ? element("p", { class: "quiet" }, watching) : null];
}
