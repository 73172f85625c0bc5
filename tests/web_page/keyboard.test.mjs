import assert from "node:assert/strict";
import { test } from "node:test";
import { load, puzzle } from "./page.mjs";

const { dealTiles, resetTiles, tapOperation, tapTile, undoStep } = await load("tiles");
const { findPlace, interpretKey, KeyboardInput, matchName } = await load("keyboard");

/** A game without a screen for keyboard. */
class Table {
  submitted = 0;
  constructor(dealtPuzzle) {
    this.table = dealTiles(dealtPuzzle);
    this.keyboard = new KeyboardInput(this);
  }
  tapTile = (place) => (this.table = tapTile(this.table, place));
  tapOperation = (op) => (this.table = tapOperation(this.table, op));
  undo = () => {
    this.keyboard.clear();
    this.table = undoStep(this.table);
  };
  reset = () => (this.table = resetTiles(this.table));
  submit = () => (this.submitted += 1);
  showMessage = () => {};
  time = 1000;
  now = () => this.time;
  screen = { announce: () => {} };
  keys(...keys) {
    return keys.map((key) => this.keyboard.handleKey(key, false));
  }
  get values() {
    return this.table.places.map((each) => each && String(each.value));
  }
}

test("keys are mapped to their meanings", () => {
  assert.deepEqual(["*", "×", ":", "−"].map((key) => interpretKey(key).op), ["*", "*", "/", "-"]);
  assert.deepEqual(interpretKey("Backspace"), { command: "undo" });
  assert.deepEqual(interpretKey("ArrowLeft"), { arrow: "left" });
  assert.equal(interpretKey("Tab"), null);
  assert.equal(interpretKey("F5"), null);
});

test("digits wait while they could begin several numbers", () => {
  assert.deepEqual(matchName("2", [["2"], ["25"], []]), { place: null, isIncomplete: true, rest: "" });
  assert.deepEqual(matchName("25", [["2"], ["25"], []]), { place: 1, isIncomplete: false, rest: "" });
  assert.deepEqual(matchName("3", [["8"], ["3"], ["3"]]), { place: 1, isIncomplete: false, rest: "" });
  assert.deepEqual(matchName("9", [["8"], ["3"]]), { place: null, isIncomplete: false, rest: "" });
  assert.deepEqual(matchName("2", [["25"], ["3"]]), { place: 0, isIncomplete: false, rest: "5" });
  assert.equal(findPlace("2", [["25"], ["2"]]), 1);
  assert.equal(findPlace("", [[], ["2"]]), null);
});

test("the classic hand can be typed", () => {
  const table = new Table(puzzle(["3", "8", "3", "8"]));
  table.keys("8", "/", "3", "3", "-", "8");
  assert.deepEqual(table.values, ["8/3", null, "3", "8"]);
  table.keys("/", "3");
  assert.deepEqual(table.values, ["1/3", null, null, "8"]);
  table.keys("8", "/", "1");
  assert.deepEqual(table.values, ["24", null, null, null]);
});

test("brackets are honoured, and products come first in them", () => {
  for (const keys of ["8/(3-8/3)", "8/(3-(8/3))"]) {
    const table = new Table(puzzle(["3", "8", "3", "8"]));
    table.keys(...keys);
    assert.deepEqual(table.values.filter(Boolean), ["24"], keys);
  }
  const table = new Table(puzzle(["2", "12", "3", "6"], { labels: ["2", "Q", "3", "6"] }));
  table.keys(..."(6-2)*(q-3*");
  assert.deepEqual(table.values, ["4", "12", "3", null], "nothing is joined before the bracket is closed");
  table.keys("Backspace", "Backspace", "Backspace", "-", "3", ")");
  assert.deepEqual(table.values.filter(Boolean), ["36"]);
});

test("brackets that can't be made change nothing", () => {
  for (const keys of ["8/(3-7)", "8/(3-)", "8/()", "(8*8*8)"]) {
    const table = new Table(puzzle(["3", "8", "3", "8"]));
    const messages = [];
    table.showMessage = (text) => messages.push(text);
    table.keys(...keys);
    assert.deepEqual(table.values, ["3", "8", "3", "8"], keys);
    assert.match(messages.at(-1), /can’t be made of these numbers/);
    table.keys("Escape", ")", "3", "+", "8");
    assert.deepEqual(table.values.filter(Boolean).length, 3, "others can be typed after it");
  }
});

