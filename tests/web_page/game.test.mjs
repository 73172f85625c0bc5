import assert from "node:assert/strict";
import { test } from "node:test";
import { load, memory, puzzle } from "./page.mjs";

const { Game } = await load("game");
const { closing } = await load("texts");
const { Day } = await load("day");
const { speak } = await load("words");

const NOON = Date.parse("2026-11-25T12:00Z") / 1000;
const ROUND = { id: 1, game: "", kind: "first", state: "open", opened: 0, deadline: null, entry_value: "" };
const STATE = {
  version: "1", now: 1000, language: "en", place: { kind: "group", title: "Club" }, card: null, day: null,
  buttons: [[{ label: "Hint", press: "h:1" }]], people: [], winner: null,
  round: { ...ROUND, ...puzzle(["3", "8", "3", "8"]) },
};

/** Return a game whose screen, Telegram and entries only record their calls. */
function makeGame({ now = 1000, kept = memory(), values = {} } = {}) {
  const record = { aloud: [], entries: [], days: [], waiting: [], judged: [], times: [] };
  const screen = { draw: (model) => (record.model = model), tell: (text) => record.aloud.push(text), time: (s) => record.times.push(s), step: () => {} };
  const telegram = { tap() {}, merged() {}, judged: (right) => record.judged.push(right), underway: (begun) => (record.underway = begun), canShare: true };
  const game = new Game({ screen, telegram, kept, day: new Day((name) => (values[name] ??= memory()), () => NOON), now: () => record.now ?? now });
  game.entries = {
    add: (entry) => `entry ${record.entries.push(entry)}`,
    isOwn: (id) => id !== "elsewhere",
    remember() {},
    get waiting() { return record.waiting; },
  };
  game.send = () => { // the bot accepts it at once
    record.days.push(...game.day.waiting);
    values["day-answers:11"].write(null);
  };
  return { game, record };
}

/** Return answers to days' hands without their ids. */
const withoutIds = ({ days }) => days.map(({ day, answer }) => ({ day, answer }));

function typeKeys(game, text) {
  for (const key of text) game.key(key, false);
}

async function openGame(state = STATE, more = {}) {
  const { game, record } = makeGame(more);
  game.connected();
  await game.take(state);
  return { game, record };
}

const CLASSIC = [1, "/", 0, 2, "-", 0, 3, "/", 0];
const tapAll = (game, list) => list.forEach((tap) => (typeof tap === "number" ? game.tap(tap) : game.operate(tap)));

test("an answer that makes the target is sent at once", async () => {
  const { game, record } = await openGame();
  tapAll(game, CLASSIC);
  assert.deepEqual(record.entries, [{ round: 1, answer: "8/(3-8/3)" }]);
  assert.deepEqual(record.aloud.slice(-3), ["8÷3 = 8 over 3", "3−8÷3 = 1 over 3", "8÷(3−8÷3) = 24"]);
  assert.equal(record.underway, true);
});

test("a merger is announced by the tile's name, also below zero", async () => {
  const { game, record } = await openGame();
  tapAll(game, [1, "/", 0, "-", 2, "-", 3]);
  assert.equal(record.aloud.at(-1), "8÷3−3−8 = −25 over 3");
});

test("a wrong result is announced and not sent", async () => {
  const { game, record } = await openGame();
  tapAll(game, [0, "+", 1, "+", 2, "+", 3]);
  assert.deepEqual(record.entries, []);
  assert.equal(record.model.said.text, "That makes 22, not 24. Undo, and try another way.");
  game.undo();
  assert.equal(record.model.said, null);
});

const DRAW = { game: "Countdown", kind: "best", ...puzzle(["75", "6"], { target: "83", uses_all: false, whole_numbers_only: true, accepts_near: true }) };

test("a result near the target is announced with its distance", async () => {
  const { game, record } = await openGame({ ...STATE, round: { ...STATE.round, ...DRAW } });
  tapAll(game, [0, "+", 1]);
  assert.deepEqual(record.model.said, { text: "81: 2 away from 83", kind: "told" });
});

test("the answer that counts is named", async () => {
  const round = { ...STATE.round, ...DRAW, entry_value: "81" };
  const { record } = await openGame({ ...STATE, round });
  assert.equal(record.model.said.text, "81: Your answer is in. A later one takes its place.");
});

test("other people's answers and votes to give up are announced", async () => {
  const people = [["Bob", false], ["Ann", true]].map(([name, you]) => ({ name, you, status: "thinking", activity: "thinking" }));
  const state = { ...STATE, people, buttons: [[{ label: "Give up", press: "s:1" }]] };
  const { game, record } = await openGame(state);
  const done = { status: "done", activity: "handed in" };
  const handed = [{ name: "Cleo", you: false, ...done }, ...people.map((each) => ({ ...each, ...done }))];
  await game.take({ ...state, people: handed });
  assert.deepEqual(record.aloud.map((text) => text.split(",")[0]), ["\u2068Cleo\u2069", "\u2068Bob\u2069"]);
  await game.take({ ...state, people: handed, buttons: [[{ label: "Give up 1/2", press: "s:1" }]] });
  assert.equal(record.aloud.at(-1), "Give up 1/2");
  assert.equal(record.aloud.length, 3);
});

test("the question for a second press is shown only while it holds", async () => {
  const round = { ...STATE.round, game: "Yahtzee", kind: "contest", state: "running", numbers: [], labels: [], target: "" };
  const state = { ...STATE, round, buttons: [[{ label: "End", press: "ce:1" }], [{ label: "Deal a hand", press: "st:deal" }]] };
  const { game, record } = await openGame(state);
  game.press("ce:1");
  game.word({ id: "entry 1", text: "1 other is still playing. Press once more to end it.", right: null });
  assert.match(record.model.said.text, /once more/);
  await game.take({ ...state, buttons: state.buttons.slice(1) });
  assert.equal(record.model.said, null);
  game.inform("The link is copied.");
  assert.equal(record.model.said.text, "The link is copied.");
});

test("a closed page shows nothing else", async () => {
  const { game, record } = await openGame({ ...STATE, round: { ...STATE.round, deadline: 1090 } });
  game.lost();
  game.end(403);
  game.tick();
  assert.deepEqual([record.model.mode, record.model.place, record.model.notice, record.times.at(-1)], ["closed", null, null, null]);
});

test("a typed number without a tile is announced", async () => {
  const { game, record } = await openGame();
  typeKeys(game, "9");
  assert.equal(record.model.said.text, "There is no 9 here.");
  typeKeys(game, "q");
  assert.equal(record.model.said.text, "There is no Q here.");
  assert.equal(game.table.chosen, null);
});

