/** A solution as a tree, as in the bot's pictures: the cards in a row, joined step by step down to the target. */
const SVG = "http://www.w3.org/2000/svg";
/** A card of the sheet of small ones, its sheet's columns and rows, and where the rows of suits are. */
const [CARD_WIDTH, CARD_HEIGHT, COLUMNS, SUITS] = [132, 166, 13, "♠♥♦♣"];
/** Without the shade below it. */
const FACE_HEIGHT = 160;
/** From the middle of one card to the next, and from what is joined down to the line that joins it. */
const [STEP, DROP] = [184, 48];
const [DISC, CLEAR, VALUE, RESULT] = [36, 16, 60, 150];
/** Height of a figure, as a part of its letters' size. */
const CAP = 0.73;
/** Seconds from one step to the next. */
const PACE = 0.7;

function shape(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/**
 * @param {object} root `{sign, left, right, value}` for a step, `{number, suit}` for a card, `{number}` for a tile
 * @param {string} told the same as an equation
 */
export function tree(root, told) {
  const [width, height] = [Math.max(leaves(root), 2) * STEP, foot(levels(root), RESULT) + CLEAR];
  const drawn = shape("svg", { class: "tree", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": told });
  const left = (width - leaves(root) * STEP) / 2;
  drawn.append(...parts(root, left, RESULT));
  return drawn;
}

function leaves(node) {
  return node.sign ? leaves(node.left) + leaves(node.right) : 1;
}

/** The most steps on a way from a card down to that node. */
function levels(node) {
  return node.sign ? 1 + Math.max(levels(node.left), levels(node.right)) : 0;
}

/** Where a value of this size ends that has so many steps above it. */
function foot(level, size) {
  const lines = DROP + DISC + CLEAR;
  return level ? CARD_HEIGHT + (level - 1) * (lines + VALUE * CAP + CLEAR) + lines + size * CAP : CARD_HEIGHT;
}

/** What is drawn of a node whose leaves begin at `left`. */
function parts(node, left, size) {
  const x = left + (leaves(node) * STEP) / 2;
  if (!node.sign) return [node.suit && node.number <= COLUMNS ? card(node, x) : tile(node, x)];
  const level = levels(node);
  const bottom = foot(level, size);
  const y = bottom - size * CAP - CLEAR - DISC;
  const made = [node.left, node.right].flatMap((part, at) => {
    const start = left + (at ? leaves(node.left) * STEP : 0);
    const top = foot(levels(part), VALUE) + (levels(part) ? CLEAR : 0);
    const line = `M${start + (leaves(part) * STEP) / 2} ${top}V${y}H${x}`;
    return [...parts(part, start, VALUE), late(shape("path", { class: "branch", d: line, pathLength: 1 }), level - 0.9)];
  });
  const sign = shape("text", { x, y: y + VALUE * 0.35, class: "op", "font-size": VALUE }, node.sign);
  const step = shape("g", { class: "step" }, shape("circle", { cx: x, cy: y, r: DISC }), sign, value(node.value, x, bottom, size));
  return [...made, late(step, level)];
}

/** Lets a part appear with its step. */
function late(node, level) {
  node.style.animationDelay = `${level * PACE}s`;
  return node;
}

/** A value whose figures end at `bottom`; a fraction has a line between its parts. */
function value(text, x, bottom, size) {
  const [, whole, top, under] = text.replace("-", "−").match(/^(.*?)(?:(\d+)\/(\d+))?$/);
  const isResult = size === RESULT ? " result" : "";
  const written = (part, at, y, of) => shape("text", { x: at, y, class: `value${isResult}`, "font-size": of }, part);
  if (!top) return written(whole, x, bottom, size);
  const small = size * 0.62;
  const half = (Math.max(top.length, under.length) * small) / 3 + 4;
  const at = whole ? x + whole.trim().length * size * 0.3 : x;
  const middle = bottom - (size * CAP) / 2;
  const line = shape("path", { class: "stroke", d: `M${at - half} ${middle}H${at + half}` });
  const drawn = [written(top, at, middle - 9, small), line, written(under, at, middle + small * CAP + 9, small)];
  return shape("g", {}, ...(whole ? [written(whole.trim(), at - half - whole.trim().length * size * 0.3 - 4, bottom, size)] : []), ...drawn);
}

function card({ number, suit }, x) {
  const [column, row] = [(number - 1) * CARD_WIDTH, SUITS.indexOf(suit) * CARD_HEIGHT];
  const sheet = shape("image", { href: "small.png", width: CARD_WIDTH * COLUMNS, height: CARD_HEIGHT * SUITS.length });
  const box = `${column} ${row} ${CARD_WIDTH} ${FACE_HEIGHT}`;
  const drawn = shape("svg", { x: x - CARD_WIDTH / 2, y: 0, width: CARD_WIDTH, height: FACE_HEIGHT, viewBox: box }, sheet);
  const isLettered = number === 1 || number > 10;
  return isLettered ? shape("g", {}, drawn, shape("text", { x: x + 44, y: 38, class: "worth", "font-size": 30 }, number)) : drawn;
}

function tile({ number }, x) {
  const top = CARD_HEIGHT - CARD_WIDTH;
  const box = shape("rect", { class: "ivory", x: x - CARD_WIDTH / 2, y: top, width: CARD_WIDTH, height: CARD_WIDTH - 6, rx: 20 });
  return shape("g", {}, box, shape("text", { x, y: top + CARD_WIDTH / 2 + 20, class: "print", "font-size": 62 }, number));
}
