import assert from "node:assert/strict";
import { test } from "node:test";
import { load, memory, puzzle } from "./page.mjs";

const { Game } = await load("game");
const { formatClosure } = await load("texts");
const { DailyStore } = await load("daily_store");
const { setLanguage } = await load("translations");

const NOON = Date.parse("2026-11-25T12:00Z") / 1000;
const ROUND = { id: 1, game: "", kind: "first", state: "open", opened: 0, deadline: null, entry_value: "" };
const STATE = {
  version: "1", now: 1000, language: "en", place: { kind: "group", title: "Club" }, card: null, day: null,
  buttons: [[{ label: "Hint", press: "h:1" }]], people: [], winner: null,
  round: { ...ROUND, ...puzzle(["3", "8", "3", "8"]) },
};

/** Return a game whose screen, Telegram and entries only record their calls. */
function makeGame({ now = 1000, moves = memory(), values = {} } = {}) {
  const record = { announcements: [], entries: [], days: [], waiting: [], verdicts: [], times: [] };
  const screen = { draw: (model) => (record.model = model), announce: (text) => record.announcements.push(text), drawClock: (seconds) => record.times.push(seconds), moveFocus: () => {} };
  const telegram = { vibrateForTap() {}, vibrateForMerge() {}, vibrateForVerdict: (right) => record.verdicts.push(right), protectMoves: (isBegun) => (record.isProtected = isBegun), canShare: true };
  const game = new Game({ screen, telegram, moves, dailyStore: new DailyStore((name) => (values[name] ??= memory()), () => NOON), now: () => record.now ?? now });
  game.entries = {
    add: (entry) => `entry ${record.entries.push(entry)}`,
    isOwn: (id) => id !== "elsewhere",
    storeOwnId() {},
    get waiting() { return record.waiting; },
  };
  game.sendDailyAnswers = () => { // the bot accepts it at once
    record.days.push(...game.dailyStore.waitingAnswers);
    values["day-answers:11"].write(null);
  };
  return { game, record };
}

/** Return answers to days' hands without their ids. */
const withoutIds = ({ days }) => days.map(({ day, answer }) => ({ day, answer }));

function typeKeys(game, text) {
  for (const key of text) game.handleKey(key, false);
}

async function openGame(state = STATE, more = {}) {
  const { game, record } = makeGame(more);
  game.noteConnected();
  await game.receiveState(state);
  return { game, record };
}

const CLASSIC = [1, "/", 0, 2, "-", 0, 3, "/", 0];
const tapAll = (game, list) => list.forEach((tap) => (typeof tap === "number" ? game.tapTile(tap) : game.tapOperation(tap)));

test("an answer that makes the target is sent at once", async () => {
  const { game, record } = await openGame();
  tapAll(game, CLASSIC);
  assert.deepEqual(record.entries, [{ round: 1, answer: "8/(3-8/3)" }]);
  assert.deepEqual(record.announcements.slice(-3), ["8÷3 = 8 over 3", "3−8÷3 = 1 over 3", "8÷(3−8÷3) = 24"]);
  assert.equal(record.isProtected, true);
});

test("a merger is announced by the tile's name, also below zero", async () => {
  const { game, record } = await openGame();
  tapAll(game, [1, "/", 0, "-", 2, "-", 3]);
  assert.equal(record.announcements.at(-1), "8÷3−3−8 = −25 over 3");
});

test("a wrong result is announced and not sent", async () => {
  const { game, record } = await openGame();
  tapAll(game, [0, "+", 1, "+", 2, "+", 3]);
  assert.deepEqual(record.entries, []);
  assert.equal(record.model.message.text, "That makes 22, not 24. Undo, and try another way.");
  game.undo();
  assert.equal(record.model.message, null);
});

const DRAW = { game: "Countdown", kind: "best", ...puzzle(["75", "6"], { target: "83", uses_all: false, whole_numbers_only: true, accepts_near: true }) };

test("a result near the target is announced with its distance", async () => {
  const { game, record } = await openGame({ ...STATE, round: { ...STATE.round, ...DRAW } });
  tapAll(game, [0, "+", 1]);
  assert.deepEqual(record.model.message, { text: "81: 2 away from 83", kind: "info" });
});

test("the answer that counts is named", async () => {
  const round = { ...STATE.round, ...DRAW, entry_value: "81" };
  const { record } = await openGame({ ...STATE, round });
  assert.equal(record.model.message.text, "81: Your answer is in. A later one takes its place.");
});

test("other people's answers and votes to give up are announced", async () => {
  const people = [["Bob", false], ["Ann", true]].map(([name, you]) => ({ name, you, status: "thinking", activity: "thinking" }));
  const state = { ...STATE, people, buttons: [[{ label: "Give up", press: "s:1" }]] };
  const { game, record } = await openGame(state);
  const done = { status: "done", activity: "handed in" };
  const handed = [{ name: "Cleo", you: false, ...done }, ...people.map((each) => ({ ...each, ...done }))];
  await game.receiveState({ ...state, people: handed });
  assert.deepEqual(record.announcements.map((text) => text.split(",")[0]), ["\u2068Cleo\u2069", "\u2068Bob\u2069"]);
  await game.receiveState({ ...state, people: handed, buttons: [[{ label: "Give up 1/2", press: "s:1" }]] });
  assert.equal(record.announcements.at(-1), "Give up 1/2");
  assert.equal(record.announcements.length, 3);
});

test("the question for a second press is shown only while it holds", async () => {
  const round = { ...STATE.round, game: "Yahtzee", kind: "contest", state: "running", numbers: [], labels: [], target: "" };
  const state = { ...STATE, round, buttons: [[{ label: "End", press: "ce:1" }], [{ label: "Deal a hand", press: "st:deal" }]] };
  const { game, record } = await openGame(state);
  game.pressButton("ce:1");
  game.receiveReply({ id: "entry 1", text: "1 other is still playing. Press once more to end it.", right: null });
  assert.match(record.model.message.text, /once more/);
  await game.receiveState({ ...state, buttons: state.buttons.slice(1) });
  assert.equal(record.model.message, null);
  game.showMessage("The link is copied.");
  assert.equal(record.model.message.text, "The link is copied.");
});

test("a closed page shows nothing else", async () => {
  const { game, record } = await openGame({ ...STATE, round: { ...STATE.round, deadline: 1090 } });
  game.noteLost();
  game.close(403);
  game.updateClock();
  assert.deepEqual([record.model.mode, record.model.place, record.model.notice, record.times.at(-1)], ["closed", null, null, null]);
});

test("a typed number without a tile is announced", async () => {
  const { game, record } = await openGame();
  typeKeys(game, "9");
  assert.equal(record.model.message.text, "There is no 9 here.");
  typeKeys(game, "q");
  assert.equal(record.model.message.text, "There is no Q here.");
  assert.equal(game.table.chosen, null);
});