test("a forbidden move is explained and changes nothing", async () => {
  const round = { ...STATE.round, game: "Countdown", ...puzzle(["75", "6"], { target: "300", uses_all: false, whole_numbers_only: true, accepts_near: true }) };
  const { game, record } = await openGame({ ...STATE, round });
  tapAll(game, [1, "-", 0]);
  assert.equal(record.model.said.text, "6−75: not above zero");
  game.operate("+");
  game.tap(0);
  game.hand();
  assert.deepEqual(record.entries, [{ round: 1, answer: "6+75" }]);
});

test("the bot's verdict is shown, and another attempt begins from the deal", async () => {
  const { game, record } = await openGame({ ...STATE, round: { ...STATE.round, kind: "all" } });
  tapAll(game, CLASSIC);
  game.word({ id: "x", text: "One of three.", right: true });
  assert.deepEqual(record.model.said, { text: "One of three.", kind: "good" });
  assert.equal(record.model.table.moves.length, 0);
  assert.deepEqual(record.judged, [true]);
});

test("tiles stay when the state changes and after a reload", async () => {
  const kept = memory();
  const { game, record } = await openGame(STATE, { kept });
  tapAll(game, [1, "/", 0]);
  await game.take({ ...STATE, version: "2", people: [{ name: "Bob", you: false, status: "tried", activity: "tried" }] });
  assert.equal(record.model.table.moves.length, 1);
  const again = await openGame(STATE, { kept });
  assert.equal(again.record.model.table.moves.length, 1);
  await game.take({ ...STATE, round: { ...STATE.round, id: 2 } });
  assert.equal(record.model.table.moves.length, 0);
});

test("the end is announced with winner and answer", async () => {
  const { game, record } = await openGame();
  const winner = { name: "Ann", you: false, answer: "8/(3-8/3)" };
  await game.take({ ...STATE, winner, round: { ...STATE.round, state: "over" } });
  assert.equal(record.model.mode, "ended");
  assert.equal(record.aloud.at(-1), "\u2068Ann\u2069 won. 8÷(3−8÷3) = 24");
  assert.deepEqual(record.model.extras.map((each) => each.action), ["share"]);
});

test("a nearest win is announced with its value, distance and the best result", async () => {
  const near = { ...STATE.round, game: "Countdown", kind: "best", target: "196" };
  const { game, record } = await openGame({ ...STATE, round: near });
  const winner = { name: "Ann", you: false, answer: "(1+1)*100-3", value: "197" };
  await game.take({ ...STATE, winner, round: { ...near, state: "over", best_solution: "(50-1)*(3+1) = 196" } });
  assert.equal(record.aloud.at(-1), "\u2068Ann\u2069 won. (1+1)×100−3 = 197. 1 away from 196. Best: (50−1)×(3+1) = 196");
});

test("a nearest win that nothing beats is announced without a better result", async () => {
  const near = { ...STATE.round, game: "Countdown", kind: "best", target: "196" };
  const { game, record } = await openGame({ ...STATE, round: near });
  const winner = { name: "Ann", you: true, answer: "(50-1)*(3+1)", value: "196" };
  await game.take({ ...STATE, winner, round: { ...near, state: "over", best_solution: "(3+1)*(50-1) = 196" } });
  assert.equal(record.aloud.at(-1), "You won! (50−1)×(3+1) = 196");
  await game.take({ ...STATE, round: { ...near, id: 2 } });
  await game.take({ ...STATE, round: { ...near, id: 2, state: "over", best_solution: "(50-1)*(3+1) = 196" } });
  assert.equal(record.aloud.at(-1), "The hand is over. Best: (50−1)×(3+1) = 196");
});

test("a spectator has no buttons", async () => {
  const { game, record } = await openGame({ ...STATE, place: { kind: "watch", title: "" }, buttons: [] });
  assert.equal(record.model.mode, "watch");
  assert.equal(record.model.table, null);
  typeKeys(game, "8/3");
  assert.deepEqual([record.entries, record.model.extras], [[], []]);
});

test("the clock is announced at its thresholds only", async () => {
  const { game, record } = await openGame({ ...STATE, round: { ...STATE.round, deadline: 1062 } });
  for (let now = 1000; now <= 1070; now += 0.25) {
    record.now = now;
    game.tick();
  }
  assert.deepEqual(record.aloud, ["One minute left.", "30 seconds left.", "10 seconds left."]);
  assert.equal(record.times.at(-1), 0);
});

const HURRY = "⏳ Somebody has it: five more seconds for all.";

for (const kind of ["group", "watch"]) {
  test(`a clock that jumps says why by the board, in the bot's own sentence (${kind})`, async () => {
    const round = { ...STATE.round, game: "Countdown", kind: "best", accepts_near: true, deadline: 1055, hurry: "" };
    const place = { kind, title: "" };
    const { game, record } = await openGame({ ...STATE, place, round });
    await game.take({ ...STATE, place, round: { ...round, deadline: 1006, hurry: HURRY } });
    assert.deepEqual(record.model.said, { text: HURRY, kind: "told" });
    for (record.now = 1000; record.now <= 1006; record.now += 0.25) game.tick();
    assert.deepEqual(record.aloud, []);
    await game.take({ ...STATE, place, round: { ...round, state: "over", deadline: null, hurry: "" } });
    assert.equal(record.model.said, null);
  });
}

test("a reply to this reader is shown before a hint, also without a hand", async () => {
  const notice = "⚔️ Ann challenges Bob!";
  const { game, record } = await openGame({ ...STATE, notice, round: { ...STATE.round, hints: ["The last step is ÷."] } });
  assert.deepEqual(record.model.said, { text: notice, kind: "told" });
  await game.take({ ...STATE, notice, round: null });
  assert.deepEqual(record.model.said, { text: notice, kind: "told" });
  await game.take({ ...STATE, notice: "", round: null });
  assert.equal(record.model.said, null);
});

test("a warning about the time is announced beside a verdict and does not replace it", async () => {
  const round = { ...STATE.round, game: "Countdown", kind: "best", accepts_near: true, deadline: 1055, hurry: "" };
  const { game, record } = await openGame({ ...STATE, round });
  game.word({ id: "x", text: "308: exactly!", right: true });
  await game.take({ ...STATE, round: { ...round, deadline: 1006, hurry: HURRY, entry_value: "81" } });
  assert.equal(record.model.said.text, "308: exactly!");
  assert.deepEqual(record.aloud, [HURRY]);
  game.tap(0);
  assert.equal(record.model.said.text, HURRY);
});

test("a press waits until the table has changed", async () => {
  const { game, record } = await openGame();
  game.press("h:1");
  assert.deepEqual([record.entries, record.model.going], [[{ press: "h:1" }], "h:1"]);
  await game.take(STATE);
  assert.equal(record.model.going, null);
  game.refused({}, 409);
  assert.equal(record.model.said.kind, "bad");
});

test("a press without a connection says that it waits", async () => {
  const { game, record } = await openGame();
  game.lost();
  game.press("h:1");
  assert.equal(record.model.said.text, "Kept, and sent as soon as there is a connection.");
  game.connected();
  await game.take(STATE);
  assert.equal(record.model.said, null);
});

