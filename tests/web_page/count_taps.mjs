/** The taps that seeded hands take, in ascending order. Run alone it prints the number of hands, the median and the maximum. */
import { pathToFileURL } from "node:url";
import { load, puzzle } from "./page.mjs";

const { dealTiles, tapOperation, judgeTiles, tapTile } = await load("tiles");
const HANDS = 200;

/** Return the fewest taps that make the target, by breadth-first search; null if there is no solution. */
function findFewestTaps(numbers) {
  let tables = [dealTiles(puzzle(numbers.map(String)))];
  for (let taps = 0; tables.length && taps < 12; taps += 1) {
    if (tables.some((table) => judgeTiles(table) === "made")) return taps;
    const next = new Map();
    for (const table of tables) for (const after of listFollowers(table)) next.set(identify(after), after);
    tables = [...next.values()];
  }
  return null;
}

function listFollowers(table) {
  const numbers = table.places.map((_, place) => tapTile(table, place)).filter((each) => each.chosen !== null);
  const operations = table.op === null ? [..."+-*/"].map((op) => tapOperation(table, op)).filter((each) => each.op) : [];
  return [...numbers, ...operations].filter((each) => each !== table && each.moves.length >= table.moves.length);
}

function identify({ places, chosen, op }) {
  const chose = chosen === null ? "" : `${places[chosen].value}`;
  return `${places.map((each) => (each ? String(each.value) : "")).sort()}|${chose}|${op}`;
}

/** Return the fewest taps of each of 200 hands, sorted. */
export function countTaps() {
  const [taken, chance] = [[], makeRandom(24)];
  while (taken.length < HANDS) {
    const taps = findFewestTaps(Array.from({ length: 4 }, () => 1 + Math.floor(chance() * 13)));
    if (taps !== null) taken.push(taps);
  }
  taken.sort((a, b) => a - b);
  return taken;
}

/** Return a generator of pseudo-random numbers from 0 to 1. */
function makeRandom(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const taken = countTaps();
  console.log(taken.length, taken[taken.length / 2], taken.at(-1));
}
