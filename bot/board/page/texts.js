/** Texts about the game for the screen and for screen readers. "Describe" functions serve screen readers. */
import { formatValue, hasLetter, OPERATIONS } from "./expression.js";
import { Fraction } from "./fraction.js";
import { dealTiles, judgeTiles, OBSTACLES } from "./tiles.js";
import { isolateName, say } from "./translations.js";

/** Return a game's title as the bot sends it; "" stands for the game that the page is named after. */
export function formatGameName(title) {
  return title || say("Twenty-Four");
}

export function formatGoal(puzzle) {
  return say("Make {target}", { target: formatValue(Fraction.parse(puzzle.target)) });
}

export function describeDeal(puzzle) {
  return formatGoal(puzzle) + say(": ") + describeTiles(dealTiles(puzzle));
}

export function nameOperation(op) {
  return {
    "+": () => say("plus"),
    "-": () => say("minus"),
    "*": () => say("times"),
    "/": () => say("divided by"),
  }[op]();
}

/** Return one of `OBSTACLES` in the few words that fit a tile. */
export function formatObstacle(obstacle) {
  return {
    [OBSTACLES.zero]: () => say("divides by zero"),
    [OBSTACLES.fraction]: () => say("not a whole number"),
    [OBSTACLES.low]: () => say("not above zero"),
  }[obstacle]();
}

/** Return the forbidden operation on the number in `place`, and the obstacle. */
export function formatForbiddenMove({ places, chosen, op }, place, obstacle) {
  const [left, right] = [places[chosen], places[place]].map((each) => formatValue(each.value));
  return `${left}${OPERATIONS[op].sign}${right}${say(": ")}${formatObstacle(obstacle)}`;
}

export function describeValue(value) {
  if (value.isWhole) return formatValue(value);
  const sign = value.numerator < 0n ? "−" : "";
  return sign + say("{n} over {d}", { n: String(value.numerator).replace("-", ""), d: value.denominator });
}

export function describeTile(expression) {
  const value = describeValue(expression.value);
  return hasLetter(expression) ? expression.label + say(", ") + value : value;
}

/** Describe all tiles that are left. */
export function describeTiles({ places }) {
  return places.filter(Boolean).map(describeTile).join(say("; "));
}

/** Return the text for a last number that is not the target; null in any other case. */
export function formatMiss(table) {
  if (judgeTiles(table) !== "missed") return null;
  const value = formatValue(table.places.find(Boolean).value);
  const { accepts_near: acceptsNear, target } = table.puzzle;
  if (acceptsNear) {
    const off = Math.abs(value - target);
    return value + say(": ") + say("{off} away from {target}", { off, target });
  }
  return say("That makes {value}, not {target}. Undo, and try another way.", {
    value,
    target: formatValue(Fraction.parse(target)),
  });
}

/** Return the number of the roll; "" if the game ended before the card was full. `turn` counts the rolls before. */
export function formatRoll(card) {
  if (card.dice.length) return say("Roll {n} of {all}", { n: card.turn + 1, all: card.turns });
  return card.turn < card.turns ? "" : say("The card is full.");
}

/** Describe the roll and its dice; without a roll, the total. */
export function describeScorecard(card) {
  if (card.dice.length) return formatRoll(card) + say(": ") + card.dice.join(" ");
  return `${formatRoll(card)} ${say("Total: {n}", { n: card.total })}`;
}

/** Return the number of the hand in its race, and the group's title; "" or undefined without either. */
export function formatPlace(state) {
  const [hand, title] = [state?.round?.race_hand, state?.place.title];
  return hand && title ? `${hand} · ${isolateName(title)}` : hand || title;
}

/** Return the text for an entry that the bot refused for good; `day` is set for an answer to a daily hand. */
export function formatRefusal(day, status) {
  if (day) return say("Your answer to the hand of {day} could not be sent.", { day });
  return status === 409 ? say("That came too late: the table has changed.") : say("That could not be sent.");
}

/** Return the announcement for one of the clock's thresholds. */
export function formatThreshold(seconds) {
  return {
    60: () => say("One minute left."),
    30: () => say("30 seconds left."),
    10: () => say("10 seconds left."),
  }[seconds]();
}

/**
 * Return why nothing can be played, and what to do, as `{title, text}`.
 * @param {number|"failed"|"link"|null|undefined} status the refusing HTTP status; "failed" for an error of the page,
 *   "link" for an unknown or expired link, null without any link, undefined while no response comes
 * @param {object} options `hasWaiting`: whether an answer still waits to be sent; `host` of the page
 */
export function formatClosure(status, { hasWaiting = false, host = globalThis.location?.hostname } = {}) {
  const isLocal = ["127.0.0.1", "localhost"].includes(host);
  const known = {
    401: () => [
      say("This board was closed a while ago."),
      isLocal
        ? say("Type /board in the terminal, and open the link that it shows.")
        : say("Open it again from the chat."),
    ],
    403: () => [
      say("This board can’t be opened."),
      isLocal
        ? say("The link was used before. Type /board in the terminal for another.")
        : say("The link was used before, or is for somebody else. Open the board from the chat you play in."),
    ],
    link: () => [
      say("This link opens no board."),
      isLocal
        ? say("Perhaps it is cut short, or too old. Copy all of it, or type /board in the terminal for another.")
        : say("Perhaps it is cut short, or too old. Copy all of it, or ask for another."),
    ],
    failed: () => [say("Something went wrong on this page."), say("Reload it.")],
    429: () => [say("Too many tries."), say("Wait a minute, then open it again from the chat.")],
    null: () => [
      say("Nothing to play here yet."),
      isLocal
        ? say("Type /board in the terminal, and open the link that it shows.")
        : say("Open the board by the button under a hand in the chat."),
    ],
  }[status];
  const offline = () => [say("No connection."), say("The page comes back by itself once there is one.")];
  const refused = () => [say("This board can’t be opened."), say("Open it again from the chat.")];
  const [title, text] = (known ?? (status === undefined ? offline : refused))();
  return { title, text: hasWaiting ? `${text} ${say("Your answer is kept, and sent then.")}` : text };
}