test("a hint is shown in the place of verdicts, with the points left", async () => {
  const { game, record } = await openGame();
  const hinted = (...hints) => ({ ...STATE, round: { ...STATE.round, hints, worth: "now worth 4 points" } });
  await game.take(hinted("The last step is ÷."));
  assert.deepEqual(record.model.said, { text: "💡 The last step is ÷. (now worth 4 points)", kind: "told" });
  tapAll(game, [0, "+", 1, "+", 2, "+", 3]);
  assert.equal(record.model.said.kind, "bad");
  game.undo();
  assert.equal(record.model.said.text, "💡 The last step is ÷. (now worth 4 points)");
  await game.take(hinted("The last step is ÷.", "Make 8/3."));
  assert.equal(record.model.said.text, "💡 Make 8/3. (now worth 4 points)");
  await game.take(hinted("The last step is ÷.", "Make 8/3.", "It looks like this: □+□×(□−□)"));
  assert.equal(record.model.said.text, "💡 It looks like this: □+□×(□−□) (now worth 4 points)");
});

test("the hint button shows its price and stays when there are no more hints", async () => {
  const buttons = [[{ label: "Hint", press: "h:1" }, { label: "Give up 1/3", press: "s:1" }]];
  const { game, record } = await openGame({ ...STATE, buttons, round: { ...STATE.round, hints: [], is_hint_costly: true } });
  assert.deepEqual(record.model.buttons[0][0], { key: "h:", label: "Hint", note: "−1 point", press: "h:1" });
  await game.take({ ...STATE, buttons: [buttons[0].slice(1)], round: { ...STATE.round, hints: ["Make 8/3."] } });
  assert.deepEqual(record.model.buttons[0].map(({ label, press }) => [label, press]), [["Hint", null], ["Give up 1/3", "s:1"]]);
  game.press(null);
  assert.equal(record.model.said.text, "No more hints for this hand.");
  assert.deepEqual(record.entries, []);
});

test("giving up takes two presses without another action between", async () => {
  const { game, record } = await openGame({ ...STATE, buttons: [[{ label: "Give up", press: "s:1" }]] });
  game.press("s:1");
  assert.deepEqual(record.entries, []);
  assert.equal(record.model.said.text, "Give this hand up? Press once more.");
  assert.equal(record.model.buttons[0][0].label, "Yes, give up");
  game.tap(0);
  assert.equal(record.model.buttons[0][0].label, "Give up");
  game.press("s:1");
  assert.deepEqual(record.entries, []);
  game.press("s:1");
  assert.deepEqual(record.entries, [{ press: "s:1" }]);
  assert.equal(record.model.going, "s:1");
});

test("news does not answer the question before a hand is given up", async () => {
  const state = { ...STATE, buttons: [[{ label: "Give up", press: "s:1" }]] };
  const { game, record } = await openGame(state);
  game.press("s:1");
  game.word({ id: "x", text: "Your answer is in.", right: true });
  assert.equal(record.model.said.text, "Your answer is in.");
  assert.equal(record.model.buttons[0][0].label, "Yes, give up");
  await game.take({ ...state, buttons: [] });
  await game.take(state);
  assert.equal(record.model.buttons[0][0].label, "Give up", "the hand could not be given up for a while");
  game.press("s:1");
  await game.take({ ...state, round: { ...STATE.round, id: 2 } });
  assert.equal(record.model.buttons[0][0].label, "Give up", "another hand is on the table");
});

test("in a race the hand before and the number of the hand are shown", async () => {
  const { game, record } = await openGame();
  const before = { name: "Paul", you: false, text: "", answer: "6*(7+9)/4 = 24" };
  const next = { ...STATE.round, id: 2, race_hand: "Hand 2 of 10", last_result: before };
  await game.take({ ...STATE, round: next });
  assert.deepEqual(record.model.said, { text: "\u2068Paul\u2069: 6×(7+9)÷4 = 24", kind: "told" });
  assert.equal(record.model.place, "Hand 2 of 10 · \u2068Club\u2069");
  assert.equal(record.aloud.at(-1), "Make 24: 3; 8; 3; 8");
  await game.take({ ...STATE, round: { ...next, id: 4, last_result: { ...before, you: true } } });
  assert.deepEqual(record.model.said, { text: "You: 6×(7+9)÷4 = 24", kind: "good" });
  const nobody = { name: "", you: false, text: "Given up.", answer: "6*(7+9)/4 = 24" };
  await game.take({ ...STATE, place: { kind: "watch", title: "" }, buttons: [], round: { ...next, id: 3, last_result: nobody } });
  assert.equal(record.model.said.text, "Given up. 6×(7+9)÷4 = 24");
  assert.equal(record.model.place, "Hand 2 of 10");
});

test("a visitor without a link is record where to get one", () => {
  assert.match(closing(null, { host: "127.0.0.1" }).text, /\/board in the terminal/);
  assert.match(closing(null, { host: "play.example" }).text, /button under a hand/);
});

test("a solution that nobody found is shown and announced at the end", async () => {
  const { game, record } = await openGame();
  await game.take({ ...STATE, solution: "8/(3-8/3) = 24", round: { ...STATE.round, state: "over" } });
  assert.equal(record.aloud.at(-1), "The hand is over. 8÷(3−8÷3) = 24");
});

test("face cards are typed by letter or value", async () => {
  const round = { ...STATE.round, ...puzzle(["11", "1", "13", "12"]), labels: ["J", "A", "K", "Q"] };
  const { game, record } = await openGame({ ...STATE, round });
  typeKeys(game, "11*1*");
  assert.deepEqual(record.model.table.moves, [[0, "*", 1]]);
  typeKeys(game, "13-q");
  assert.deepEqual(record.model.table.moves, [[0, "*", 1], [1, "*", 2], [2, "-", 3]]);
});

test("a tile chosen by typing is announced", async () => {
  const round = { ...STATE.round, ...puzzle(["2", "12", "1", "3"]), labels: ["2", "Q", "A", "3"] };
  const { game, record } = await openGame({ ...STATE, round });
  typeKeys(game, "q*2+");
  assert.deepEqual(record.aloud, ["Q, 12", "Q, 12 times", "12×2 = 24", "24 plus"]);
  typeKeys(game, "+1");
  assert.deepEqual(record.aloud.slice(4), ["A, 1"], "a sign that waits no longer, and then another number");
  typeKeys(game, "-");
  assert.equal(record.aloud.at(-1), "A, 1 minus");
  const { record: tapped, game: other } = await openGame();
  tapAll(other, [0, "+"]);
  assert.deepEqual(tapped.aloud, [], "what has the focus tells that itself");
});