test("a forbidden move is explained and changes nothing", async () => {
  const round = { ...STATE.round, game: "Countdown", ...puzzle(["75", "6"], { target: "300", uses_all: false, whole_numbers_only: true, accepts_near: true }) };
  const { game, record } = await openGame({ ...STATE, round });
  tapAll(game, [1, "-", 0]);
  assert.equal(record.model.message.text, "6−75: not above zero");
  game.tapOperation("+");
  game.tapTile(0);
  game.submit();
  assert.deepEqual(record.entries, [{ round: 1, answer: "6+75" }]);
});

test("the bot's verdict is shown, and another attempt begins from the deal", async () => {
  const { game, record } = await openGame({ ...STATE, round: { ...STATE.round, kind: "all" } });
  tapAll(game, CLASSIC);
  game.receiveReply({ id: "x", text: "One of three.", right: true });
  assert.deepEqual(record.model.message, { text: "One of three.", kind: "good" });
  assert.equal(record.model.table.moves.length, 0);
  assert.deepEqual(record.verdicts, [true]);
});

test("tiles stay when the state changes and after a reload", async () => {
  const moves = memory();
  const { game, record } = await openGame(STATE, { moves });
  tapAll(game, [1, "/", 0]);
  await game.receiveState({ ...STATE, version: "2", people: [{ name: "Bob", you: false, status: "tried", activity: "tried" }] });
  assert.equal(record.model.table.moves.length, 1);
  const again = await openGame(STATE, { moves });
  assert.equal(again.record.model.table.moves.length, 1);
  await game.receiveState({ ...STATE, round: { ...STATE.round, id: 2 } });
  assert.equal(record.model.table.moves.length, 0);
});

test("the end is announced with winner and answer", async () => {
  const { game, record } = await openGame();
  const winner = { name: "Ann", you: false, answer: "8/(3-8/3)" };
  await game.receiveState({ ...STATE, winner, round: { ...STATE.round, state: "over" } });
  assert.equal(record.model.mode, "ended");
  assert.equal(record.announcements.at(-1), "\u2068Ann\u2069 won. 8÷(3−8÷3) = 24");
  assert.deepEqual(record.model.pageButtons.map((each) => each.action), ["shareResult"]);
});

test("a nearest win is announced with its value, distance and the best result", async () => {
  const near = { ...STATE.round, game: "Countdown", kind: "best", target: "196" };
  const { game, record } = await openGame({ ...STATE, round: near });
  const winner = { name: "Ann", you: false, answer: "(1+1)*100-3", value: "197" };
  await game.receiveState({ ...STATE, winner, round: { ...near, state: "over", best_solution: "(50-1)*(3+1) = 196" } });
  assert.equal(record.announcements.at(-1), "\u2068Ann\u2069 won. (1+1)×100−3 = 197. 1 away from 196. Best: (50−1)×(3+1) = 196");
});

test("a nearest win that nothing beats is announced without a better result", async () => {
  const near = { ...STATE.round, game: "Countdown", kind: "best", target: "196" };
  const { game, record } = await openGame({ ...STATE, round: near });
  const winner = { name: "Ann", you: true, answer: "(50-1)*(3+1)", value: "196" };
  await game.receiveState({ ...STATE, winner, round: { ...near, state: "over", best_solution: "(3+1)*(50-1) = 196" } });
  assert.equal(record.announcements.at(-1), "You won! (50−1)×(3+1) = 196");
  await game.receiveState({ ...STATE, round: { ...near, id: 2 } });
  await game.receiveState({ ...STATE, round: { ...near, id: 2, state: "over", best_solution: "(50-1)*(3+1) = 196" } });
  assert.equal(record.announcements.at(-1), "The hand is over. Best: (50−1)×(3+1) = 196");
});

test("a spectator has no buttons", async () => {
  const { game, record } = await openGame({ ...STATE, place: { kind: "watch", title: "" }, buttons: [] });
  assert.equal(record.model.mode, "watch");
  assert.equal(record.model.table, null);
  typeKeys(game, "8/3");
  assert.deepEqual([record.entries, record.model.pageButtons], [[], []]);
});

test("the clock is announced at its thresholds only", async () => {
  const { game, record } = await openGame({ ...STATE, round: { ...STATE.round, deadline: 1062 } });
  for (let now = 1000; now <= 1070; now += 0.25) {
    record.now = now;
    game.updateClock();
  }
  assert.deepEqual(record.announcements, ["One minute left.", "30 seconds left.", "10 seconds left."]);
  assert.equal(record.times.at(-1), 0);
});

const HURRY = "⏳ Somebody has it: five more seconds for all.";

for (const kind of ["group", "watch"]) {
  test(`a clock that jumps says why by the board, in the bot's own sentence (${kind})`, async () => {
    const round = { ...STATE.round, game: "Countdown", kind: "best", accepts_near: true, deadline: 1055, hurry: "" };
    const place = { kind, title: "" };
    const { game, record } = await openGame({ ...STATE, place, round });
    await game.receiveState({ ...STATE, place, round: { ...round, deadline: 1006, hurry: HURRY } });
    assert.deepEqual(record.model.message, { text: HURRY, kind: "info" });
    for (record.now = 1000; record.now <= 1006; record.now += 0.25) game.updateClock();
    assert.deepEqual(record.announcements, []);
    await game.receiveState({ ...STATE, place, round: { ...round, state: "over", deadline: null, hurry: "" } });
    assert.equal(record.model.message, null);
  });
}

test("a reply to this reader is shown before a hint, also without a hand", async () => {
  const notice = "⚔️ Ann challenges Bob!";
  const { game, record } = await openGame({ ...STATE, notice, round: { ...STATE.round, hints: ["The last step is ÷."] } });
  assert.deepEqual(record.model.message, { text: notice, kind: "info" });
  await game.receiveState({ ...STATE, notice, round: null });
  assert.deepEqual(record.model.message, { text: notice, kind: "info" });
  await game.receiveState({ ...STATE, notice: "", round: null });
  assert.equal(record.model.message, null);
});

test("a warning about the time is announced beside a verdict and does not replace it", async () => {
  const round = { ...STATE.round, game: "Countdown", kind: "best", accepts_near: true, deadline: 1055, hurry: "" };
  const { game, record } = await openGame({ ...STATE, round });
  game.receiveReply({ id: "x", text: "308: exactly!", right: true });
  await game.receiveState({ ...STATE, round: { ...round, deadline: 1006, hurry: HURRY, entry_value: "81" } });
  assert.equal(record.model.message.text, "308: exactly!");
  assert.deepEqual(record.announcements, [HURRY]);
  game.tapTile(0);
  assert.equal(record.model.message.text, HURRY);
});

test("a press waits until the table has changed", async () => {
  const { game, record } = await openGame();
  game.pressButton("h:1");
  assert.deepEqual([record.entries, record.model.pendingPress], [[{ press: "h:1" }], "h:1"]);
  await game.receiveState(STATE);
  assert.equal(record.model.pendingPress, null);
  game.noteRefused({}, 409);
  assert.equal(record.model.message.kind, "bad");
});

