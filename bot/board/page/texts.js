/** What is said of the game: sentences made of values, and nothing that is seen. */
import { figure, isLettered, OPERATIONS } from "./expression.js";
import { Fraction } from "./fraction.js";
import { BARRED, dealt, outcome } from "./tiles.js";
import { isolated, say } from "./words.js";

/** A game's title, as the bot sends it; the page's own for the game that it is named after, and without a game. */
export function gameName(title) {
  return title || say("Twenty-Four");
}

/** What is to be made. */
export function goalText(puzzle) {
  return say("Make {target}", { target: figure(Fraction.parse(puzzle.target)) });
}

/** The same with what was dealt, to who hears it. */
export function dealtText(puzzle) {
  return goalText(puzzle) + say(": ") + tilesText(dealt(puzzle));
}

/** What each operation is called. */
export function operationName(op) {
  return {
    "+": () => say("plus"),
    "-": () => say("minus"),
    "*": () => say("times"),
    "/": () => say("divided by"),
  }[op]();
}

/** Why two numbers may not be merged, in the few words that fit a tile. */
export function reasonText(reason) {
  return {
    [BARRED.zero]: () => say("divides by zero"),
    [BARRED.fraction]: () => say("not a whole number"),
    [BARRED.low]: () => say("not above zero"),
  }[reason]();
}

/** Why the chosen number may not be merged with the one in `place`. */
export function barredText({ places, chosen, op }, place, reason) {
  const [one, other] = [places[chosen], places[place]].map((each) => figure(each.value));
  return `${one}${OPERATIONS[op].sign}${other}${say(": ")}${reasonText(reason)}`;
}

/** What a value is called. */
export function valueName(value) {
  if (value.isWhole) return figure(value);
  const sign = value.top < 0n ? "−" : "";
  return sign + say("{n} over {d}", { n: String(value.top).replace("-", ""), d: value.bottom });
}

/** What a tile is called. */
export function tileName(expression) {
  const name = valueName(expression.value);
  return isLettered(expression) ? expression.label + say(", ") + name : name;
}

/** All tiles that are left. */
export function tilesText({ places }) {
  return places.filter(Boolean).map(tileName).join(say("; "));
}

/** What is said when the last number is not the target; null when there is nothing to say. */
export function missedText(table) {
  if (outcome(table) !== "missed") return null;
  const value = figure(table.places.find(Boolean).value);
  const { accepts_near: near, target } = table.puzzle;
  if (near) return value + say(": ") + say("{off} away from {target}", { off: Math.abs(value - target), target });
  return say("That makes {value}, not {target}. Undo, and try another way.", {
    value,
    target: figure(Fraction.parse(target)),
  });
}

/** Which roll this is, and of how many; `turn` counts those that were put already. Empty where it ended before that. */
export function rollText(card) {
  if (card.dice.length) return say("Roll {n} of {all}", { n: card.turn + 1, all: card.turns });
  return card.turn < card.turns ? "" : say("The card is full.");
}

/** The same to who hears it, with the roll, or with what the full card comes to. */
export function cardText(card) {
  return card.dice.length ? rollText(card) + say(": ") + card.dice.join(" ") : `${rollText(card)} ${say("Total: {n}", { n: card.total })}`;
}

/** Which hand of a race it is, and in which group. */
export function placeText(state) {
  const [hand, title] = [state?.round?.race_hand, state?.place.title];
  return hand && title ? `${hand} · ${isolated(title)}` : hand || title;
}

/** What is said of an answer, to the hand of a `day` or another one, that the bot refused for good. */
export function refusedText(day, status) {
  if (day) return say("Your answer to the hand of {day} could not be sent.", { day });
  return status === 409 ? say("That came too late: the table has changed.") : say("That could not be sent.");
}

/** What is said when a clock passes one of its thresholds. */
export function thresholdText(seconds) {
  return {
    60: () => say("One minute left."),
    30: () => say("30 seconds left."),
    10: () => say("10 seconds left."),
  }[seconds]();
}

/**
 * Why there is nothing to play, and what to do: by the status that ended it, "failed" for an error of the page itself,
 * "link" for a link that nobody made or that is too old, null for no link at all, undefined as long as there is no answer. `waits`: whether anything does that was
 * handed in.
 */
export function closing(status, { waits = false, host = globalThis.location?.hostname } = {}) {
  const local = ["127.0.0.1", "localhost"].includes(host);
  const told = {
    401: () => [
      say("This board was closed a while ago."),
      local ? say("Type /board in the terminal, and open the link that it shows.") : say("Open it again from the chat."),
    ],
    403: () => [
      say("This board can’t be opened."),
      local
        ? say("The link was used before. Type /board in the terminal for another.")
        : say("The link was used before, or is for somebody else. Open the board from the chat you play in."),
    ],
    link: () => [
      say("This link opens no board."),
      local
        ? say("Perhaps it is cut short, or too old. Copy all of it, or type /board in the terminal for another.")
        : say("Perhaps it is cut short, or too old. Copy all of it, or ask for another."),
    ],
    failed: () => [say("Something went wrong on this page."), say("Reload it.")],
    429: () => [say("Too many tries."), say("Wait a minute, then open it again from the chat.")],
    null: () => [say("Nothing to play here yet."), local ? say("Type /board in the terminal, and open the link that it shows.") : say("Open the board by the button under a hand in the chat.")],
  }[status];
  const broken = () => [say("No connection."), say("The page comes back by itself once there is one.")];
  const refused = () => [say("This board can’t be opened."), say("Open it again from the chat.")];
  const [title, text] = (told ?? (status === undefined ? broken : refused))();
  return { title, text: waits ? `${text} ${say("Your answer is kept, and sent then.")}` : text };
}