test("a number that is no longer chosen is announced", async () => {
  const { game, record } = await openGame();
  tapAll(game, [1, "/", 0]);
  game.tap(0);
  assert.equal(record.aloud.at(-1), "8 over 3: no longer chosen.");
  const before = record.aloud.length;
  tapAll(game, [2, "+", 2, 3]);
  assert.equal(record.aloud.length, before);
});

test("undo and reset are announced, and a reset can be undone", async () => {
  const { game, record } = await openGame();
  tapAll(game, [1, "/", 0, 2, "-", 0]);
  game.undo();
  assert.equal(record.aloud.at(-1), "Undo: 8 over 3; 3; 8");
  game.reset();
  assert.equal(record.aloud.at(-1), "Reset: 3; 8; 3; 8");
  game.undo();
  assert.equal(record.aloud.at(-1), "Undo: 8 over 3; 3; 8");
  game.reset();
  tapAll(game, [0, "+", 1]);
  game.undo();
  game.undo();
  game.undo();
  assert.equal(record.model.table.moves.length, 1);
});

test("a sign does nothing with one number left", async () => {
  const { game, record } = await openGame();
  tapAll(game, [0, "+", 1, "+", 2, "+", 3, "-"]);
  assert.equal(record.model.table.op, null);
  assert.equal(record.model.said.kind, "bad");
});

test("messages of an ended game disappear with it", async () => {
  const round = { ...ROUND, game: "Yahtzee", kind: "contest", state: "running", numbers: [], labels: [], target: "" };
  const { game, record } = await openGame({ ...STATE, round });
  game.inform("The link is copied", "https://play.example/#watch=1");
  await game.take({ ...STATE, round: { ...round, state: "over" } });
  assert.deepEqual([record.model.said, record.model.about.link], [null, null]);
});

test("the reason for a closed board follows the language", async (t) => {
  t.after(() => speak("en"));
  const { game, record } = makeGame();
  game.end(null);
  assert.equal(record.model.closed.title, "Nothing to play here yet.");
  await speak("es", async () => ({ "Nothing to play here yet.": "Nada" }));
  game.draw();
  assert.equal(record.model.closed.title, "Nada");
});

test("the notice of a lost connection follows the language", async (t) => {
  t.after(() => speak("en"));
  const { game, record } = makeGame();
  game.lost();
  await speak("es", async () => ({ "No connection. Trying again …": "Sin" }));
  game.draw();
  assert.equal(record.model.notice, "Sin");
});

test("an incomplete link is explained", () => {
  const [here, away] = ["127.0.0.1", "play.example"].map((host) => closing("link", { host }));
  assert.deepEqual([here.title, away.title], ["This link opens no board.", "This link opens no board."]);
  assert.match(here.text, /Copy all of it, or type \/board in the terminal/);
  assert.match(away.text, /Copy all of it, or ask for another/);
});

test("used links and closed boards name the terminal's command beside it only", () => {
  const [used, closed] = [403, 401].map((status) => ["127.0.0.1", "play.example"].map((host) => closing(status, { host }).text));
  assert.equal(used[0], "The link was used before. Type /board in the terminal for another.");
  assert.match(used[1], /Open the board from the chat/);
  assert.match(closed[0], /Type \/board in the terminal/);
  assert.equal(closed[1], "Open it again from the chat.");
});

test("only requests without an answer count as lost connections", () => {
  assert.equal(closing(undefined).title, "No connection.");
  for (const status of [400, 404, 415]) assert.equal(closing(status).title, "This board can’t be opened.", String(status));
});

test("an ended session is explained", async () => {
  const { game, record } = await openGame();
  game.end(401);
  assert.equal(record.model.mode, "closed");
  assert.equal(record.model.closed.text, "Open it again from the chat.");
  assert.deepEqual(record.model.buttons, []);
  assert.equal(record.aloud.at(-1), "This board was closed a while ago. Open it again from the chat.");
});

const DAY = { day: "2026-11-25", numbers: ["3", "8", "3", "8"], labels: ["3", "8", "3", "8"], target: "24", is_done: false, began: 970 };

test("a day's hand begun offline is an ordinary answer once connected", async () => {
  const { game, record } = makeGame();
  game.day.of({ id: 11 });
  game.day.keep({ language: "en", day: DAY });
  game.lost();
  tapAll(game, CLASSIC.slice(0, 3));
  game.connected();
  await game.take(STATE);
  assert.equal(record.model.puzzle.day, DAY.day, "what was begun stays");
  tapAll(game, CLASSIC.slice(3));
  assert.deepEqual([record.entries, withoutIds(record)], [[], [{ day: DAY.day, answer: "8/(3-8/3)" }]]);
});

test("the end is announced once when two states arrive together", async () => {
  const { game, record } = await openGame();
  const over = { ...STATE, round: { ...STATE.round, state: "over" }, winner: { name: "Ann", you: true, answer: "8/(3-8/3)" } };
  await Promise.all([game.take(over), game.take({ ...over, lines: ["more"] })]);
  assert.deepEqual(record.judged, [true]);
});

test("the day's hand is laid at one's own table while its time runs", async () => {
  const place = async (more) => (await openGame({ ...STATE, round: null, place: { kind: "private", title: "" }, day: DAY, ...more })).record.model.place;
  assert.equal(await place({}), "The day’s hand");
  assert.equal(await place({ round: { ...STATE.round, state: "over" } }), "The day’s hand");
  assert.equal(await place({ round: STATE.round }), "");
  assert.equal(await place({ day: { ...DAY, is_done: true }, finished_days: [DAY.day] }), "");
  assert.equal(await place({ place: { kind: "group", title: "Club" } }), "Club");
});

const ALONE = { ...STATE, round: null, buttons: [[{ label: "Solve today’s hand", press: "do:" }]], place: { kind: "private", title: "" } };
const TODAY = { ...ALONE, buttons: [], day: DAY };
const DONE = { ...DAY, is_done: true, answer: "8/(3-8/3) = 24", is_solved: true, result: ["Solved in 30 seconds.", "Your streak: 1 day"], share: "https://t.me/share", tree: null };
const readTabs = ({ model }) => model.tabs.map(({ key, isHere }) => `${key}${isHere ? " here" : ""}`);

/** Open Ann's page at her own table and lay the day's hand by its button. */
async function openTodaysHand(more = {}) {
  const { game, record } = await openGame(ALONE, more);
  game.day.of({ id: 11 });
  game.press("do:");
  await game.take(TODAY);
  return { game, record };
}