test("a press without a connection says that it waits", async () => {
  const { game, record } = await openGame();
  game.noteLost();
  game.pressButton("h:1");
  assert.equal(record.model.message.text, "Kept, and sent as soon as there is a connection.");
  game.noteConnected();
  await game.receiveState(STATE);
  assert.equal(record.model.message, null);
});

test("a hint is shown in the place of verdicts, with the points left", async () => {
  const { game, record } = await openGame();
  const hinted = (...hints) => ({ ...STATE, round: { ...STATE.round, hints, worth: "now worth 4 points" } });
  await game.receiveState(hinted("The last step is ÷."));
  assert.deepEqual(record.model.message, { text: "💡 The last step is ÷. (now worth 4 points)", kind: "info" });
  tapAll(game, [0, "+", 1, "+", 2, "+", 3]);
  assert.equal(record.model.message.kind, "bad");
  game.undo();
  assert.equal(record.model.message.text, "💡 The last step is ÷. (now worth 4 points)");
  await game.receiveState(hinted("The last step is ÷.", "Make 8/3."));
  assert.equal(record.model.message.text, "💡 Make 8/3. (now worth 4 points)");
  await game.receiveState(hinted("The last step is ÷.", "Make 8/3.", "It looks like this: □+□×(□−□)"));
  assert.equal(record.model.message.text, "💡 It looks like this: □+□×(□−□) (now worth 4 points)");
});

test("the hint button shows its price and stays when there are no more hints", async () => {
  const buttons = [[{ label: "Hint", press: "h:1" }, { label: "Give up 1/3", press: "s:1" }]];
  const { game, record } = await openGame({ ...STATE, buttons, round: { ...STATE.round, hints: [], is_hint_costly: true } });
  assert.deepEqual(record.model.buttons[0][0], { key: "h:", label: "Hint", note: "−1 point", press: "h:1" });
  await game.receiveState({ ...STATE, buttons: [buttons[0].slice(1)], round: { ...STATE.round, hints: ["Make 8/3."] } });
  assert.deepEqual(record.model.buttons[0].map(({ label, press }) => [label, press]), [["Hint", null], ["Give up 1/3", "s:1"]]);
  game.pressButton(null);
  assert.equal(record.model.message.text, "No more hints for this hand.");
  assert.deepEqual(record.entries, []);
});

test("giving up takes two presses without another action between", async () => {
  const { game, record } = await openGame({ ...STATE, buttons: [[{ label: "Give up", press: "s:1" }]] });
  game.pressButton("s:1");
  assert.deepEqual(record.entries, []);
  assert.equal(record.model.message.text, "Give this hand up? Press once more.");
  assert.equal(record.model.buttons[0][0].label, "Yes, give up");
  game.tapTile(0);
  assert.equal(record.model.buttons[0][0].label, "Give up");
  game.pressButton("s:1");
  assert.deepEqual(record.entries, []);
  game.pressButton("s:1");
  assert.deepEqual(record.entries, [{ press: "s:1" }]);
  assert.equal(record.model.pendingPress, "s:1");
});

test("news does not answer the question before a hand is given up", async () => {
  const state = { ...STATE, buttons: [[{ label: "Give up", press: "s:1" }]] };
  const { game, record } = await openGame(state);
  game.pressButton("s:1");
  game.receiveReply({ id: "x", text: "Your answer is in.", right: true });
  assert.equal(record.model.message.text, "Your answer is in.");
  assert.equal(record.model.buttons[0][0].label, "Yes, give up");
  await game.receiveState({ ...state, buttons: [] });
  await game.receiveState(state);
  assert.equal(record.model.buttons[0][0].label, "Give up", "the hand could not be given up for a while");
  game.pressButton("s:1");
  await game.receiveState({ ...state, round: { ...STATE.round, id: 2 } });
  assert.equal(record.model.buttons[0][0].label, "Give up", "another hand is on the table");
});

test("in a race the hand before and the number of the hand are shown", async () => {
  const { game, record } = await openGame();
  const before = { name: "Paul", you: false, text: "", answer: "6*(7+9)/4 = 24" };
  const next = { ...STATE.round, id: 2, race_hand: "Hand 2 of 10", last_result: before };
  await game.receiveState({ ...STATE, round: next });
  assert.deepEqual(record.model.message, { text: "\u2068Paul\u2069: 6×(7+9)÷4 = 24", kind: "info" });
  assert.equal(record.model.place, "Hand 2 of 10 · \u2068Club\u2069");
  assert.equal(record.announcements.at(-1), "Make 24: 3; 8; 3; 8");
  await game.receiveState({ ...STATE, round: { ...next, id: 4, last_result: { ...before, you: true } } });
  assert.deepEqual(record.model.message, { text: "You: 6×(7+9)÷4 = 24", kind: "good" });
  const nobody = { name: "", you: false, text: "Given up.", answer: "6*(7+9)/4 = 24" };
  await game.receiveState({ ...STATE, place: { kind: "watch", title: "" }, buttons: [], round: { ...next, id: 3, last_result: nobody } });
  assert.equal(record.model.message.text, "Given up. 6×(7+9)÷4 = 24");
  assert.equal(record.model.place, "Hand 2 of 10");
});

test("a visitor without a link is record where to get one", () => {
  assert.match(formatClosure(null, { host: "127.0.0.1" }).text, /\/board in the terminal/);
  assert.match(formatClosure(null, { host: "play.example" }).text, /button under a hand/);
});

test("a solution that nobody found is shown and announced at the end", async () => {
  const { game, record } = await openGame();
  await game.receiveState({ ...STATE, solution: "8/(3-8/3) = 24", round: { ...STATE.round, state: "over" } });
  assert.equal(record.announcements.at(-1), "The hand is over. 8÷(3−8÷3) = 24");
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
  assert.deepEqual(record.announcements, ["Q, 12", "Q, 12 times", "12×2 = 24", "24 plus"]);
  typeKeys(game, "+1");
  assert.deepEqual(record.announcements.slice(4), ["A, 1"], "a sign that waits no longer, and then another number");
  typeKeys(game, "-");
  assert.equal(record.announcements.at(-1), "A, 1 minus");
  const { record: tapped, game: other } = await openGame();
  tapAll(other, [0, "+"]);
  assert.deepEqual(tapped.announcements, [], "what has the focus tells that itself");
});

test("a number that is no longer chosen is announced", async () => {
  const { game, record } = await openGame();
  tapAll(game, [1, "/", 0]);
  game.tapTile(0);
  assert.equal(record.announcements.at(-1), "8 over 3: no longer chosen.");
  const before = record.announcements.length;
  tapAll(game, [2, "+", 2, 3]);
  assert.equal(record.announcements.length, before);
});

test("undo and reset are announced, and a reset can be undone", async () => {
  const { game, record } = await openGame();
  tapAll(game, [1, "/", 0, 2, "-", 0]);
  game.undo();
  assert.equal(record.announcements.at(-1), "Undo: 8 over 3; 3; 8");
  game.reset();
  assert.equal(record.announcements.at(-1), "Reset: 3; 8; 3; 8");
  game.undo();
  assert.equal(record.announcements.at(-1), "Undo: 8 over 3; 3; 8");
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
  assert.equal(record.model.message.kind, "bad");
});

