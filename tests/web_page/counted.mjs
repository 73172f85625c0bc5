/** How many taps seeded hands take, the fewest first. Run by itself it prints how many hands, the middle and the most. */
import { pathToFileURL } from "node:url";
import { load, puzzle } from "./page.mjs";

const { dealt, operated, outcome, tapped } = await load("tiles");
const HANDS = 200;

/** The fewest taps that make the target, tried breadth first; null for a hand that has no solution. */
function fewest(numbers) {
  let tables = [dealt(puzzle(numbers.map(String)))];
  for (let taps = 0; tables.length && taps < 12; taps += 1) {
    if (tables.some((table) => outcome(table) === "made")) return taps;
    const next = new Map();
    for (const table of tables) for (const after of followers(table)) next.set(identity(after), after);
    tables = [...next.values()];
  }
  return null;
}

function followers(table) {
  const numbers = table.places.map((_, place) => tapped(table, place)).filter((each) => each.chosen !== null);
  const operations = table.op === null ? [..."+-*/"].map((op) => operated(table, op)).filter((each) => each.op) : [];
  return [...numbers, ...operations].filter((each) => each !== table && each.moves.length >= table.moves.length);
}

function identity({ places, chosen, op }) {
  const chose = chosen === null ? "" : `${places[chosen].value}`;
  return `${places.map((each) => (each ? String(each.value) : "")).sort()}|${chose}|${op}`;
}

/** The fewest taps of each of 200 hands. */
export function counted() {
  const [taken, chance] = [[], generator(24)];
  while (taken.length < HANDS) {
    const taps = fewest(Array.from({ length: 4 }, () => 1 + Math.floor(chance() * 13)));
    if (taps !== null) taken.push(taps);
  }
  taken.sort((a, b) => a - b);
  return taken;
}

/** Numbers from 0 to 1, the same each time. */
function generator(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const taken = counted();
  console.log(taken.length, taken[taken.length / 2], taken.at(-1));
}