test("the day's button lays its hand, and the answer is an ordinary entry", async () => {
  const { game, record } = await openTodaysHand();
  assert.deepEqual([record.model.mode, record.model.place, record.model.said.text], ["table", "The day’s hand", "Your time runs."]);
  assert.equal(record.aloud.at(-1), "Make 24: 3; 8; 3; 8");
  assert.equal(record.times.at(-1), 30, "its time runs");
  typeKeys(game, "8/3");
  tapAll(game, ["-", 2]);
  game.reset();
  tapAll(game, CLASSIC);
  assert.deepEqual([record.entries, withoutIds(record)], [[{ press: "do:" }], [{ day: DAY.day, answer: "8/(3-8/3)" }]]);
  assert.equal(record.model.said.text, "Handed in.");
  game.word({ id: record.days[0].id, text: "Solved in 30 seconds.", right: true });
  assert.deepEqual(record.judged, [true]);
  assert.equal(record.model.place, "The day’s hand");
  const games = [{ game: "", press: "st:play:play" }];
  await game.take({ ...TODAY, games, day: DONE, finished_days: [DAY.day] });
  assert.deepEqual([record.model.mode, record.model.place, record.model.said], ["ended", "The day’s hand", null]);
  assert.equal(record.aloud.at(-1), "Solved! 8÷(3−8÷3) = 24. Solved in 30 seconds. Your streak: 1 day");
  assert.deepEqual([record.model.extras, game.dayShare], [[{ label: "Share the result", action: "shareDay" }], DONE.share]);
  assert.equal(record.times.at(-1), null);
  assert.deepEqual(readTabs(record), ["st:play:play", "day here"]);
  game.leaveDay();
  assert.deepEqual([record.model.mode, readTabs(record)], ["empty", ["st:play:play", "day"]]);
  game.visit("day");
  assert.equal(record.model.mode, "ended");
});

test("a day's hand that was given up ends with a solution, and is not shared", async () => {
  const { game, record } = await openTodaysHand();
  await game.take({ ...TODAY, day: { ...DONE, is_solved: false, result: ["Given up."], share: "" }, finished_days: [DAY.day] });
  assert.equal(record.aloud.at(-1), "The hand is over. 8÷(3−8÷3) = 24. Given up");
  assert.deepEqual(record.model.extras, []);
});

test("a tab deals its game, in a group once it was pressed again", async () => {
  const games = [{ game: "", press: null }, { game: "Countdown", press: "st:play:countdown" }];
  const over = { ...STATE, round: { ...STATE.round, state: "over" } };
  const { game, record } = await openGame({ ...over, games });
  assert.deepEqual(readTabs(record), ["hand here", "st:play:countdown"]);
  game.visit("st:play:countdown");
  assert.deepEqual([record.entries, record.model.said.text], [[], "Deal Countdown? Press once more."]);
  game.visit("st:play:countdown");
  assert.deepEqual(record.entries, [{ press: "st:play:countdown" }]);
  const { game: own, record: alone } = await openGame({ ...over, games, place: ALONE.place });
  own.visit("st:play:countdown");
  assert.deepEqual(alone.entries, [{ press: "st:play:countdown" }]);
});

test("a reply to another page's entry is announced there only", async () => {
  const { game, record } = await openTodaysHand();
  tapAll(game, CLASSIC);
  game.word({ id: record.days[0].id, text: "Solved in 30 seconds.", right: true });
  game.word({ id: "elsewhere", text: "You have solved that hand already. /daily has today’s.", right: null });
  assert.deepEqual([record.model.said.text, record.judged], ["Solved in 30 seconds.", [true]]);
});

test("the notice of a waiting answer stays after undo", async () => {
  const { game, record } = await openTodaysHand();
  tapAll(game, CLASSIC);
  game.undo();
  assert.equal(record.model.said.text, "Handed in.");
  game.word({ id: record.days[0].id, text: "3*8+3-8 = 19, not 24.", right: false });
  game.undo();
  assert.equal(record.model.said.text, "Your time runs.");
});

test("a waiting answer is mentioned after a reload", async () => {
  const { game, record } = await openGame();
  record.waiting.push({ id: "x", round: 1, answer: "8/(3-8/3)" });
  game.lost();
  game.draw();
  assert.equal(record.model.said.text, "Kept, and sent as soon as there is a connection.");
  const { game: again, record: then } = makeGame();
  then.waiting.push({ id: "x", day: DAY.day, answer: "8/(3-8/3)" });
  again.lost();
  assert.equal(then.model.closed.text, "The page comes back by itself once there is one. Your answer is kept, and sent then.");
  then.waiting.pop();
  again.draw();
  assert.equal(then.model.closed.text, "The page comes back by itself once there is one.");
});

test("a closed page says that an answer to the day's hand is kept", async () => {
  const kept = /Your answer is kept, and sent then\.$/;
  for (const status of [401, 403]) {
    const { game, record } = await openTodaysHand();
    tapAll(game, CLASSIC);
    record.waiting.push({ id: record.days[0].id, day: DAY.day, answer: "8/(3-8/3)" });
    game.refused(record.waiting[0], status);
    assert.equal(record.model.mode, "closed");
    assert.match(record.model.closed.text, kept);
    assert.deepEqual(readTabs(record), [], "there is no table to go back to");
    assert.match(record.aloud.at(-1), kept);
  }
  const { game, record } = await openTodaysHand();
  game.end(401);
  assert.doesNotMatch(record.model.closed.text, kept);
  game.day.add(DAY.day, "8/(3-8/3)", 1000);
  game.end(401);
  assert.match(record.aloud.at(-1), kept, "one that was given offline too");
});

test("the verdict may arrive after the state", async () => {
  const { game, record } = await openTodaysHand();
  tapAll(game, CLASSIC);
  await game.take({ ...TODAY, day: DONE, finished_days: [DAY.day] });
  game.word({ id: record.days[0].id, text: "Solved in 30 seconds.", right: true });
  assert.deepEqual([record.model.mode, record.model.said], ["ended", null]);
});

test("the day's hand is only offered during another hand, and both keep their moves", async () => {
  const { game, record } = await openGame({ ...STATE, place: ALONE.place });
  game.day.of({ id: 11 });
  tapAll(game, CLASSIC.slice(0, 3));
  game.press("do:");
  await game.take({ ...STATE, place: ALONE.place, day: DAY });
  const lies = () => record.model.table.places.map((each) => each && `${each.value}`);
  const begun = lies();
  assert.equal(record.model.puzzle.id, 1);
  assert.deepEqual(readTabs(record), ["day"]);
  game.visit("day");
  assert.equal(record.model.place, "The day’s hand");
  tapAll(game, [0, "+", 1]);
  const days = lies();
  await game.take({ ...STATE, place: ALONE.place, day: DAY, notice: "more" });
  assert.deepEqual(lies(), days);
  game.leaveDay();
  assert.equal(record.aloud.at(-1), "Make 24: 3; 8; 3; 8");
  assert.deepEqual([record.model.puzzle.id, lies()], [1, begun]);
  game.playDay();
  assert.deepEqual(lies(), days);
});