test("messages of an ended game disappear with it", async () => {
  const round = { ...ROUND, game: "Yahtzee", kind: "contest", state: "running", numbers: [], labels: [], target: "" };
  const { game, record } = await openGame({ ...STATE, round });
  game.showMessage("The link is copied", "https://play.example/#watch=1");
  await game.receiveState({ ...STATE, round: { ...round, state: "over" } });
  assert.deepEqual([record.model.message, record.model.sidebar.link], [null, null]);
});

test("the reason for a closed board follows the language", async (t) => {
  t.after(() => setLanguage("en"));
  const { game, record } = makeGame();
  game.close(null);
  assert.equal(record.model.closure.title, "Nothing to play here yet.");
  await setLanguage("es", async () => ({ "Nothing to play here yet.": "Nada" }));
  game.draw();
  assert.equal(record.model.closure.title, "Nada");
});

test("the notice of a lost connection follows the language", async (t) => {
  t.after(() => setLanguage("en"));
  const { game, record } = makeGame();
  game.noteLost();
  await setLanguage("es", async () => ({ "No connection. Trying again …": "Sin" }));
  game.draw();
  assert.equal(record.model.notice, "Sin");
});

test("an incomplete link is explained", () => {
  const [here, away] = ["127.0.0.1", "play.example"].map((host) => formatClosure("link", { host }));
  assert.deepEqual([here.title, away.title], ["This link opens no board.", "This link opens no board."]);
  assert.match(here.text, /Copy all of it, or type \/board in the terminal/);
  assert.match(away.text, /Copy all of it, or ask for another/);
});

test("used links and closed boards name the terminal's command beside it only", () => {
  const [used, closed] = [403, 401].map((status) => ["127.0.0.1", "play.example"].map((host) => formatClosure(status, { host }).text));
  assert.equal(used[0], "The link was used before. Type /board in the terminal for another.");
  assert.match(used[1], /Open the board from the chat/);
  assert.match(closed[0], /Type \/board in the terminal/);
  assert.equal(closed[1], "Open it again from the chat.");
});

test("only requests without an answer count as lost connections", () => {
  assert.equal(formatClosure(undefined).title, "No connection.");
  for (const status of [400, 404, 415]) assert.equal(formatClosure(status).title, "This board can’t be opened.", String(status));
});

test("an ended session is explained", async () => {
  const { game, record } = await openGame();
  game.close(401);
  assert.equal(record.model.mode, "closed");
  assert.equal(record.model.closure.text, "Open it again from the chat.");
  assert.deepEqual(record.model.buttons, []);
  assert.equal(record.announcements.at(-1), "This board was closed a while ago. Open it again from the chat.");
});

const DAY = { day: "2026-11-25", numbers: ["3", "8", "3", "8"], labels: ["3", "8", "3", "8"], target: "24", is_done: false, began: 970 };

test("a day's hand begun offline is an ordinary answer once connected", async () => {
  const { game, record } = makeGame();
  game.dailyStore.setPerson({ id: 11 });
  game.dailyStore.storeHand({ language: "en", day: DAY });
  game.noteLost();
  tapAll(game, CLASSIC.slice(0, 3));
  game.noteConnected();
  await game.receiveState(STATE);
  assert.equal(record.model.puzzle.day, DAY.day, "what was begun stays");
  tapAll(game, CLASSIC.slice(3));
  assert.deepEqual([record.entries, withoutIds(record)], [[], [{ day: DAY.day, answer: "8/(3-8/3)" }]]);
});

