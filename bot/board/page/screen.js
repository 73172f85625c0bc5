/** Draw the whole page from the model of `Game`. Nodes whose contents have not changed stay. */
import { needsConfirmation, PRESS } from "./buttons.js";
import { formatSeconds } from "./clock.js";
import { createButton, createElement, Region, setAttributes, setMathText, setText, toAriaBoolean } from "./dom.js";
import { createEnding } from "./ending.js";
import { createPeopleList } from "./people.js";
import { ScorecardView } from "./scorecard.js";
import { formatGameName, formatGoal } from "./texts.js";
import { createReadOnlyTiles, TilesView } from "./tiles_view.js";
import { getLanguageTag, say } from "./translations.js";

const CLOCK_SECONDS = 3600; // from here on the clock shows the time left
const LOW_TIME_SECONDS = 10; // the clock is marked from here on
const ANNOUNCEMENT_DELAY_MS = 500;

export class Screen {
  #actions;
  #mode = "loading";
  #visibleTab; // the key of the tab that was last scrolled into view; the reader may have swiped since

  /**
   * @param {Document} page index.html
   * @param {object} actions functions by name, which buttons call
   */
  constructor(page, actions) {
    this.#actions = actions;
    const find = (id) => page.getElementById(id);
    [this.title, this.place, this.clock, this.notice] = ["title", "place", "clock", "notice"].map(find);
    [this.play, this.goal, this.details, this.board] = ["play", "goal", "details", "board"].map(find);
    [this.message, this.announcement] = ["message", "announcement"].map(find);
    this.tabs = new Region(find("tabs"));
    this.buttons = new Region(find("buttons"));
    this.sidebar = new Region(find("sidebar"));
    this.panel = new Region(createElement("div", {}));
    this.tiles = new TilesView(actions);
    this.scorecard = new ScorecardView((press) => actions.pressButton(press), (text) => this.announce(text));
    this.root = page.documentElement;
  }