test("events at the table are announced when the reader comes back from the day's hand", async () => {
  const { game, record } = await openTodaysHand();
  const aloud = record.aloud.length;
  const next = { ...TODAY, round: { ...STATE.round, id: 2, ...puzzle(["1", "2", "3", "4"]), hints: [] } };
  await game.take(next);
  await game.take({ ...next, round: { ...next.round, hints: ["The last step is ×."] } });
  assert.deepEqual(record.aloud.slice(aloud), []);
  assert.equal(record.model.said.text, "Your time runs.");
  await game.take({ ...next, day: DONE, finished_days: [DAY.day] });
  assert.equal(record.model.mode, "ended", "it ended elsewhere, and stays until it is left");
  game.leaveDay();
  assert.equal(record.aloud.at(-1), "Make 24: 1; 2; 3; 4");
  assert.equal(record.model.puzzle.id, 2);
});

test("a card stays on the table during the day's hand", async () => {
  const card = { turn: 0, turns: 13, dice: [1, 2, 3, 4, 4], total: 0, bonus: 0, missing: 63, rows: [] };
  const round = { ...ROUND, game: "Yahtzee", kind: "contest", state: "running", numbers: [], labels: [], target: "" };
  const { game, record } = await openGame({ ...STATE, round, card, day: DAY });
  assert.deepEqual(readTabs(record), ["day"]);
  game.playDay();
  assert.equal(record.model.mode, "table");
  game.leaveDay();
  assert.equal(record.model.mode, "card");
});

test("the day's hand stays over midnight, an expired one goes with the bot's reply", async () => {
  const { game, record } = await openTodaysHand();
  await game.take({ ...ALONE, day: null });
  assert.equal(record.model.place, "The day’s hand");
  tapAll(game, CLASSIC);
  game.word({ id: record.days[0].id, text: "3*8+3-8 = 19, not 24.", right: false });
  assert.equal(record.model.place, "The day’s hand");
  game.undo();
  tapAll(game, CLASSIC.slice(7));
  game.word({ id: record.days[1].id, text: "That hand’s 24 hours are over.", right: null });
  assert.deepEqual([record.model.mode, record.model.said.text], ["empty", "That hand’s 24 hours are over."]);
  assert.equal(game.day.hand, null);
});

test("a day's hand stays after a refused answer", async () => {
  const { game, record } = await openTodaysHand();
  tapAll(game, CLASSIC);
  game.refused({ id: record.days[0].id, day: DAY.day, answer: "8/(3-8/3)" }, 409);
  assert.deepEqual(record.model.said, { text: "Your answer to the hand of 2026-11-25 could not be sent.", kind: "bad" });
  assert.equal(record.model.place, "The day’s hand");
});

test("a day's hand whose answer waits is not offered", async () => {
  const { game, record } = await openGame({ ...TODAY, place: STATE.place });
  game.day.of({ id: 11 });
  assert.deepEqual(readTabs(record), ["day"]);
  game.day.add(DAY.day, "8/(3-8/3)");
  game.draw();
  assert.deepEqual(readTabs(record), []);
  game.send();
  await game.take({ ...TODAY, place: STATE.place, day: DONE, finished_days: [DAY.day] });
  assert.deepEqual(readTabs(record), ["day"], "its end can be looked at");
  game.end(401);
  assert.deepEqual(readTabs(record), []);
});

test("a page closed without a connection offers no day's hand", async () => {
  const { game, record } = makeGame();
  game.day.of({ id: 11 });
  game.lost();
  await game.take({ ...TODAY, place: STATE.place });
  assert.deepEqual(readTabs(record), ["day"]);
  game.end(401);
  assert.deepEqual(readTabs(record), []);
});

test("a day's hand begun before a reload is laid again", async () => {
  const values = {};
  const { game } = await openTodaysHand({ values });
  tapAll(game, [0, "+", 1]);
  const { game: again, record } = makeGame({ values });
  again.day.of({ id: 11 });
  again.connected();
  await again.take(TODAY);
  assert.deepEqual([record.model.place, record.model.table.moves.length], ["The day’s hand", 1]);
});

test("an answer after a short break is not offline, after a long one it is", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { game, record } = await openTodaysHand();
  tapAll(game, CLASSIC.slice(0, 6));
  game.lost();
  assert.equal(record.model.place, "The day’s hand");
  t.mock.timers.tick(2000);
  assert.equal(record.model.place, "The day’s hand, offline");
  assert.match(record.model.said.text, /^If you solve it offline, it gives no points/);
  game.connected();
  assert.equal(record.model.place, "The day’s hand");
  game.lost();
  tapAll(game, CLASSIC.slice(6));
  assert.deepEqual(withoutIds(record), [{ day: DAY.day, answer: "8/(3-8/3)" }]);
  assert.equal(record.model.said.text, "Kept, and sent as soon as there is a connection.");
  game.undo();
  assert.equal(record.model.said.text, "Kept, and sent as soon as there is a connection.");
  t.mock.timers.tick(2000);
  assert.equal(record.model.said.text, "Kept, and sent as soon as there is a connection.");
  tapAll(game, CLASSIC.slice(7));
  assert.equal(record.model.said.text, "Kept, and sent as soon as there is a connection.");
  assert.equal(record.days.length, 1, "no second answer to the same hand is sent, and none offline");
  assert.equal(game.day.isSolved(DAY), false);
});

test("an entered hand without a verdict may be solved again", async () => {
  const { game, record } = await openTodaysHand();
  tapAll(game, CLASSIC);
  game.undo();
  tapAll(game, CLASSIC.slice(7));
  assert.equal(record.days.length, 1, "the first is on its way");
  game.refused({ id: record.days[0].id, day: DAY.day }, 409);
  game.undo();
  assert.equal(record.model.said.text, "Your time runs.");
  tapAll(game, CLASSIC.slice(7));
  assert.equal(record.days.length, 2);
  game.word({ id: record.days[1].id, text: "Solved in 30 seconds.", right: true });
  game.undo();
  assert.notEqual(record.model.said?.text, "Handed in.");
});

test("after midnight a finished hand is forgotten", async () => {
  const { game, record } = await openTodaysHand();
  await game.take({ ...ALONE, day: null, finished_days: [] });
  assert.equal(record.model.place, "The day’s hand");
  await game.take({ ...ALONE, day: { ...DAY, day: "2026-11-26", numbers: ["1", "2", "3", "4"] }, finished_days: [DAY.day] });
  assert.deepEqual(record.model.puzzle.numbers, ["1", "2", "3", "4"], "today's runs, and comes in its place");
  await game.take({ ...ALONE, day: null, finished_days: [DAY.day, "2026-11-26"] });
  assert.equal(game.day.hand, null, "nor is it played offline from then on");
});