test("the end is announced once when two states arrive together", async () => {
  const { game, record } = await openGame();
  const over = { ...STATE, round: { ...STATE.round, state: "over" }, winner: { name: "Ann", you: true, answer: "8/(3-8/3)" } };
  await Promise.all([game.receiveState(over), game.receiveState({ ...over, lines: ["more"] })]);
  assert.deepEqual(record.verdicts, [true]);
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
const readTabs = ({ model }) => model.tabs.map(({ key, isCurrent }) => `${key}${isCurrent ? " here" : ""}`);

/** Open Ann's page at her own table and lay the day's hand by its button. */
async function openTodaysHand(more = {}) {
  const { game, record } = await openGame(ALONE, more);
  game.dailyStore.setPerson({ id: 11 });
  game.pressButton("do:");
  await game.receiveState(TODAY);
  return { game, record };
}

test("the day's button lays its hand, and the answer is an ordinary entry", async () => {
  const { game, record } = await openTodaysHand();
  assert.deepEqual([record.model.mode, record.model.place, record.model.message.text], ["table", "The day’s hand", "Your time runs."]);
  assert.equal(record.announcements.at(-1), "Make 24: 3; 8; 3; 8");
  assert.equal(record.times.at(-1), 30, "its time runs");
  typeKeys(game, "8/3");
  tapAll(game, ["-", 2]);
  game.reset();
  tapAll(game, CLASSIC);
  assert.deepEqual([record.entries, withoutIds(record)], [[{ press: "do:" }], [{ day: DAY.day, answer: "8/(3-8/3)" }]]);
  assert.equal(record.model.message.text, "Handed in.");
  game.receiveReply({ id: record.days[0].id, text: "Solved in 30 seconds.", right: true });
  assert.deepEqual(record.verdicts, [true]);
  assert.equal(record.model.place, "The day’s hand");
  const games = [{ game: "", press: "st:play:play" }];
  await game.receiveState({ ...TODAY, games, day: DONE, finished_days: [DAY.day] });
  assert.deepEqual([record.model.mode, record.model.place, record.model.message], ["ended", "The day’s hand", null]);
  assert.equal(record.announcements.at(-1), "Solved! 8÷(3−8÷3) = 24. Solved in 30 seconds. Your streak: 1 day");
  assert.deepEqual([record.model.pageButtons, game.dailyShareUrl], [[{ label: "Share the result", action: "shareDailyResult" }], DONE.share]);
  assert.equal(record.times.at(-1), null);
  assert.deepEqual(readTabs(record), ["st:play:play", "day here"]);
  game.closeDailyHand();
  assert.deepEqual([record.model.mode, readTabs(record)], ["empty", ["st:play:play", "day"]]);
  game.openTab("day");
  assert.equal(record.model.mode, "ended");
});

test("a day's hand that was given up ends with a solution, and is not shared", async () => {
  const { game, record } = await openTodaysHand();
  await game.receiveState({ ...TODAY, day: { ...DONE, is_solved: false, result: ["Given up."], share: "" }, finished_days: [DAY.day] });
  assert.equal(record.announcements.at(-1), "The hand is over. 8÷(3−8÷3) = 24. Given up");
  assert.deepEqual(record.model.pageButtons, []);
});

test("a tab deals its game, in a group once it was pressed again", async () => {
  const games = [{ game: "", press: null }, { game: "Countdown", press: "st:play:countdown" }];
  const over = { ...STATE, round: { ...STATE.round, state: "over" } };
  const { game, record } = await openGame({ ...over, games });
  assert.deepEqual(readTabs(record), ["hand here", "st:play:countdown"]);
  game.openTab("st:play:countdown");
  assert.deepEqual([record.entries, record.model.message.text], [[], "Deal Countdown? Press once more."]);
  game.openTab("st:play:countdown");
  assert.deepEqual(record.entries, [{ press: "st:play:countdown" }]);
  const { game: own, record: alone } = await openGame({ ...over, games, place: ALONE.place });
  own.openTab("st:play:countdown");
  assert.deepEqual(alone.entries, [{ press: "st:play:countdown" }]);
});

test("a reply to another page's entry is announced there only", async () => {
  const { game, record } = await openTodaysHand();
  tapAll(game, CLASSIC);
  game.receiveReply({ id: record.days[0].id, text: "Solved in 30 seconds.", right: true });
  game.receiveReply({ id: "elsewhere", text: "You have solved that hand already. /daily has today’s.", right: null });
  assert.deepEqual([record.model.message.text, record.verdicts], ["Solved in 30 seconds.", [true]]);
});

test("the notice of a waiting answer stays after undo", async () => {
  const { game, record } = await openTodaysHand();
  tapAll(game, CLASSIC);
  game.undo();
  assert.equal(record.model.message.text, "Handed in.");
  game.receiveReply({ id: record.days[0].id, text: "3*8+3-8 = 19, not 24.", right: false });
  game.undo();
  assert.equal(record.model.message.text, "Your time runs.");
});

test("a waiting answer is mentioned after a reload", async () => {
  const { game, record } = await openGame();
  record.waiting.push({ id: "x", round: 1, answer: "8/(3-8/3)" });
  game.noteLost();
  game.draw();
  assert.equal(record.model.message.text, "Kept, and sent as soon as there is a connection.");
  const { game: again, record: then } = makeGame();
  then.waiting.push({ id: "x", day: DAY.day, answer: "8/(3-8/3)" });
  again.noteLost();
  assert.equal(then.model.closure.text, "The page comes back by itself once there is one. Your answer is kept, and sent then.");
  then.waiting.pop();
  again.draw();
  assert.equal(then.model.closure.text, "The page comes back by itself once there is one.");
});

test("a closed page says that an answer to the day's hand is kept", async () => {
  const keptText = /Your answer is kept, and sent then\.$/;
  for (const status of [401, 403]) {
    const { game, record } = await openTodaysHand();
    tapAll(game, CLASSIC);
    record.waiting.push({ id: record.days[0].id, day: DAY.day, answer: "8/(3-8/3)" });
    game.noteRefused(record.waiting[0], status);
    assert.equal(record.model.mode, "closed");
    assert.match(record.model.closure.text, keptText);
    assert.deepEqual(readTabs(record), [], "there is no table to go back to");
    assert.match(record.announcements.at(-1), keptText);
  }
  const { game, record } = await openTodaysHand();
  game.close(401);
  assert.doesNotMatch(record.model.closure.text, keptText);
  game.dailyStore.addAnswer(DAY.day, "8/(3-8/3)", 1000);
  game.close(401);
  assert.match(record.announcements.at(-1), keptText, "one that was given offline too");
});

test("the verdict may arrive after the state", async () => {
  const { game, record } = await openTodaysHand();
  tapAll(game, CLASSIC);
  await game.receiveState({ ...TODAY, day: DONE, finished_days: [DAY.day] });
  game.receiveReply({ id: record.days[0].id, text: "Solved in 30 seconds.", right: true });
  assert.deepEqual([record.model.mode, record.model.message], ["ended", null]);
});

test("the day's hand is only offered during another hand, and both keep their moves", async () => {
  const { game, record } = await openGame({ ...STATE, place: ALONE.place });
  game.dailyStore.setPerson({ id: 11 });
  tapAll(game, CLASSIC.slice(0, 3));
  game.pressButton("do:");
  await game.receiveState({ ...STATE, place: ALONE.place, day: DAY });
  const readTiles = () => record.model.table.places.map((each) => each && `${each.value}`);
  const begun = readTiles();
  assert.equal(record.model.puzzle.id, 1);
  assert.deepEqual(readTabs(record), ["day"]);
  game.openTab("day");
  assert.equal(record.model.place, "The day’s hand");
  tapAll(game, [0, "+", 1]);
  const days = readTiles();
  await game.receiveState({ ...STATE, place: ALONE.place, day: DAY, notice: "more" });
  assert.deepEqual(readTiles(), days);
  game.closeDailyHand();
  assert.equal(record.announcements.at(-1), "Make 24: 3; 8; 3; 8");
  assert.deepEqual([record.model.puzzle.id, readTiles()], [1, begun]);
  game.openDailyHand();
  assert.deepEqual(readTiles(), days);
});

test("events at the table are announced when the reader comes back from the day's hand", async () => {
  const { game, record } = await openTodaysHand();
  const count = record.announcements.length;
  const next = { ...TODAY, round: { ...STATE.round, id: 2, ...puzzle(["1", "2", "3", "4"]), hints: [] } };
  await game.receiveState(next);
  await game.receiveState({ ...next, round: { ...next.round, hints: ["The last step is ×."] } });
  assert.deepEqual(record.announcements.slice(count), []);
  assert.equal(record.model.message.text, "Your time runs.");
  await game.receiveState({ ...next, day: DONE, finished_days: [DAY.day] });
  assert.equal(record.model.mode, "ended", "it ended elsewhere, and stays until it is left");
  game.closeDailyHand();
  assert.equal(record.announcements.at(-1), "Make 24: 1; 2; 3; 4");
  assert.equal(record.model.puzzle.id, 2);
});

test("a card stays on the table during the day's hand", async () => {
  const card = { turn: 0, turns: 13, dice: [1, 2, 3, 4, 4], total: 0, bonus: 0, missing: 63, rows: [] };
  const round = { ...ROUND, game: "Yahtzee", kind: "contest", state: "running", numbers: [], labels: [], target: "" };
  const { game, record } = await openGame({ ...STATE, round, card, day: DAY });
  assert.deepEqual(readTabs(record), ["day"]);
  game.openDailyHand();
  assert.equal(record.model.mode, "table");
  game.closeDailyHand();
  assert.equal(record.model.mode, "card");
});

test("the day's hand stays over midnight, an expired one goes with the bot's reply", async () => {
  const { game, record } = await openTodaysHand();
  await game.receiveState({ ...ALONE, day: null });
  assert.equal(record.model.place, "The day’s hand");
  tapAll(game, CLASSIC);
  game.receiveReply({ id: record.days[0].id, text: "3*8+3-8 = 19, not 24.", right: false });
  assert.equal(record.model.place, "The day’s hand");
  game.undo();
  tapAll(game, CLASSIC.slice(7));
  game.receiveReply({ id: record.days[1].id, text: "That hand’s 24 hours are over.", right: null });
  assert.deepEqual([record.model.mode, record.model.message.text], ["empty", "That hand’s 24 hours are over."]);
  assert.equal(game.dailyStore.playablePuzzle, null);
});

test("a day's hand stays after a refused answer", async () => {
  const { game, record } = await openTodaysHand();
  tapAll(game, CLASSIC);
  game.noteRefused({ id: record.days[0].id, day: DAY.day, answer: "8/(3-8/3)" }, 409);
  assert.deepEqual(record.model.message, { text: "Your answer to the hand of 2026-11-25 could not be sent.", kind: "bad" });
  assert.equal(record.model.place, "The day’s hand");
});

test("a day's hand whose answer waits is not offered", async () => {
  const { game, record } = await openGame({ ...TODAY, place: STATE.place });
  game.dailyStore.setPerson({ id: 11 });
  assert.deepEqual(readTabs(record), ["day"]);
  game.dailyStore.addAnswer(DAY.day, "8/(3-8/3)");
  game.draw();
  assert.deepEqual(readTabs(record), []);
  game.sendDailyAnswers();
  await game.receiveState({ ...TODAY, place: STATE.place, day: DONE, finished_days: [DAY.day] });
  assert.deepEqual(readTabs(record), ["day"], "its end can be looked at");
  game.close(401);
  assert.deepEqual(readTabs(record), []);
});

test("a page closed without a connection offers no day's hand", async () => {
  const { game, record } = makeGame();
  game.dailyStore.setPerson({ id: 11 });
  game.noteLost();
  await game.receiveState({ ...TODAY, place: STATE.place });
  assert.deepEqual(readTabs(record), ["day"]);
  game.close(401);
  assert.deepEqual(readTabs(record), []);
});

test("a day's hand begun before a reload is laid again", async () => {
  const values = {};
  const { game } = await openTodaysHand({ values });
  tapAll(game, [0, "+", 1]);
  const { game: again, record } = makeGame({ values });
  again.dailyStore.setPerson({ id: 11 });
  again.noteConnected();
  await again.receiveState(TODAY);
  assert.deepEqual([record.model.place, record.model.table.moves.length], ["The day’s hand", 1]);
});

test("an answer after a short break is not offline, after a long one it is", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { game, record } = await openTodaysHand();
  tapAll(game, CLASSIC.slice(0, 6));
  game.noteLost();
  assert.equal(record.model.place, "The day’s hand");
  t.mock.timers.tick(2000);
  assert.equal(record.model.place, "The day’s hand, offline");
  assert.match(record.model.message.text, /^If you solve it offline, it gives no points/);
  game.noteConnected();
  assert.equal(record.model.place, "The day’s hand");
  game.noteLost();
  tapAll(game, CLASSIC.slice(6));
  assert.deepEqual(withoutIds(record), [{ day: DAY.day, answer: "8/(3-8/3)" }]);
  assert.equal(record.model.message.text, "Kept, and sent as soon as there is a connection.");
  game.undo();
  assert.equal(record.model.message.text, "Kept, and sent as soon as there is a connection.");
  t.mock.timers.tick(2000);
  assert.equal(record.model.message.text, "Kept, and sent as soon as there is a connection.");
  tapAll(game, CLASSIC.slice(7));
  assert.equal(record.model.message.text, "Kept, and sent as soon as there is a connection.");
  assert.equal(record.days.length, 1, "no second answer to the same hand is sent, and none offline");
  assert.equal(game.dailyStore.isSolvedOffline(DAY), false);
});

test("an entered hand without a verdict may be solved again", async () => {
  const { game, record } = await openTodaysHand();
  tapAll(game, CLASSIC);
  game.undo();
  tapAll(game, CLASSIC.slice(7));
  assert.equal(record.days.length, 1, "the first is on its way");
  game.noteRefused({ id: record.days[0].id, day: DAY.day }, 409);
  game.undo();
  assert.equal(record.model.message.text, "Your time runs.");
  tapAll(game, CLASSIC.slice(7));
  assert.equal(record.days.length, 2);
  game.receiveReply({ id: record.days[1].id, text: "Solved in 30 seconds.", right: true });
  game.undo();
  assert.notEqual(record.model.message?.text, "Handed in.");
});

test("after midnight a finished hand is forgotten", async () => {
  const { game, record } = await openTodaysHand();
  await game.receiveState({ ...ALONE, day: null, finished_days: [] });
  assert.equal(record.model.place, "The day’s hand");
  await game.receiveState({ ...ALONE, day: { ...DAY, day: "2026-11-26", numbers: ["1", "2", "3", "4"] }, finished_days: [DAY.day] });
  assert.deepEqual(record.model.puzzle.numbers, ["1", "2", "3", "4"], "today's runs, and comes in its place");
  await game.receiveState({ ...ALONE, day: null, finished_days: [DAY.day, "2026-11-26"] });
  assert.equal(game.dailyStore.playablePuzzle, null, "nor is it played offline from then on");
});

test("the day's hand is played offline, and its answer waits", async () => {
  const { game, record } = makeGame();
  const day = DAY;
  let sendCount = 0;
  game.sendDailyAnswers = () => (sendCount += 1);
  game.dailyStore.setPerson({ id: 11 });
  game.dailyStore.storeHand({ language: "en", day });
  game.noteLost();
  assert.equal(record.model.mode, "table");
  assert.equal(record.announcements.at(-1), "Make 24: 3; 8; 3; 8");
  assert.equal(record.model.message.text, "If you solve it offline, it gives no points, and is sent once you are connected.");
  tapAll(game, CLASSIC);
  assert.deepEqual(record.entries, []);
  assert.equal(game.dailyStore.isSolvedOffline(day), true);
  assert.equal(record.model.mode, "ended");
  assert.equal(record.model.state.winner.answer, "8/(3-8/3)");
  assert.deepEqual([record.model.buttons, record.model.pageButtons], [[], []]);
  assert.match(record.model.message.text, /no points/);
  assert.equal(sendCount, 0);
  game.noteConnected();
  await game.receiveState(STATE);
  assert.equal(record.model.puzzle.id, 1);
});

test("a day's hand solved offline stays solved after a reload until it is sent", async () => {
  const { game, record } = makeGame();
  game.dailyStore.setPerson({ id: 11 });
  game.dailyStore.storeHand({ language: "en", day: DAY });
  game.dailyStore.addAnswer(DAY.day, "8/(3-8/3)", 1000);
  game.noteLost();
  assert.equal(record.model.mode, "ended");
  assert.equal(record.model.state.winner.answer, "8/(3-8/3)");
  assert.equal(record.model.message.text, "Solved offline: it gives no points, and is sent once you are connected.");
  assert.equal(record.announcements.at(-1), "Solved! 8÷(3−8÷3) = 24");
  assert.deepEqual(record.model.pageButtons, []);
  await sendOfflineAnswer(game);
  assert.equal(record.model.message.text, "Right!");
  assert.notEqual(record.model.mode, "table", "it is not dealt once more");
  game.noteConnected();
  await game.receiveState(STATE);
  assert.deepEqual([record.model.puzzle.id, record.model.message.text], [1, "Right!"]);
});

/** Send the page's offline answer to a bot that accepts it. */
async function sendOfflineAnswer(game) {
  const post = async () => ({ status: 200, ok: true, json: () => ({ text: "Right!", done: true }) });
  game.dailyStore.makeQueue(post, memory(), { onVerdict: (text) => game.showDailyVerdict(text) }).send();
  await new Promise((done) => setImmediate(done));
}

test("separators are written as the language needs them", async () => {
  await setLanguage("zh_Hans", async () => ({ ": ": "：", "; ": "；", ", ": "，", " ({n})": "（{n}）" }));
  const { game, record } = makeGame();
  const state = { ...STATE, language: "zh_Hans" };
  const round = { ...STATE.round, id: 2, labels: ["3", "K", "3", "8"], numbers: ["3", "13", "3", "8"], hints: ["−。"], worth: "2" };
  await Promise.all([game.receiveState(state), game.receiveState({ ...state, round })]);
  assert.equal(record.announcements.at(-1), "Make 24：3；K，13；3；8");
  assert.equal(record.model.message.text, "💡 −。（2）");
  tapAll(game, [1, "+", 0]);
  game.undo();
  assert.equal(record.announcements.at(-1), "Undo：3；K，13；3；8");
  await setLanguage("en");
});

test("states are shown in order, and none waits long for words", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let respond;
  t.mock.method(globalThis, "fetch", () => new Promise((done) => (respond = () => done(new Response(JSON.stringify({ "Make {target}": "Llega a {target}" }))))));
  const { game, record } = makeGame();
  const shownIds = [];
  game.screen.draw = (model) => shownIds.push(model.puzzle?.id) && (record.model = model);
  game.noteConnected();
  const [first, second] = [game.receiveState({ ...STATE, language: "es" }), game.receiveState({ ...STATE, language: "en", round: { ...STATE.round, id: 2 } })];
  t.mock.timers.tick(1000);
  await Promise.all([first, second]);
  assert.deepEqual(shownIds.filter((id, index) => id && id !== shownIds[index - 1]), [1, 2]);
  const third = game.receiveState({ ...STATE, language: "es", round: { ...STATE.round, id: 3 } });
  t.mock.timers.tick(1000);
  await third;
  assert.equal(record.model.puzzle.id, 3, "in English meanwhile");
  shownIds.length = 0;
  respond();
  while (!shownIds.length) await new Promise((done) => setImmediate(done));
  assert.deepEqual(shownIds, [3], "drawn anew in its own language");
  await setLanguage("en");
});