  /** @param {object} model see `Game.buildModel` */
  draw(model) {
    const hadFocus = this.play.contains(document.activeElement);
    const isOnDailyButton = document.activeElement?.dataset.key === PRESS.showDailyHand;
    setAttributes(this.root, { lang: getLanguageTag() });
    this.#drawHeader(model);
    this.#drawBoard(model);
    setMathText(this.message, model.message?.text ?? "");
    setAttributes(this.message, { "data-kind": model.message?.kind ?? null, hidden: model.mode === "closed" });
    const language = getLanguageTag();
    const { buttons, pageButtons, pendingPress, sidebar, mode } = model;
    this.buttons.draw([buttons, pendingPress, pageButtons, language], () => this.#createButtonRows(model));
    this.sidebar.draw([sidebar, mode, language], () => this.#createSidebar(model));
    const isDailyButtonGone = isOnDailyButton && document.activeElement?.dataset.key !== PRESS.showDailyHand;
    const isFocusLost = hadFocus && (this.#mode !== mode || !this.play.contains(document.activeElement));
    const focusable = this.play.querySelector(":is([tabindex='-1'], button):not([hidden])");
    if (isDailyButtonGone || isFocusLost) focusable?.focus();
    this.#mode = mode;
  }

  /** Tell screen readers a text; `isDelayed` after the message that changes now, which they would else skip. */
  announce(text, isDelayed = false) {
    if (isDelayed) return setTimeout(() => this.announce(text), ANNOUNCEMENT_DELAY_MS);
    // The same text again is announced only if it differs somehow.
    this.announcement.textContent = this.announcement.textContent === text ? `${text}\u00a0` : text;
  }

  /**
   * @param {number|null} seconds null hides the clock
   * @param {boolean} isTimeTaken whether it shows the time taken, not the time left
   */
  drawClock(seconds, isTimeTaken = false) {
    const label = isTimeTaken ? say("Your time") : say("Time left");
    setAttributes(this.clock, { hidden: seconds === null, "aria-label": label });
    if (seconds === null) return;
    setText(this.clock, formatSeconds(seconds));
    setAttributes(this.clock, { "data-low": !isTimeTaken && seconds <= LOW_TIME_SECONDS });
  }

  /** Move the focus among tiles or categories. */
  moveFocus(direction) {
    if (this.#mode === "table") this.tiles.moveFocus(direction);
    if (this.#mode === "card") this.scorecard.moveFocus(direction);
  }

  #drawHeader({ game, place, notice, tabs, pendingPress, state }) {
    setText(this.title, formatGameName(game));
    setAttributes(this.root, { "data-watch": state?.place.kind === "watch" });
    setAttributes(this.tabs.node, { hidden: !tabs.length, "aria-label": say("Games") });
    setAttributes(this.tabs.node.parentNode, { "data-tabs": tabs.length > 0 });
    setAttributes(this.title, { class: tabs.length ? "visually-hidden" : null }); // the tab shows it
    const createTabs = () => tabs.map((each) => this.#createTab(each, pendingPress));
    this.tabs.draw([tabs, pendingPress, getLanguageTag()], createTabs);
    this.#scrollToCurrentTab();
    setAttributes(setText(this.place, place ?? ""), { hidden: !place || Boolean(notice) }); // they share a line
    setText(this.notice, notice ?? "");
  }

  #createTab({ key, label, isCurrent }, pendingPress) {
    // The second click of a double click is ignored: it would confirm the question that the first one asks.
    const handleClick = ({ detail }) => !isCurrent && pendingPress === null && detail < 2 && this.#actions.openTab(key);
    const attributes = { class: "tab", "data-key": key, "aria-current": isCurrent ? "page" : null };
    return createButton(label, handleClick, attributes);
  }

  #scrollToCurrentTab() {
    const { node } = this.tabs;
    const tab = node.querySelector("[aria-current]");
    if (tab && tab.dataset.key !== this.#visibleTab) node.scrollLeft = tab.offsetLeft - node.offsetLeft;
    this.#visibleTab = tab?.dataset.key;
  }

  #drawBoard(model) {
    const { mode, puzzle, state, card, pendingPress } = model;
    const showsTiles = ["table", "watch"].includes(mode) || (mode === "ended" && !state.tree);
    const goal = puzzle?.target && !puzzle.race_end && showsTiles ? formatGoal(puzzle) : "";
    setAttributes(setText(this.goal, goal), { hidden: !goal });
    const due = state?.place.kind === "class" ? formatDue(puzzle?.deadline) : "";
    const details = goal && mode !== "ended" ? [puzzle.about, due].filter(Boolean).join(" · ") : "";
    setAttributes(setMathText(this.details, details), { hidden: !details });
    setAttributes(this.play, { "aria-busy": mode === "loading" ? toAriaBoolean(true) : null, "data-mode": mode });
    if (mode === "loading") return;
    if (mode === "table") this.tiles.draw(model.table);
    if (mode === "card" || (mode === "ended" && card)) this.scorecard.draw(card, pendingPress);
    const node = { table: this.tiles.node, card: this.scorecard.node }[mode] ?? this.panel.node;
    if (node === this.panel.node) {
      this.panel.draw([mode, model.viewKey, Boolean(card), getLanguageTag()], () => this.#createPanel(model));
    }
    if (this.board.firstChild !== node) this.board.replaceChildren(node);
  }

  #createPanel({ mode, state, puzzle, closure }) {
    if (mode === "ended") {
      const shownPuzzle = state.tree ? { ...puzzle, numbers: [] } : puzzle; // the tree shows the numbers
      const watched = createWatchedTiles(state, shownPuzzle, say("You are watching. The link ends here."));
      return [createEnding(state), ...watched, state.card ? this.scorecard.node : null];
    }
    if (mode === "watch") return createWatchedTiles(state, puzzle, say("You are watching."));
    if (mode === "closed") return createNotice(closure.title, closure.text);
    if (state?.place.kind === "class") {
      if (state.buttons.length) return createNotice(say("Your homework is here."));
      return createNotice(say("Wait for the first hand."), say("Your teacher deals it."));
    }
    const isWatching = state?.place.kind === "watch";
    const advice = isWatching ? null : say("Deal one here, or choose a game in the chat: /help shows them all.");
    return createNotice(say("No hand is on the table."), advice);
  }

  #createButtonRows({ buttons, pendingPress, pageButtons }) {
    const rows = buttons.map((row) => row.map((each) => this.#createPressButton(each, pendingPress)));
    const pageRow = pageButtons.map(({ label, action }) => {
      return createButton(label, () => this.#actions[action](), { "data-key": action });
    });
    const shownRows = [...rows, pageRow].filter((row) => row.length);
    return shownRows.map((row) => createElement("div", { class: "buttons" }, ...row));
  }

  #createPressButton({ key, label, note, press }, pendingPress) {
    // The second click of a double click does not confirm.
    const handleClick = ({ detail }) => {
      const isDoubleClick = press !== null && needsConfirmation(press) && detail > 1;
      if (pendingPress === null && !isDoubleClick) this.#actions.pressButton(press);
    };
    const button = createButton(label, handleClick, {
      "data-key": key,
      "aria-disabled": pendingPress === null && press !== null ? null : "true",
      "aria-busy": pendingPress !== null && pendingPress === press ? "true" : null,
    });
    if (note) button.append(" ", createElement("small", {}, note));
    return button;
  }

  #createSidebar({ sidebar }) {
    const { people, canInvite, link } = sidebar;
    const nodes = createPeopleList(people);
    if (!canInvite) return nodes;
    const attributes = { class: "minor", "data-key": "watch" };
    nodes.push(createButton(say("Link for spectators"), () => this.#actions.makeSpectatorLink(), attributes));
    if (link) nodes.push(createElement("p", {}, createElement("a", { href: link, class: "link" }, link)));
    return nodes;
  }
}

/** Return when homework is due; "" without a date, and in the last hour, when the clock shows it. */
function formatDue(deadline) {
  if (!deadline || deadline - Date.now() / 1000 < CLOCK_SECONDS) return "";
  const style = { weekday: "short", day: "numeric", month: "short", hour: "numeric", minute: "2-digit" };
  return say("Due {time}", { time: new Date(deadline * 1000).toLocaleString(getLanguageTag(), style) });
}

function createNotice(title, text) {
  return [createElement("h2", { tabindex: "-1" }, title), text && createElement("p", {}, text)];
}

/** Create tiles without buttons, if the puzzle has numbers, and for spectators the text that they watch. */
function createWatchedTiles({ place }, puzzle, watchingText) {
  const tiles = puzzle.numbers.length ? createReadOnlyTiles(puzzle) : null;
  return [tiles, place.kind === "watch" ? createElement("p", { class: "quiet" }, watchingText) : null];
}