test("a sign or Enter completes a number", () => {
  const table = new Table(puzzle(["2", "25", "4", "100"], { uses_all: false, accepts_near: true }));
  table.keys("2", "*", "2", "5");
  assert.deepEqual(table.values, [null, "50", "4", "100"]);
  table.keys("Backspace", "Backspace", "Escape", "2", "Enter");
  assert.equal(table.table.chosen, 0);
  assert.equal(table.submitted, 0);
  table.keys("Enter");
  assert.equal(table.submitted, 0, "a number as it was dealt is submitted in by its button alone");
  table.keys("+", "4", "Enter");
  assert.equal(table.submitted, 1);
});

test("Enter presses a focused button", () => {
  const table = new Table(puzzle(["2", "4"], { accepts_near: true }));
  assert.equal(table.keyboard.handleKey("Enter", true), false);
  assert.equal(table.submitted, 0);
});

test("a focused tile does not take Enter from somebody who types", () => {
  const table = new Table(puzzle(["2", "4"], { accepts_near: true, uses_all: false }));
  table.keys("2", "+", "4");
  assert.equal(table.keyboard.handleKey("Enter", true, true), true);
  assert.equal(table.submitted, 1);
  table.keys("Escape", "2");
  assert.equal(table.keyboard.handleKey("Enter", true, true), true, "nothing to hand in: it unselects nothing either");
  assert.deepEqual([table.submitted, table.table.chosen], [1, 0]);
});

test("cards are chosen by letter, and x multiplies", () => {
  const table = new Table(puzzle(["12", "1", "2"], { labels: ["Q", "A", "2"] }));
  table.keys("q", "x", "2");
  assert.deepEqual(table.values, [null, "1", "24"]);
});

test("keys without a tile do nothing", () => {
  const table = new Table(puzzle(["2", "4"]));
  table.keys("7", "z", "+");
  assert.equal(table.table.chosen, null);
});

test("a number may be typed in full where its first digit was enough", () => {
  const table = new Table(puzzle(["25", "75", "50", "3", "7", "5"], { uses_all: false, accepts_near: true }));
  table.keys("2", "5", "+", "3");
  assert.deepEqual(table.values, [null, "75", "50", "28", "7", "5"]);
  table.keys("-", "7", "5");
  assert.deepEqual(table.values, [null, "-47", "50", null, "7", "5"], "of two that begin so it waited");
  table.keys("5", "0", "-", "5", "5");
  assert.deepEqual(table.values, [null, "-47", null, null, "7", "45"]);
  assert.equal(table.table.chosen, 5, "the second five has no tile");
});

test("a queen is twelve beside a two", () => {
  const table = new Table(puzzle(["12", "2", "3"], { labels: ["Q", "2", "3"] }));
  table.keys("1", "2", "*", "3");
  assert.deepEqual(table.values, [null, "2", "36"]);
});

test("only the rest of a tile's name is swallowed", () => {
  const table = new Table(puzzle(["25", "50", "3"], { uses_all: false, accepts_near: true }));
  table.keys("2", "3");
  assert.equal(table.table.chosen, 2, "23 is no number here: another one is meant");
  table.keys("2", "Backspace", "5");
  assert.equal(table.table.chosen, 1, "what was taken back has no rest");
  table.keys("2", "+", "5");
  assert.deepEqual(table.values, [null, "75", "3"]);
});

test("the rest of a number that ended a hand chooses no tile of the next one", () => {
  for (const [ending, late, chosen] of [["2", 0.4, null], ["2", 1.5, 0], ["3", 0.4, 1]]) {
    const table = new Table(puzzle(["2", "12"]));
    table.keys("2", "*", "1");
    assert.deepEqual(table.values, [null, "24"]);
    table.table = dealTiles(puzzle(["2", "3"]));
    table.keyboard.noteDeal();
    table.time += late;
    table.keys(ending);
    assert.equal(table.table.chosen, chosen);
  }
});

test("the slash of a typed fraction is swallowed while the fraction is chosen", () => {
  const table = new Table(puzzle(["1", "8/3", "3"]));
  table.keys("1", "+", "8", "/", "3");
  assert.deepEqual(table.values, [null, null, "11/9"], "a stroke behind what was merged divides");
  table.keys("Backspace", "Backspace", "-", "8");
  table.table = dealTiles(puzzle(["1", "3"]));
  table.keyboard.noteDeal();
  table.keys("/", "3");
  assert.equal(table.table.chosen, null);
});