test("a state that can't be shown leaves nothing behind", async () => {
  const { game, record } = await openGame();
  await assert.rejects(game.receiveState({ ...STATE, round: { id: 2, state: "open" } }));
  await game.receiveState({ ...STATE, round: { ...STATE.round, id: 3 } });
  assert.equal(record.model.puzzle.id, 3);
});

test("a yahtzee roll is announced", async () => {
  const card = { turn: 0, turns: 13, dice: [1, 2, 3, 4, 4], total: 0, bonus: 0, missing: 63, rows: [] };
  const round = { ...ROUND, game: "Yahtzee", kind: "contest", state: "running", numbers: [], labels: [], target: "" };
  const { game, record } = await openGame({ ...STATE, round, card });
  assert.equal(record.model.mode, "card");
  await game.receiveState({ ...STATE, round, card: { ...card, turn: 1, dice: [6, 6, 6, 1, 1] } });
  assert.equal(record.announcements.at(-1), "Roll 2 of 13: 6 6 6 1 1");
  typeKeys(game, "8");
  game.receiveReply({ text: "1 other is still playing. Press once more …", right: null });
  await game.receiveState({ ...STATE, round, card: { ...card, turn: 13, dice: [], total: 212 } });
  assert.equal(record.announcements.at(-1), "The card is full. Total: 212");
  await game.receiveState({ ...STATE, round: { ...round, state: "over" }, card: { ...card, turn: 13, dice: [], total: 212 } });
  assert.equal(record.announcements.at(-1), "The game is over. Your total: 212");
  assert.equal(record.model.message, null);
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
    await game.receiveState({ ...over, winner });
    assert.equal(record.announcements.at(-1), sentence);
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
  await game.receiveState({ ...STATE, ...beside, beside: over });
  assert.equal(record.model.mode, "ended");
  assert.equal(record.announcements.at(-1), "\u2068Ann\u2069 won. 8÷(3−8÷3) = 24");
  assert.deepEqual(record.model.buttons.flat().map(({ label }) => label), ["Next hand"]);
  assert.equal(game.shownRoundId, 1);
  game.openTab("contest");
  assert.equal(record.model.mode, "card");
  assert.equal(record.announcements.at(-1), "Roll 4 of 13: 1 2 3 4 4");
  assert.deepEqual(record.model.buttons.flat().map(({ label }) => label), ["Deal a hand"]);
  assert.equal(record.model.card.turn, 3);
});

