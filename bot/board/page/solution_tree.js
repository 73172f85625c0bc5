/** Draw a solution as a tree, as the bot's pictures do: cards in a row, combined step by step down to the target. */
const SVG = "http://www.w3.org/2000/svg";
/** The sheet of small cards has a column for each rank and a row for each suit. */
const SUITS = "♠♥♦♣";
const RANKS = 13;
// Lengths, in units of the drawing.
const CARD_WIDTH = 132;
const CARD_HEIGHT = 166;
const FACE_HEIGHT = 160; // of a card without its shadow
const COLUMN_WIDTH = 184; // from the middle of one card to the next
const BRANCH_HEIGHT = 48; // from an operand down to its operation
const DISC_RADIUS = 36;
const GAP = 16;
const VALUE_SIZE = 60; // font size of an intermediate result
const RESULT_SIZE = 150;
/** Height of a digit, as a part of its font size. */
const DIGIT_HEIGHT = 0.73;
const STEP_SECONDS = 0.7;

function createShape(name, attributes, ...children) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

/**
 * @param {object} root `{sign, left, right, value}` for a step, `{number, suit}` for a card, `{number}` for a tile
 * @param {string} label the solution as text, for screen readers
 */
export function createSolutionTree(root, label) {
  const leaves = countLeaves(root);
  const width = Math.max(leaves, 2) * COLUMN_WIDTH;
  const height = computeBottom(countSteps(root), RESULT_SIZE) + GAP;
  const left = (width - leaves * COLUMN_WIDTH) / 2;
  const attributes = { class: "tree", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label };
  return createShape("svg", attributes, ...createNodes(root, left, RESULT_SIZE));
}

function countLeaves(node) {
  return node.sign ? countLeaves(node.left) + countLeaves(node.right) : 1;
}

/** Return the largest number of steps from a card down to the node. */
function countSteps(node) {
  return node.sign ? 1 + Math.max(countSteps(node.left), countSteps(node.right)) : 0;
}

/** Return the lower edge of a value of this font size with so many steps above it. */
function computeBottom(steps, size) {
  if (!steps) return CARD_HEIGHT;
  const operationHeight = BRANCH_HEIGHT + DISC_RADIUS + GAP;
  const stepHeight = operationHeight + VALUE_SIZE * DIGIT_HEIGHT + GAP;
  return CARD_HEIGHT + (steps - 1) * stepHeight + operationHeight + size * DIGIT_HEIGHT;
}

/** Draw a node and all above it; its leaves begin at `left`. */
function createNodes(node, left, size) {
  const x = left + (countLeaves(node) * COLUMN_WIDTH) / 2;
  if (!node.sign) return [node.suit && node.number <= RANKS ? createCard(node, x) : createTile(node, x)];
  const steps = countSteps(node);
  const bottom = computeBottom(steps, size);
  const y = bottom - size * DIGIT_HEIGHT - GAP - DISC_RADIUS;
  const right = left + countLeaves(node.left) * COLUMN_WIDTH;
  const sign = createShape("text", { x, y: y + VALUE_SIZE * 0.35, class: "op", "font-size": VALUE_SIZE }, node.sign);
  const disc = createShape("circle", { cx: x, cy: y, r: DISC_RADIUS });
  const step = createShape("g", { class: "step" }, disc, sign, createValue(node.value, x, bottom, size));
  return [
    ...createOperand(node.left, left, x, y, steps),
    ...createOperand(node.right, right, x, y, steps),
    delayAppearance(step, steps),
  ];
}

/** Draw an operand, and the branch that leads from it to the operation at x, y. */
function createOperand(operand, left, x, y, steps) {
  const operandX = left + (countLeaves(operand) * COLUMN_WIDTH) / 2;
  const operandSteps = countSteps(operand);
  const top = computeBottom(operandSteps, VALUE_SIZE) + (operandSteps ? GAP : 0);
  const branch = createShape("path", { class: "branch", d: `M${operandX} ${top}V${y}H${x}`, pathLength: 1 });
  return [...createNodes(operand, left, VALUE_SIZE), delayAppearance(branch, steps - 0.9)];
}

function delayAppearance(node, steps) {
  node.style.animationDelay = `${steps * STEP_SECONDS}s`;
  return node;
}

/** Draw a value above `bottom`; a fraction gets a line between its numbers. */
function createValue(text, x, bottom, size) {
  const [, whole, numerator, denominator] = text.replace("-", "−").match(/^(.*?)(?:(\d+)\/(\d+))?$/);
  const style = size === RESULT_SIZE ? "value result" : "value";
  const createText = (content, x, y, fontSize) => {
    return createShape("text", { x, y, class: style, "font-size": fontSize }, content);
  };
  if (!numerator) return createText(whole, x, bottom, size);
  const smallSize = size * 0.62;
  const halfLine = (Math.max(numerator.length, denominator.length) * smallSize) / 3 + 4;
  const halfWhole = whole ? whole.trim().length * size * 0.3 : 0;
  const fractionX = x + halfWhole;
  const middle = bottom - (size * DIGIT_HEIGHT) / 2;
  const shapes = [
    createText(numerator, fractionX, middle - 9, smallSize),
    createShape("path", { class: "stroke", d: `M${fractionX - halfLine} ${middle}H${fractionX + halfLine}` }),
    createText(denominator, fractionX, middle + smallSize * DIGIT_HEIGHT + 9, smallSize),
  ];
  if (whole) shapes.unshift(createText(whole.trim(), fractionX - halfLine - halfWhole - 4, bottom, size));
  return createShape("g", {}, ...shapes);
}

/** Draw a card out of the sheet; one with a letter also shows its number. */
function createCard({ number, suit }, x) {
  const sheetSize = { width: CARD_WIDTH * RANKS, height: CARD_HEIGHT * SUITS.length };
  const sheet = createShape("image", { href: "small.png", ...sheetSize });
  const viewBox = `${(number - 1) * CARD_WIDTH} ${SUITS.indexOf(suit) * CARD_HEIGHT} ${CARD_WIDTH} ${FACE_HEIGHT}`;
  const frame = { x: x - CARD_WIDTH / 2, y: 0, width: CARD_WIDTH, height: FACE_HEIGHT };
  const card = createShape("svg", { ...frame, viewBox }, sheet);
  const hasLetter = number === 1 || number > 10;
  if (!hasLetter) return card;
  return createShape("g", {}, card, createShape("text", { x: x + 44, y: 38, class: "worth", "font-size": 30 }, number));
}

function createTile({ number }, x) {
  const top = CARD_HEIGHT - CARD_WIDTH;
  const frame = { x: x - CARD_WIDTH / 2, y: top, width: CARD_WIDTH, height: CARD_WIDTH - 6 };
  const box = createShape("rect", { class: "ivory", ...frame, rx: 20 });
  const text = createShape("text", { x, y: top + CARD_WIDTH / 2 + 20, class: "print", "font-size": 62 }, number);
  return createShape("g", {}, box, text);
}