test("the day's hand is played offline, and its answer waits", async () => {
  const { game, record } = makeGame();
  const day = DAY;
  let sent = 0;
  game.send = () => (sent += 1);
  game.day.of({ id: 11 });
  game.day.keep({ language: "en", day });
  game.lost();
  assert.equal(record.model.mode, "table");
  assert.equal(record.aloud.at(-1), "Make 24: 3; 8; 3; 8");
  assert.equal(record.model.said.text, "If you solve it offline, it gives no points, and is sent once you are connected.");
  tapAll(game, CLASSIC);
  assert.deepEqual(record.entries, []);
  assert.equal(game.day.isSolved(day), true);
  assert.equal(record.model.mode, "ended");
  assert.equal(record.model.state.winner.answer, "8/(3-8/3)");
  assert.deepEqual([record.model.buttons, record.model.extras], [[], []]);
  assert.match(record.model.said.text, /no points/);
  assert.equal(sent, 0);
  game.connected();
  await game.take(STATE);
  assert.equal(record.model.puzzle.id, 1);
});

test("a day's hand solved offline stays solved after a reload until it is sent", async () => {
  const { game, record } = makeGame();
  game.day.of({ id: 11 });
  game.day.keep({ language: "en", day: DAY });
  game.day.add(DAY.day, "8/(3-8/3)", 1000);
  game.lost();
  assert.equal(record.model.mode, "ended");
  assert.equal(record.model.state.winner.answer, "8/(3-8/3)");
  assert.equal(record.model.said.text, "Solved offline: it gives no points, and is sent once you are connected.");
  assert.equal(record.aloud.at(-1), "Solved! 8÷(3−8÷3) = 24");
  assert.deepEqual(record.model.extras, []);
  await sendOfflineAnswer(game);
  assert.equal(record.model.said.text, "Right!");
  assert.notEqual(record.model.mode, "table", "it is not dealt once more");
  game.connected();
  await game.take(STATE);
  assert.deepEqual([record.model.puzzle.id, record.model.said.text], [1, "Right!"]);
});

/** Send the page's offline answer to a bot that accepts it. */
async function sendOfflineAnswer(game) {
  const post = async () => ({ status: 200, ok: true, json: () => ({ text: "Right!", done: true }) });
  game.day.makeSender(post, memory(), { judged: (text) => game.judged(text) }).run();
  await new Promise((done) => setImmediate(done));
}

test("separators are written as the language needs them", async () => {
  await speak("zh_Hans", async () => ({ ": ": "：", "; ": "；", ", ": "，", " ({n})": "（{n}）" }));
  const { game, record } = makeGame();
  const state = { ...STATE, language: "zh_Hans" };
  const round = { ...STATE.round, id: 2, labels: ["3", "K", "3", "8"], numbers: ["3", "13", "3", "8"], hints: ["−。"], worth: "2" };
  await Promise.all([game.take(state), game.take({ ...state, round })]);
  assert.equal(record.aloud.at(-1), "Make 24：3；K，13；3；8");
  assert.equal(record.model.said.text, "💡 −。（2）");
  tapAll(game, [1, "+", 0]);
  game.undo();
  assert.equal(record.aloud.at(-1), "Undo：3；K，13；3；8");
  await speak("en");
});

test("states are shown in order, and none waits long for words", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let slow;
  t.mock.method(globalThis, "fetch", () => new Promise((done) => (slow = () => done(new Response(JSON.stringify({ "Make {target}": "Llega a {target}" }))))));
  const { game, record } = makeGame();
  const shown = [];
  game.screen.draw = (model) => shown.push(model.puzzle?.id) && (record.model = model);
  game.connected();
  const [first, second] = [game.take({ ...STATE, language: "es" }), game.take({ ...STATE, language: "en", round: { ...STATE.round, id: 2 } })];
  t.mock.timers.tick(1000);
  await Promise.all([first, second]);
  assert.deepEqual(shown.filter((id, at) => id && id !== shown[at - 1]), [1, 2]);
  const third = game.take({ ...STATE, language: "es", round: { ...STATE.round, id: 3 } });
  t.mock.timers.tick(1000);
  await third;
  assert.equal(record.model.puzzle.id, 3, "in English meanwhile");
  shown.length = 0;
  slow();
  while (!shown.length) await new Promise((done) => setImmediate(done));
  assert.deepEqual(shown, [3], "drawn anew in its own language");
  await speak("en");
});

test("a state that can't be shown leaves nothing behind", async () => {
  const { game, record } = await openGame();
  await assert.rejects(game.take({ ...STATE, round: { id: 2, state: "open" } }));
  await game.take({ ...STATE, round: { ...STATE.round, id: 3 } });
  assert.equal(record.model.puzzle.id, 3);
});

test("a yahtzee roll is announced", async () => {
  const card = { turn: 0, turns: 13, dice: [1, 2, 3, 4, 4], total: 0, bonus: 0, missing: 63, rows: [] };
  const round = { ...ROUND, game: "Yahtzee", kind: "contest", state: "running", numbers: [], labels: [], target: "" };
  const { game, record } = await openGame({ ...STATE, round, card });
  assert.equal(record.model.mode, "card");
  await game.take({ ...STATE, round, card: { ...card, turn: 1, dice: [6, 6, 6, 1, 1] } });
  assert.equal(record.aloud.at(-1), "Roll 2 of 13: 6 6 6 1 1");
  typeKeys(game, "8");
  game.word({ text: "1 other is still playing. Press once more …", right: null });
  await game.take({ ...STATE, round, card: { ...card, turn: 13, dice: [], total: 212 } });
  assert.equal(record.aloud.at(-1), "The card is full. Total: 212");
  await game.take({ ...STATE, round: { ...round, state: "over" }, card: { ...card, turn: 13, dice: [], total: 212 } });
  assert.equal(record.aloud.at(-1), "The game is over. Your total: 212");
  assert.equal(record.model.said, null);
});

test("a card's total is announced once, beside the winner's if it lost", async () => {
  const card = { turn: 13, turns: 13, dice: [], total: 32, bonus: 0, missing: 63, rows: [] };
  const round = { ...ROUND, game: "Yahtzee", kind: "contest", state: "running", numbers: [], labels: [], target: "" };
  const over = { ...STATE, card, round: { ...round, state: "over" } };
  for (const [winner, sentence] of [
    [{ name: "Player", you: true, answer: "32" }, "You won! Total: 32"],
    [{ name: "Ann", you: false, answer: "212" }, "\u2068Ann\u2069 won. Total: 212. Your total: 32"],
  ]) {
    const { game, record } = await openGame({ ...STATE, round, card });
    await game.take({ ...over, winner });
    assert.equal(record.aloud.at(-1), sentence);
  }
});