test("the begin of a contest is not announced to people without a card in it", async () => {
  const round = { ...ROUND, id: 9, game: "Yahtzee", kind: "contest", state: "running", numbers: [], labels: [], target: "" };
  const beside = { round, card: null, buttons: [], people: [], winner: null, solution: "" };
  const games = ["", "Yahtzee"].map((title) => ({ game: title, press: null }));
  const { game, record } = await openGame({ ...STATE, beside, games });
  game.openTab("contest");
  assert.equal(record.announcements.at(-1), "Yahtzee");
  game.openTab("hand");
  assert.equal(record.announcements.at(-1), "Make 24: 3; 8; 3; 8");
});

test("the end of a race is announced once, with the score and the last hand", async () => {
  const { game, record } = await openGame();
  const last = { name: "Ann", you: false, text: "", answer: "8/(3-8/3) = 24" };
  const over = { ...STATE.round, state: "over", race_end: "You won the race, 16 to 15.", last_result: last };
  const winner = { name: "Player", you: true, answer: "" };
  await game.receiveState({ ...STATE, winner, round: over });
  assert.equal(record.announcements.at(-1), "You won the race, 16 to 15. Last hand, \u2068Ann\u2069: 8÷(3−8÷3) = 24");
  await game.receiveState(STATE);
  await game.receiveState({ ...STATE, winner, round: { ...over, last_result: { ...last, you: true } } });
  assert.equal(record.announcements.at(-1), "You won the race, 16 to 15. Last hand, you: 8÷(3−8÷3) = 24");
  await game.receiveState(STATE);
  const nobody = { name: "", you: false, text: "Given up.", answer: "8/(3-8/3) = 24" };
  await game.receiveState({ ...STATE, solution: "8/(3-8/3) = 24", round: { ...over, race_end: "The race is over.", last_result: nobody } });
  assert.equal(record.announcements.at(-1), "The race is over. Last hand: Given up. 8÷(3−8÷3) = 24");
});

test("an end during absence is announced as over", async () => {
  const { game, record } = await openGame();
  await game.receiveState({ ...STATE, winner: { name: "Ann", you: false, answer: "8/(3-8/3)" }, round: { ...STATE.round, id: 2, state: "over" } });
  assert.equal(record.announcements.at(-1), "\u2068Ann\u2069 won. 8÷(3−8÷3) = 24");
});

test("the begin of yahtzee is announced to people without a card", async () => {
  const { game, record } = await openGame();
  await game.receiveState({ ...STATE, round: { ...ROUND, id: 2, game: "Yahtzee", kind: "contest", state: "running", numbers: [], labels: [], target: "" } });
  assert.equal(record.announcements.at(-1), "A game of Yahtzee has begun.");
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
  const pages = [];
  for (const more of [{ values }, { values }]) {
    const page = await openGame(ALONE, more);
    page.game.dailyStore.setPerson({ id: 11 });
    await page.game.receiveState(TODAY);
    page.game.noteLost();
    pages.push(page);
  }
  t.mock.timers.tick(2000);
  return pages;
}

const DAY_OVER = { ...ALONE, day: DONE, finished_days: [DAY.day] };

test("the other page of the same person announces an offline solution", async (t) => {
  const [one, other] = await openTwoPages(t);
  other.game.closeDailyHand();
  assert.deepEqual(readTabs(other.record), ["day"]);
  one.game.openDailyHand();
  tapAll(one.game, CLASSIC);
  other.game.openDailyHand();
  const text = "You have solved the day’s hand offline. It is sent once you are connected.";
  assert.deepEqual([other.record.model.mode, other.record.model.message.text], ["empty", text], "no button goes without a word");
  other.game.followOtherPage();
  assert.deepEqual(readTabs(other.record), []);
  one.game.noteConnected();
  await one.game.receiveState(TODAY);
  await sendOfflineAnswer(one.game);
  other.game.followOtherPage();
  assert.equal(one.record.model.message.text, "Right!");
  await one.game.receiveState(DAY_OVER);
  assert.equal(one.record.model.message.text, "Right!");
});

test("a page with the day's hand open shows the other page's solution until it is sent", async (t) => {
  const [one, other] = await openTwoPages(t);
  for (const page of [one, other]) page.game.openDailyHand();
  tapAll(one.game, CLASSIC);
  other.game.followOtherPage();
  assert.deepEqual([other.record.model.mode, other.record.model.state.winner.answer], ["ended", "8/(3-8/3)"]);
  await sendOfflineAnswer(one.game);
  other.game.followOtherPage();
  assert.deepEqual([other.record.model.mode, other.record.model.message.text], ["empty", "You have done that day’s hand already."]);
});

test("the page that solved the hand announces the verdict that another page received", async (t) => {
  const [one, other] = await openTwoPages(t);
  one.game.openDailyHand();
  tapAll(one.game, CLASSIC);
  other.game.noteConnected();
  await sendOfflineAnswer(other.game);
  one.game.followOtherPage();
  one.game.followOtherPage("Right!"); // by `storage`
  assert.deepEqual([one.record.model.mode, one.record.model.message.text], ["empty", "Right!"]);
  one.game.noteConnected();
  await one.game.receiveState(DAY_OVER);
  assert.equal(one.record.model.message.text, "Right!");
});

// Storms and streaks.

const RUN_STATE = {
  ...STATE, place: { kind: "private", title: "" }, buttons: [[{ label: "Skip: −10 s", press: "rk:5" }]],
  round: {
    ...ROUND, id: 5, kind: "storm", deadline: 1180, ...puzzle(["6", "6", "6", "6"]),
    run: { id: 9, number: 1, ahead: [puzzle(["3", "8", "3", "8"]), puzzle(["1", "2", "3", "4"])] },
  },
};
const SUM = [0, "+", 1, "+", 2, "+", 3];
const shownNumbers = ({ table }) => table.puzzle.numbers;

test("the next hand of a run lies there before the bot has judged the answer", async () => {
  const { game, record } = await openGame(RUN_STATE);
  tapAll(game, SUM);
  assert.deepEqual(shownNumbers(game), ["3", "8", "3", "8"]);
  tapAll(game, CLASSIC);
  assert.deepEqual(record.entries, [{ round: 5, answer: "6+6+6+6" }, { round: 5, answer: "8/(3-8/3)" }]);
  assert.deepEqual(shownNumbers(game), ["1", "2", "3", "4"]);
  assert.match(record.announcements.at(-1), /1.*2.*3.*4/);
});

test("moves on a hand stay when the bot comes to it", async () => {
  const { game, record } = await openGame(RUN_STATE);
  tapAll(game, SUM);
  tapAll(game, [1, "/", 0]);
  const { moves } = game.table;
  const count = record.announcements.length;
  const [next, ...ahead] = RUN_STATE.round.run.ahead;
  await game.receiveState({ ...RUN_STATE, round: { ...RUN_STATE.round, ...next, id: 6, run: { id: 9, number: 2, ahead } } });
  assert.deepEqual(game.table.moves, moves);
  assert.equal(record.announcements.length, count);
});

test("after the last hand that the page has, the answer waits for the bot", async () => {
  const { game, record } = await openGame(RUN_STATE);
  game.noteLost();
  tapAll(game, SUM);
  tapAll(game, CLASSIC);
  tapAll(game, [1, "*", 2, "*", 3, "*", 0]);
  assert.equal(record.entries.length, 3);
  assert.deepEqual(shownNumbers(game), ["1", "2", "3", "4"]);
  assert.match(record.model.message.text, /Kept/);
});

test("an answer of a run that does not count leads back to the bot's hand", async () => {
  const { game } = await openGame(RUN_STATE);
  tapAll(game, SUM);
  game.receiveReply({ id: "entry 1", text: "No.", right: false });
  assert.deepEqual(shownNumbers(game), ["6", "6", "6", "6"]);
});

test("a wrong number costs time in a run, and the page says so itself", async () => {
  const { game, record } = await openGame(RUN_STATE);
  tapAll(game, [0, "+", 1, "+", 2, "-", 3]);
  assert.deepEqual(record.entries, [{ round: 5, answer: "6+6+6-6" }]);
  const { text } = record.model.message;
  game.receiveReply({ id: "entry 1", text: "6+6+6−6 = 12, not 24.", right: false });
  assert.equal(record.model.message.text, text);
  assert.deepEqual(shownNumbers(game), ["6", "6", "6", "6"]);
});

test("the end of a run tells the solution of the hand that was not solved", async () => {
  const { game, record } = await openGame(RUN_STATE);
  const round = { ...RUN_STATE.round, state: "over", race_end: "Storm · 3 solved", run: { id: 9, number: 4, ahead: [] } };
  await game.receiveState({ ...RUN_STATE, round, solution: "8/(3-8/3) = 24" });
  assert.equal(record.announcements.at(-1), "Storm · 3 solved 8÷(3−8÷3) = 24");
});