test("the end of a hand beside yahtzee stays until the reader goes back to the card", async () => {
  const card = { turn: 3, turns: 13, dice: [1, 2, 3, 4, 4], total: 0, bonus: 0, missing: 63, rows: [] };
  const round = { ...ROUND, id: 9, game: "Yahtzee", kind: "contest", state: "running", numbers: [], labels: [], target: "" };
  const beside = { round, card, buttons: [[{ label: "Deal a hand", press: "st:deal" }]], people: [], winner: null, solution: "" };
  const games = ["", "Yahtzee"].map((title) => ({ game: title, press: null }));
  const { game, record } = await openGame({ ...STATE, beside, games });
  assert.equal(record.model.mode, "table");
  assert.deepEqual(readTabs(record), ["hand here", "contest"]);
  const winner = { name: "Ann", you: false, answer: "8/(3-8/3)" };
  const over = { ...beside, round: { ...STATE.round, state: "over" }, card: null, winner, buttons: [[{ label: "Next hand", press: "n:1" }]] };
  await game.take({ ...STATE, ...beside, beside: over });
  assert.equal(record.model.mode, "ended");
  assert.equal(record.aloud.at(-1), "\u2068Ann\u2069 won. 8÷(3−8÷3) = 24");
  assert.deepEqual(record.model.buttons.flat().map(({ label }) => label), ["Next hand"]);
  assert.equal(game.shown, 1);
  game.visit("contest");
  assert.equal(record.model.mode, "card");
  assert.equal(record.aloud.at(-1), "Roll 4 of 13: 1 2 3 4 4");
  assert.deepEqual(record.model.buttons.flat().map(({ label }) => label), ["Deal a hand"]);
  assert.equal(record.model.card.turn, 3);
});

test("the begin of a contest is not announced to people without a card in it", async () => {
  const round = { ...ROUND, id: 9, game: "Yahtzee", kind: "contest", state: "running", numbers: [], labels: [], target: "" };
  const beside = { round, card: null, buttons: [], people: [], winner: null, solution: "" };
  const games = ["", "Yahtzee"].map((title) => ({ game: title, press: null }));
  const { game, record } = await openGame({ ...STATE, beside, games });
  game.visit("contest");
  assert.equal(record.aloud.at(-1), "Yahtzee");
  game.visit("hand");
  assert.equal(record.aloud.at(-1), "Make 24: 3; 8; 3; 8");
});

test("the end of a race is announced once, with the score and the last hand", async () => {
  const { game, record } = await openGame();
  const last = { name: "Ann", you: false, text: "", answer: "8/(3-8/3) = 24" };
  const over = { ...STATE.round, state: "over", race_end: "You won the race, 16 to 15.", last_result: last };
  const winner = { name: "Player", you: true, answer: "" };
  await game.take({ ...STATE, winner, round: over });
  assert.equal(record.aloud.at(-1), "You won the race, 16 to 15. Last hand, \u2068Ann\u2069: 8÷(3−8÷3) = 24");
  await game.take(STATE);
  await game.take({ ...STATE, winner, round: { ...over, last_result: { ...last, you: true } } });
  assert.equal(record.aloud.at(-1), "You won the race, 16 to 15. Last hand, you: 8÷(3−8÷3) = 24");
  await game.take(STATE);
  const nobody = { name: "", you: false, text: "Given up.", answer: "8/(3-8/3) = 24" };
  await game.take({ ...STATE, solution: "8/(3-8/3) = 24", round: { ...over, race_end: "The race is over.", last_result: nobody } });
  assert.equal(record.aloud.at(-1), "The race is over. Last hand: Given up. 8÷(3−8÷3) = 24");
});

test("an end during absence is announced as over", async () => {
  const { game, record } = await openGame();
  await game.take({ ...STATE, winner: { name: "Ann", you: false, answer: "8/(3-8/3)" }, round: { ...STATE.round, id: 2, state: "over" } });
  assert.equal(record.aloud.at(-1), "\u2068Ann\u2069 won. 8÷(3−8÷3) = 24");
});

test("the begin of yahtzee is announced to people without a card", async () => {
  const { game, record } = await openGame();
  await game.take({ ...STATE, round: { ...ROUND, id: 2, game: "Yahtzee", kind: "contest", state: "running", numbers: [], labels: [], target: "" } });
  assert.equal(record.aloud.at(-1), "A game of Yahtzee has begun.");
});

test("people without a card see the table and its buttons", async () => {
  const round = { ...ROUND, game: "Yahtzee", kind: "contest", state: "running", numbers: [], labels: [], target: "" };
  const { record } = await openGame({ ...STATE, round });
  assert.equal(record.model.mode, "watch");
  assert.deepEqual(record.model.buttons.flat().map(({ label, press }) => ({ label, press })), STATE.buttons.flat());
});

/** Open two pages of Ann with the day's hand begun, and lose their connections. */
async function openTwoPages(t) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const values = {};
  const both = [];
  for (const more of [{ values }, { values }]) {
    const page = await openGame(ALONE, more);
    page.game.day.of({ id: 11 });
    await page.game.take(TODAY);
    page.game.lost();
    both.push(page);
  }
  t.mock.timers.tick(2000);
  return both;
}

const DAY_OVER = { ...ALONE, day: DONE, finished_days: [DAY.day] };

test("the other page of the same person announces an offline solution", async (t) => {
  const [one, other] = await openTwoPages(t);
  other.game.leaveDay();
  assert.deepEqual(readTabs(other.record), ["day"]);
  one.game.playDay();
  tapAll(one.game, CLASSIC);
  other.game.playDay();
  const said = "You have solved the day’s hand offline. It is sent once you are connected.";
  assert.deepEqual([other.record.model.mode, other.record.model.said.text], ["empty", said], "no button goes without a word");
  other.game.heard();
  assert.deepEqual(readTabs(other.record), []);
  one.game.connected();
  await one.game.take(TODAY);
  await sendOfflineAnswer(one.game);
  other.game.heard();
  assert.equal(one.record.model.said.text, "Right!");
  await one.game.take(DAY_OVER);
  assert.equal(one.record.model.said.text, "Right!");
});

test("a page with the day's hand open shows the other page's solution until it is sent", async (t) => {
  const [one, other] = await openTwoPages(t);
  for (const page of [one, other]) page.game.playDay();
  tapAll(one.game, CLASSIC);
  other.game.heard();
  assert.deepEqual([other.record.model.mode, other.record.model.state.winner.answer], ["ended", "8/(3-8/3)"]);
  await sendOfflineAnswer(one.game);
  other.game.heard();
  assert.deepEqual([other.record.model.mode, other.record.model.said.text], ["empty", "You have done that day’s hand already."]);
});

test("the page that solved the hand announces the verdict that another page received", async (t) => {
  const [one, other] = await openTwoPages(t);
  one.game.playDay();
  tapAll(one.game, CLASSIC);
  other.game.connected();
  await sendOfflineAnswer(other.game);
  one.game.heard();
  one.game.heard("Right!"); // by `storage`
  assert.deepEqual([one.record.model.mode, one.record.model.said.text], ["empty", "Right!"]);
  one.game.connected();
  await one.game.take(DAY_OVER);
  assert.equal(one.record.model.said.text, "Right!");
});
