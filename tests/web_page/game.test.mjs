import assert from "node:assert/strict";
import { test } from "node:test";
import { load, memory, puzzle } from "./page.mjs";

const { Game } = await load("game");
const { closing } = await load("texts");
const { Day } = await load("day");
const { speak } = await load("words");

const NOON = Date.parse("2026-11-25T12:00Z") / 1000;
const ROUND = { id: 1, game: "twentyfour", kind: "first", state: "open", opened: 0, deadline: null, entered: false };
const STATE = {
  version: "1", now: 1000, language: "en", place: { kind: "group", title: "Club" }, card: null, day: null, lines: [],
  buttons: [[{ label: "Hint", press: "h:1" }]], people: [], winner: null,
  round: { ...ROUND, ...puzzle(["3", "8", "3", "8"]) },
};

/** A game whose screen, Telegram and entries only write down what they are told. */
function game({ now = 1000, kept = memory(), values = {} } = {}) {
  const told = { aloud: [], entries: [], days: [], waiting: [], judged: [], times: [] };
  const screen = { draw: (model) => (told.model = model), tell: (text) => told.aloud.push(text), time: (s) => told.times.push(s), step: () => {} };
  const telegram = { tap() {}, merged() {}, judged: (right) => told.judged.push(right), underway: (begun) => (told.underway = begun), canShare: true };
  const made = new Game({ screen, telegram, kept, day: new Day((name) => (values[name] ??= memory()), () => NOON), now: () => told.now ?? now });
  made.entries = {
    add: (entry) => `entry ${told.entries.push(entry)}`,
    isOwn: (id) => id !== "elsewhere",
    remember() {},
    get waiting() { return told.waiting; },
  };
  made.send = () => { // the bot takes it at once
    told.days.push(...made.day.waiting);
    values["day-answers:11"].write(null);
  };
  return { game: made, told };
}

/** Answers to the hand of a day without their ids. */
const bare = ({ days }) => days.map(({ day, answer }) => ({ day, answer }));

function play(made, text) {
  for (const key of text) made.key(key, false);
}

async function open(state = STATE, more = {}) {
  const { game: made, told } = game(more);
  made.connected();
  await made.take(state);
  return { game: made, told };
}

const CLASSIC = [1, "/", 0, 2, "-", 0, 3, "/", 0];
const taps = (made, list) => list.forEach((tap) => (typeof tap === "number" ? made.tap(tap) : made.operate(tap)));

test("an answer is sent by itself once it makes the target", async () => {
  const { game: made, told } = await open();
  taps(made, CLASSIC);
  assert.deepEqual(told.entries, [{ round: 1, answer: "8/(3-8/3)" }]);
  assert.deepEqual(told.aloud.slice(-3), ["8 ÷ 3 = 8 over 3", "3 − 8 ÷ 3 = 1 over 3", "8 ÷ (3 − 8 ÷ 3) = 24"]);
  assert.equal(told.underway, true);
});

test("a merger is told by the name of its tile, below zero too", async () => {
  const { game: made, told } = await open();
  taps(made, [1, "/", 0, "-", 2, "-", 3]);
  assert.equal(told.aloud.at(-1), "8 ÷ 3 − 3 − 8 = −25 over 3");
});

test("what is not the target is not sent, and is told kindly", async () => {
  const { game: made, told } = await open();
  taps(made, [0, "+", 1, "+", 2, "+", 3]);
  assert.deepEqual(told.entries, []);
  assert.equal(told.model.said.text, "That makes 22, not 24. Undo, and try another way.");
  made.undo();
  assert.equal(told.model.said, null);
});

const DRAW = { game: "countdown", kind: "best", ...puzzle(["75", "6"], { target: "83", every: false, whole: true, near: true }) };

test("what is near is called how near it is, and nothing wrong", async () => {
  const { game: made, told } = await open({ ...STATE, round: { ...STATE.round, ...DRAW } });
  taps(made, [0, "+", 1]);
  assert.deepEqual(told.model.said, { text: "81: 2 away from 83", kind: "told" });
});

test("which of one's answers stands is said", async () => {
  const round = { ...STATE.round, ...DRAW, entered: true, stands: "81" };
  const { told } = await open({ ...STATE, round });
  assert.equal(told.model.said.text, "81: Your answer is in. A later one takes its place.");
  const { told: older } = await open({ ...STATE, round: { ...round, stands: undefined } });
  assert.equal(older.model.said.text, "Your answer is in. A later one takes its place.");
});

test("who else has handed in is told, and how many want to give up", async () => {
  const people = [{ name: "Bob", you: false, in: false }, { name: "Ann", you: true, in: false }];
  const state = { ...STATE, people, buttons: [[{ label: "Give up", press: "s:1" }]] };
  const { game: made, told } = await open(state);
  const handed = [{ name: "Cleo", you: false, in: true }, ...people.map((each) => ({ ...each, in: true, done: "handed in" }))];
  await made.take({ ...state, people: handed });
  assert.deepEqual(told.aloud.map((text) => text.split(",")[0]), ["\u2068Cleo\u2069", "\u2068Bob\u2069"]);
  await made.take({ ...state, people: handed, buttons: [[{ label: "Give up 1/2", press: "s:1" }]] });
  assert.equal(told.aloud.at(-1), "Give up 1/2");
  assert.equal(told.aloud.length, 3);
});

test("a press that was to be pressed once more is spoken of only as long as it can be", async () => {
  const round = { ...STATE.round, game: "yahtzee", kind: "contest", state: "running", numbers: [], shown: [], target: null };
  const state = { ...STATE, round, buttons: [[{ label: "End", press: "ce:1" }], [{ label: "Deal a hand", press: "st:deal" }]] };
  const { game: made, told } = await open(state);
  made.press("ce:1");
  made.word({ id: "entry 1", text: "1 other is still playing. Press once more to end it.", right: null });
  assert.match(told.model.said.text, /once more/);
  await made.take({ ...state, buttons: state.buttons.slice(1) });
  assert.equal(told.model.said, null);
  made.inform("The link is copied.");
  assert.equal(told.model.said.text, "The link is copied.");
});

test("a page that was closed says that alone: no clock, no place, nothing of the connection", async () => {
  const { game: made, told } = await open({ ...STATE, round: { ...STATE.round, deadline: 1090 } });
  made.lost();
  made.end(403);
  made.tick();
  assert.deepEqual([told.model.mode, told.model.place, told.model.notice, told.times.at(-1)], ["closed", null, null, null]);
});

test("what is typed and lies nowhere is answered", async () => {
  const { game: made, told } = await open();
  play(made, "9");
  assert.equal(told.model.said.text, "There is no 9 here.");
  play(made, "q");
  assert.equal(told.model.said.text, "There is no Q here.");
  assert.equal(made.table.chosen, null);
});

test("a move that is barred says why and changes nothing", async () => {
  const round = { ...STATE.round, game: "countdown", ...puzzle(["75", "6"], { target: "300", every: false, whole: true, near: true }) };
  const { game: made, told } = await open({ ...STATE, round });
  taps(made, [1, "-", 0]);
  assert.equal(told.model.said.text, "6 − 75: not above zero");
  made.operate("+");
  made.tap(0);
  made.hand();
  assert.deepEqual(told.entries, [{ round: 1, answer: "6+75" }]);
});

test("the bot's word is shown, and another idea begins anew", async () => {
  const { game: made, told } = await open({ ...STATE, round: { ...STATE.round, kind: "all" } });
  taps(made, CLASSIC);
  made.word({ id: "x", text: "One of three.", right: true });
  assert.deepEqual(told.model.said, { text: "One of three.", kind: "good" });
  assert.equal(told.model.table.moves.length, 0);
  assert.deepEqual(told.judged, [true]);
});

test("tiles stay as they are while the state changes, and over a reload", async () => {
  const kept = memory();
  const { game: made, told } = await open(STATE, { kept });
  taps(made, [1, "/", 0]);
  await made.take({ ...STATE, version: "2", lines: ["A hint"] });
  assert.equal(told.model.table.moves.length, 1);
  const again = await open(STATE, { kept });
  assert.equal(again.told.model.table.moves.length, 1);
  await made.take({ ...STATE, round: { ...STATE.round, id: 2 } });
  assert.equal(told.model.table.moves.length, 0);
});

test("the end is told with winner and answer", async () => {
  const { game: made, told } = await open();
  const winner = { name: "Ann", you: false, answer: "8/(3-8/3)" };
  await made.take({ ...STATE, winner, round: { ...STATE.round, state: "over" } });
  assert.equal(told.model.mode, "ended");
  assert.equal(told.aloud.at(-1), "\u2068Ann\u2069 won. 8 ÷ (3 − 8 ÷ 3) = 24");
  assert.deepEqual(told.model.extras.map((each) => each.action), ["share"]);
});

test("where the nearest won, what it makes is told, how far that is, and what could have been made", async () => {
  const near = { ...STATE.round, game: "countdown", kind: "best", target: "196" };
  const { game: made, told } = await open({ ...STATE, round: near });
  const winner = { name: "Ann", you: false, answer: "(1+1)*100-3", value: "197" };
  await made.take({ ...STATE, winner, round: { ...near, state: "over", best: "(50-1)*(3+1) = 196" } });
  assert.equal(told.aloud.at(-1), "\u2068Ann\u2069 won. (1 + 1) × 100 − 3 = 197. 1 away from 196. Best: (50 − 1) × (3 + 1) = 196");
});

test("where nobody was nearer than the winner, nothing is told that could have been made", async () => {
  const near = { ...STATE.round, game: "countdown", kind: "best", target: "196" };
  const { game: made, told } = await open({ ...STATE, round: near });
  const winner = { name: "Ann", you: true, answer: "(50-1)*(3+1)", value: "196" };
  await made.take({ ...STATE, winner, round: { ...near, state: "over", best: "(3+1)*(50-1) = 196" } });
  assert.equal(told.aloud.at(-1), "You won! (50 − 1) × (3 + 1) = 196");
  await made.take({ ...STATE, round: { ...near, id: 2 } });
  await made.take({ ...STATE, round: { ...near, id: 2, state: "over", best: "(50-1)*(3+1) = 196" } });
  assert.equal(told.aloud.at(-1), "The hand is over. Best: (50 − 1) × (3 + 1) = 196");
});

test("who watches has nothing to tap", async () => {
  const { game: made, told } = await open({ ...STATE, place: { kind: "watch", title: "" }, buttons: [] });
  assert.equal(told.model.mode, "watch");
  assert.equal(told.model.table, null);
  play(made, "8/3");
  assert.deepEqual([told.entries, told.model.extras], [[], []]);
});

test("the clock is told at its thresholds alone", async () => {
  const { game: made, told } = await open({ ...STATE, round: { ...STATE.round, deadline: 1062 } });
  for (let now = 1000; now <= 1070; now += 0.25) {
    told.now = now;
    made.tick();
  }
  assert.deepEqual(told.aloud, ["One minute left.", "30 seconds left.", "10 seconds left."]);
  assert.equal(told.times.at(-1), 0);
});

const HURRY = "⏳ Somebody has it: five more seconds for all.";

for (const kind of ["group", "watch"]) {
  test(`a clock that jumps says why by the board, in the bot's own sentence (${kind})`, async () => {
    const round = { ...STATE.round, game: "countdown", kind: "best", near: true, deadline: 1055, hurry: "" };
    const place = { kind, title: "" };
    const { game: made, told } = await open({ ...STATE, place, round });
    await made.take({ ...STATE, place, round: { ...round, deadline: 1006, hurry: HURRY } });
    assert.deepEqual(told.model.said, { text: HURRY, kind: "told" });
    for (told.now = 1000; told.now <= 1006; told.now += 0.25) made.tick();
    assert.deepEqual(told.aloud, []);
    await made.take({ ...STATE, place, round: { ...round, state: "over", deadline: null, hurry: "" } });
    assert.equal(told.model.said, null);
  });
}

test("what the bot says to its reader alone stands by the board, before a hint, also where there is no hand", async () => {
  const aside = "⚔️ Ann challenges Bob!";
  const { game: made, told } = await open({ ...STATE, aside, round: { ...STATE.round, hints: ["The last step is ÷."] } });
  assert.deepEqual(told.model.said, { text: aside, kind: "told" });
  await made.take({ ...STATE, aside, round: null });
  assert.deepEqual(told.model.said, { text: aside, kind: "told" });
  await made.take({ ...STATE, aside: "", round: null });
  assert.equal(told.model.said, null);
});

test("that the time is short is told beside a verdict, and takes no verdict's place", async () => {
  const round = { ...STATE.round, game: "countdown", kind: "best", near: true, deadline: 1055, hurry: "" };
  const { game: made, told } = await open({ ...STATE, round });
  made.word({ id: "x", text: "308: exactly!", right: true });
  await made.take({ ...STATE, round: { ...round, deadline: 1006, hurry: HURRY, entered: true } });
  assert.equal(told.model.said.text, "308: exactly!");
  assert.deepEqual(told.aloud, [HURRY]);
  made.tap(0);
  assert.equal(told.model.said.text, HURRY);
});

test("a press waits until the table has changed", async () => {
  const { game: made, told } = await open();
  made.press("h:1");
  assert.deepEqual([told.entries, told.model.going], [[{ press: "h:1" }], "h:1"]);
  await made.take(STATE);
  assert.equal(told.model.going, null);
  made.refused({}, 409);
  assert.equal(told.model.said.kind, "bad");
});

test("without a connection a press says that it waits", async () => {
  const { game: made, told } = await open();
  made.lost();
  made.press("h:1");
  assert.equal(told.model.said.text, "Kept, and sent as soon as there is a connection.");
  made.connected();
  await made.take(STATE);
  assert.equal(told.model.said, null);
});

test("a hint stands where verdicts do, with what the hand is worth by then", async () => {
  const { game: made, told } = await open();
  const hinted = (...hints) => ({ ...STATE, round: { ...STATE.round, hints, worth: "now worth 4 points" } });
  await made.take(hinted("The last step is ÷."));
  assert.deepEqual(told.model.said, { text: "💡 The last step is ÷. (now worth 4 points)", kind: "told" });
  taps(made, [0, "+", 1, "+", 2, "+", 3]);
  assert.equal(told.model.said.kind, "bad");
  made.undo();
  assert.equal(told.model.said.text, "💡 The last step is ÷. (now worth 4 points)");
  await made.take(hinted("The last step is ÷.", "Make 8/3."));
  assert.equal(told.model.said.text, "💡 Make 8/3. (now worth 4 points)");
  await made.take(hinted("The last step is ÷.", "Make 8/3.", "It looks like this: □+□*(□-□)"));
  assert.equal(told.model.said.text, "💡 It looks like this: □ + □ × (□ − □) (now worth 4 points)");
});

test("a hint says its price, and keeps its place when there are no more", async () => {
  const buttons = [[{ label: "Hint", press: "h:1" }, { label: "Give up 1/3", press: "s:1" }]];
  const { game: made, told } = await open({ ...STATE, buttons, round: { ...STATE.round, hints: [], costs: true } });
  assert.deepEqual(told.model.buttons[0][0], { key: "h:", label: "Hint", note: "−1 point", press: "h:1" });
  await made.take({ ...STATE, buttons: [buttons[0].slice(1)], round: { ...STATE.round, hints: ["Make 8/3."] } });
  assert.deepEqual(told.model.buttons[0].map(({ label, press }) => [label, press]), [["Hint", null], ["Give up 1/3", "s:1"]]);
  made.press(null);
  assert.equal(told.model.said.text, "No more hints for this hand.");
  assert.deepEqual(told.entries, []);
});

test("a hand is given up by a second press alone, and whatever comes between ends the question", async () => {
  const { game: made, told } = await open({ ...STATE, buttons: [[{ label: "Give up", press: "s:1" }]] });
  made.press("s:1");
  assert.deepEqual(told.entries, []);
  assert.equal(told.model.said.text, "Give this hand up? Press once more.");
  assert.equal(told.model.buttons[0][0].label, "Yes, give up");
  made.tap(0);
  assert.equal(told.model.buttons[0][0].label, "Give up");
  made.press("s:1");
  assert.deepEqual(told.entries, []);
  made.press("s:1");
  assert.deepEqual(told.entries, [{ press: "s:1" }]);
  assert.equal(told.model.going, "s:1");
});

test("in a race the hand before is told above the new one's buttons, and which hand it is", async () => {
  const { game: made, told } = await open();
  const before = { name: "Paul", you: false, text: "", answer: "6*(7+9)/4 = 24" };
  const next = { ...STATE.round, id: 2, hand: "Hand 2 of 10", before };
  await made.take({ ...STATE, round: next });
  assert.deepEqual(told.model.said, { text: "\u2068Paul\u2069: 6 × (7 + 9) ÷ 4 = 24", kind: "told" });
  assert.equal(told.model.place, "Hand 2 of 10 · \u2068Club\u2069");
  assert.equal(told.aloud.at(-1), "Make 24: 3; 8; 3; 8");
  await made.take({ ...STATE, round: { ...next, id: 4, before: { ...before, you: true } } });
  assert.deepEqual(told.model.said, { text: "You: 6 × (7 + 9) ÷ 4 = 24", kind: "good" });
  const nobody = { name: "", you: false, text: "Given up.", answer: "6*(7+9)/4 = 24" };
  await made.take({ ...STATE, place: { kind: "watch", title: "" }, buttons: [], round: { ...next, id: 3, before: nobody } });
  assert.equal(told.model.said.text, "Given up. 6 × (7 + 9) ÷ 4 = 24");
  assert.equal(told.model.place, "Hand 2 of 10");
});

test("who came without a link is told where one is", () => {
  assert.match(closing(null, { host: "127.0.0.1" }).text, /\/board in the terminal/);
  assert.match(closing(null, { host: "play.example" }).text, /button under a hand/);
});

test("what nobody found is shown and told at the end", async () => {
  const { game: made, told } = await open();
  await made.take({ ...STATE, solution: "8/(3-8/3) = 24", round: { ...STATE.round, state: "over" } });
  assert.equal(told.aloud.at(-1), "The hand is over. 8 ÷ (3 − 8 ÷ 3) = 24");
});

test("face cards are typed by their letters and by what they are worth", async () => {
  const round = { ...STATE.round, ...puzzle(["11", "1", "13", "12"]), shown: ["J", "A", "K", "Q"] };
  const { game: made, told } = await open({ ...STATE, round });
  play(made, "11*1*");
  assert.deepEqual(told.model.table.moves, [[0, "*", 1]]);
  play(made, "13-q");
  assert.deepEqual(told.model.table.moves, [[0, "*", 1], [1, "*", 2], [2, "-", 3]]);
});

test("what is chosen by typing is told, as the focus is elsewhere", async () => {
  const round = { ...STATE.round, ...puzzle(["2", "12", "1", "3"]), shown: ["2", "Q", "A", "3"] };
  const { game: made, told } = await open({ ...STATE, round });
  play(made, "q*2+");
  assert.deepEqual(told.aloud, ["Q, 12", "Q, 12 times", "12 × 2 = 24", "24 plus"]);
  play(made, "+1");
  assert.deepEqual(told.aloud.slice(4), ["A, 1"], "a sign that waits no longer, and then another number");
  play(made, "-");
  assert.equal(told.aloud.at(-1), "A, 1 minus");
  const { told: tapped, game: other } = await open();
  taps(other, [0, "+"]);
  assert.deepEqual(tapped.aloud, [], "what has the focus tells that itself");
});

test("a number that is chosen no longer is told", async () => {
  const { game: made, told } = await open();
  taps(made, [1, "/", 0]);
  made.tap(0);
  assert.equal(told.aloud.at(-1), "8 over 3: no longer chosen.");
  const before = told.aloud.length;
  taps(made, [2, "+", 2, 3]);
  assert.equal(told.aloud.length, before);
});

test("undo and reset are told, and a reset can be undone", async () => {
  const { game: made, told } = await open();
  taps(made, [1, "/", 0, 2, "-", 0]);
  made.undo();
  assert.equal(told.aloud.at(-1), "Undo: 8 over 3; 3; 8");
  made.reset();
  assert.equal(told.aloud.at(-1), "Reset: 3; 8; 3; 8");
  made.undo();
  assert.equal(told.aloud.at(-1), "Undo: 8 over 3; 3; 8");
  made.reset();
  taps(made, [0, "+", 1]);
  made.undo();
  made.undo();
  made.undo();
  assert.equal(told.model.table.moves.length, 1);
});

test("a sign does nothing when one number is left", async () => {
  const { game: made, told } = await open();
  taps(made, [0, "+", 1, "+", 2, "+", 3, "-"]);
  assert.equal(told.model.table.op, null);
  assert.equal(told.model.said.kind, "bad");
});

test("what was said of a game that ended goes with it", async () => {
  const round = { ...ROUND, game: "yahtzee", kind: "contest", state: "running", numbers: [], shown: [], target: null };
  const { game: made, told } = await open({ ...STATE, round });
  made.inform("The link is copied", "https://play.example/#watch=1");
  await made.take({ ...STATE, round: { ...round, state: "over" } });
  assert.deepEqual([told.model.said, told.model.about.link], [null, null]);
});

test("why there is no board is said in whatever language is spoken by then", async (t) => {
  t.after(() => speak("en"));
  const { game: made, told } = game();
  made.end(null);
  assert.equal(told.model.closed.title, "Nothing to play here yet.");
  await speak("es", async () => ({ "Nothing to play here yet.": "Nada" }));
  made.draw();
  assert.equal(told.model.closed.title, "Nada");
});

test("that there is no connection is said in whatever language is spoken by then", async (t) => {
  t.after(() => speak("en"));
  const { game: made, told } = game();
  made.lost();
  await speak("es", async () => ({ "No connection. Trying again …": "Sin" }));
  made.draw();
  assert.equal(told.model.notice, "Sin");
});

test("a link that nobody made says how to get a whole one", () => {
  const [here, away] = ["127.0.0.1", "play.example"].map((host) => closing("link", { host }));
  assert.deepEqual([here.title, away.title], ["This link opens no board.", "This link opens no board."]);
  assert.match(here.text, /Copy all of it, or type \/board in the terminal/);
  assert.match(away.text, /Copy all of it, or ask for another/);
});

test("beside the terminal a link that was used, and a board that was closed, say where another one is", () => {
  const [used, closed] = [403, 401].map((status) => ["127.0.0.1", "play.example"].map((host) => closing(status, { host }).text));
  assert.equal(used[0], "The link was used before. Type /board in the terminal for another.");
  assert.match(used[1], /Open the board from the chat/);
  assert.match(closed[0], /Type \/board in the terminal/);
  assert.equal(closed[1], "Open it again from the chat.");
});

test("only what ended without an answer is called a lack of connection", () => {
  assert.equal(closing(undefined).title, "No connection.");
  for (const status of [400, 404, 415]) assert.equal(closing(status).title, "This board can’t be opened.", String(status));
});

test("a session that ended says what to do", async () => {
  const { game: made, told } = await open();
  made.end(401);
  assert.equal(told.model.mode, "closed");
  assert.equal(told.model.closed.text, "Open it again from the chat.");
  assert.deepEqual(told.model.buttons, []);
  assert.equal(told.aloud.at(-1), "This board was closed a while ago. Open it again from the chat.");
});

const DAY = { day: "2026-11-25", numbers: ["3", "8", "3", "8"], shown: ["3", "8", "3", "8"], target: "24", done: false };

test("a day's hand that was begun offline is an answer like others where there is a connection by its end", async () => {
  const { game: made, told } = game();
  made.day.of({ id: 11 });
  made.day.keep({ language: "en", day: DAY });
  made.lost();
  taps(made, CLASSIC.slice(0, 3));
  made.connected();
  await made.take(STATE);
  assert.equal(told.model.puzzle.day, DAY.day, "what was begun stays");
  taps(made, CLASSIC.slice(3));
  assert.deepEqual([told.entries, bare(told)], [[], [{ day: DAY.day, answer: "8/(3-8/3)" }]]);
});

test("of two states that come at once the end is told once", async () => {
  const { game: made, told } = await open();
  const over = { ...STATE, round: { ...STATE.round, state: "over" }, winner: { name: "Ann", you: true, answer: "8/(3-8/3)" } };
  await Promise.all([made.take(over), made.take({ ...over, lines: ["more"] })]);
  assert.deepEqual(told.judged, [true]);
});

test("at one's own table it is said that the time for the day's hand runs, unless it is done or another one is played", async () => {
  const said = async (more) => (await open({ ...STATE, round: null, place: { kind: "private", title: "" }, day: DAY, ...more })).told.model.said?.text;
  const where = "Your time for the day’s hand runs. Play it here, or answer it in the chat.";
  assert.equal(await said({}), where);
  assert.equal(await said({ round: { ...STATE.round, state: "over" } }), where);
  assert.equal(await said({ round: STATE.round }), undefined);
  assert.equal(await said({ day: { ...DAY, done: true }, over: [DAY.day] }), undefined);
  assert.equal(await said({ day: null }), undefined);
  assert.equal(await said({ place: { kind: "group", title: "Club" } }), undefined);
});

const ALONE = { ...STATE, round: null, buttons: [[{ label: "Solve today’s hand", press: "do:" }]], place: { kind: "private", title: "" } };
const TODAY = { ...ALONE, buttons: [], day: DAY };
const actions = ({ model }) => model.extras.map(({ label, action }) => [label, action]);

/** Ann's page at her own table, with the day's hand laid by its button. */
async function today(more = {}) {
  const { game: made, told } = await open(ALONE, more);
  made.day.of({ id: 11 });
  made.press("do:");
  await made.take(TODAY);
  return { game: made, told };
}

test("the day's hand lies there once its button was pressed, and its answer is one like any other", async () => {
  const { game: made, told } = await today();
  assert.deepEqual([told.model.mode, told.model.place, told.model.said.text], ["table", "The day’s hand", "Your time runs."]);
  assert.equal(told.aloud.at(-1), "Make 24: 3; 8; 3; 8");
  assert.deepEqual(actions(told), [["Back to the table", "leaveDay"]]);
  play(made, "8/3");
  taps(made, ["-", 2]);
  made.reset();
  taps(made, CLASSIC);
  assert.deepEqual([told.entries, bare(told)], [[{ press: "do:" }], [{ day: DAY.day, answer: "8/(3-8/3)" }]]);
  assert.equal(told.model.said.text, "Handed in.");
  made.word({ id: told.days[0].id, text: "Solved in 30 seconds.", right: true });
  assert.deepEqual(told.judged, [true]);
  assert.equal(told.model.place, "The day’s hand");
  await made.take({ ...TODAY, day: { ...DAY, done: true }, over: [DAY.day] });
  assert.deepEqual([told.model.mode, told.model.place, told.model.said], ["empty", "", { text: "Solved in 30 seconds.", kind: "good" }]);
  assert.deepEqual(actions(told), []);
});

test("what another page of the same person handed in is told there alone", async () => {
  const { game: made, told } = await today();
  taps(made, CLASSIC);
  made.word({ id: told.days[0].id, text: "Solved in 30 seconds.", right: true });
  made.word({ id: "elsewhere", text: "You have solved that hand already. /daily has today’s.", right: null });
  assert.deepEqual([told.model.said.text, told.judged], ["Solved in 30 seconds.", [true]]);
});

test("that an answer is on its way stays, whatever is taken back", async () => {
  const { game: made, told } = await today();
  taps(made, CLASSIC);
  made.undo();
  assert.equal(told.model.said.text, "Handed in.");
  made.word({ id: told.days[0].id, text: "3*8+3-8 = 19, not 24.", right: false });
  made.undo();
  assert.equal(told.model.said.text, "Your time runs.");
});

test("an answer that waits is mentioned after a reload, with a table and without one", async () => {
  const { game: made, told } = await open();
  told.waiting.push({ id: "x", round: 1, answer: "8/(3-8/3)" });
  made.lost();
  made.draw();
  assert.equal(told.model.said.text, "Kept, and sent as soon as there is a connection.");
  const { game: again, told: then } = game();
  then.waiting.push({ id: "x", day: DAY.day, answer: "8/(3-8/3)" });
  again.lost();
  assert.equal(then.model.closed.text, "The page comes back by itself once there is one. Your answer is kept, and sent then.");
  then.waiting.pop();
  again.draw();
  assert.equal(then.model.closed.text, "The page comes back by itself once there is one.");
});

test("a page that is closed says that an answer to the hand of a day is kept, to who sees it and who doesn't", async () => {
  const kept = /Your answer is kept, and sent then\.$/;
  for (const status of [401, 403]) {
    const { game: made, told } = await today();
    taps(made, CLASSIC);
    told.waiting.push({ id: told.days[0].id, day: DAY.day, answer: "8/(3-8/3)" });
    made.refused(told.waiting[0], status);
    assert.equal(told.model.mode, "closed");
    assert.match(told.model.closed.text, kept);
    assert.deepEqual(actions(told), [], "there is no table to go back to");
    assert.match(told.aloud.at(-1), kept);
  }
  const { game: made, told } = await today();
  made.end(401);
  assert.doesNotMatch(told.model.closed.text, kept);
  made.day.add(DAY.day, "8/(3-8/3)", 1000);
  made.end(401);
  assert.match(told.aloud.at(-1), kept, "one that was given offline too");
});

test("the verdict may come behind the state", async () => {
  const { game: made, told } = await today();
  taps(made, CLASSIC);
  await made.take({ ...TODAY, day: { ...DAY, done: true }, over: [DAY.day] });
  assert.deepEqual([told.model.mode, told.model.said.text], ["empty", "Handed in."]);
  made.word({ id: told.days[0].id, text: "Solved in 30 seconds.", right: true });
  assert.equal(told.model.said.text, "Solved in 30 seconds.");
});

test("the day's hand is only offered while another is played, and neither loses its moves by the other", async () => {
  const { game: made, told } = await open({ ...STATE, place: ALONE.place });
  made.day.of({ id: 11 });
  taps(made, CLASSIC.slice(0, 3));
  made.press("do:");
  await made.take({ ...STATE, place: ALONE.place, day: DAY });
  const lies = () => told.model.table.places.map((each) => each && `${each.value}`);
  const begun = lies();
  assert.equal(told.model.puzzle.id, 1);
  assert.deepEqual(actions(told), [["Play the day’s hand", "playDay"]]);
  made.playDay();
  assert.equal(told.model.place, "The day’s hand");
  taps(made, [0, "+", 1]);
  const days = lies();
  await made.take({ ...STATE, place: ALONE.place, day: DAY, lines: ["more"] });
  assert.deepEqual(lies(), days);
  made.leaveDay();
  assert.equal(told.aloud.at(-1), "Make 24: 3; 8; 3; 8");
  assert.deepEqual([told.model.puzzle.id, lies()], [1, begun]);
  made.playDay();
  assert.deepEqual(lies(), days);
});

test("what happens on the table meanwhile is told when its reader comes back", async () => {
  const { game: made, told } = await today();
  const aloud = told.aloud.length;
  const next = { ...TODAY, round: { ...STATE.round, id: 2, ...puzzle(["1", "2", "3", "4"]), hints: [] } };
  await made.take(next);
  await made.take({ ...next, round: { ...next.round, hints: ["The last step is ×."] } });
  assert.deepEqual(told.aloud.slice(aloud), []);
  assert.equal(told.model.said.text, "Your time runs.");
  await made.take({ ...next, day: { ...DAY, done: true }, over: [DAY.day] });
  assert.deepEqual(told.aloud.slice(aloud), ["Make 24: 1; 2; 3; 4"]);
  assert.deepEqual([told.model.puzzle.id, told.model.said.text], [2, "You have done that day’s hand already."]);
});

test("without a card in sight the card is not lost", async () => {
  const card = { turn: 0, turns: 13, dice: [1, 2, 3, 4, 4], total: 0, bonus: 0, missing: 63, rows: [] };
  const round = { ...ROUND, game: "yahtzee", kind: "contest", state: "running", numbers: [], shown: [], target: null };
  const { game: made, told } = await open({ ...STATE, round, card, day: DAY });
  assert.deepEqual(actions(told), [["Play the day’s hand", "playDay"]]);
  made.playDay();
  assert.equal(told.model.mode, "table");
  made.leaveDay();
  assert.equal(told.model.mode, "card");
});

test("the day's hand stays over midnight, and one whose time is over goes with what the bot says", async () => {
  const { game: made, told } = await today();
  await made.take({ ...ALONE, day: null });
  assert.equal(told.model.place, "The day’s hand");
  taps(made, CLASSIC);
  made.word({ id: told.days[0].id, text: "3*8+3-8 = 19, not 24.", right: false });
  assert.equal(told.model.place, "The day’s hand");
  made.undo();
  taps(made, CLASSIC.slice(7));
  made.word({ id: told.days[1].id, text: "That hand’s 24 hours are over.", right: null });
  assert.deepEqual([told.model.mode, told.model.said.text], ["empty", "That hand’s 24 hours are over."]);
  assert.equal(made.day.hand, null);
});

test("a day's hand whose answer was refused stays", async () => {
  const { game: made, told } = await today();
  taps(made, CLASSIC);
  made.refused({ id: told.days[0].id, day: DAY.day, answer: "8/(3-8/3)" }, 409);
  assert.deepEqual(told.model.said, { text: "Your answer to the hand of 2026-11-25 could not be sent.", kind: "bad" });
  assert.equal(told.model.place, "The day’s hand");
});

test("nobody is offered a day's hand that is done, or whose answer is on its way", async () => {
  const { game: made, told } = await open(TODAY);
  made.day.of({ id: 11 });
  assert.deepEqual(actions(told), [["Play the day’s hand", "playDay"]]);
  made.day.add(DAY.day, "8/(3-8/3)");
  made.draw();
  assert.deepEqual(actions(told), []);
  made.send();
  await made.take({ ...TODAY, day: { ...DAY, done: true }, over: [DAY.day] });
  assert.deepEqual(actions(told), []);
  made.end(401);
  assert.deepEqual(actions(told), []);
});

test("a page that was closed while there was no connection offers no day's hand", async () => {
  const { game: made, told } = game();
  made.day.of({ id: 11 });
  made.lost();
  await made.take(TODAY);
  assert.deepEqual(actions(told), [["Play the day’s hand offline", "playDay"]]);
  made.end(401);
  assert.deepEqual(actions(told), []);
});

test("a day's hand that was begun before a reload lies there again", async () => {
  const values = {};
  const { game: made } = await today({ values });
  taps(made, [0, "+", 1]);
  const { game: again, told } = game({ values });
  again.day.of({ id: 11 });
  again.connected();
  await again.take(TODAY);
  assert.deepEqual([told.model.place, told.model.table.moves.length], ["The day’s hand", 1]);
});

test("what is made without a connection, and is known to be, is offline; after a mere blink it is not", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { game: made, told } = await today();
  taps(made, CLASSIC.slice(0, 6));
  made.lost();
  assert.equal(told.model.place, "The day’s hand");
  t.mock.timers.tick(2000);
  assert.equal(told.model.place, "The day’s hand, offline");
  assert.match(told.model.said.text, /^If you solve it offline, it gives no points/);
  made.connected();
  assert.equal(told.model.place, "The day’s hand");
  made.lost();
  taps(made, CLASSIC.slice(6));
  assert.deepEqual(bare(told), [{ day: DAY.day, answer: "8/(3-8/3)" }]);
  assert.equal(told.model.said.text, "Kept, and sent as soon as there is a connection.");
  made.undo();
  assert.equal(told.model.said.text, "Kept, and sent as soon as there is a connection.");
  t.mock.timers.tick(2000);
  assert.equal(told.model.said.text, "Kept, and sent as soon as there is a connection.");
  taps(made, CLASSIC.slice(7));
  assert.equal(told.model.said.text, "Kept, and sent as soon as there is a connection.");
  assert.equal(told.days.length, 1, "of the same hand no second answer is made, and none offline");
  assert.equal(made.day.isSolved(DAY), false);
});

test("a hand that was handed in and not found right may be made again", async () => {
  const { game: made, told } = await today();
  taps(made, CLASSIC);
  made.undo();
  taps(made, CLASSIC.slice(7));
  assert.equal(told.days.length, 1, "the first is on its way");
  made.refused({ id: told.days[0].id, day: DAY.day }, 409);
  made.undo();
  assert.equal(told.model.said.text, "Your time runs.");
  taps(made, CLASSIC.slice(7));
  assert.equal(told.days.length, 2);
  made.word({ id: told.days[1].id, text: "Solved in 30 seconds.", right: true });
  made.undo();
  assert.notEqual(told.model.said?.text, "Handed in.");
});

test("after midnight a page learns that the hand on it is done, and forgets it", async () => {
  const { game: made, told } = await today();
  await made.take({ ...ALONE, day: null, over: [] });
  assert.equal(told.model.place, "The day’s hand");
  await made.take({ ...ALONE, day: { ...DAY, day: "2026-11-26", numbers: ["1", "2", "3", "4"] }, over: [DAY.day] });
  assert.deepEqual([told.model.mode, told.model.said.text], ["empty", "You have done that day’s hand already."]);
  await made.take({ ...ALONE, day: null, over: [DAY.day, "2026-11-26"] });
  assert.equal(made.day.hand, null, "nor is it played offline from then on");
});

test("the day's hand is played offline, and its answer waits", async () => {
  const { game: made, told } = game();
  const day = DAY;
  let sent = 0;
  made.send = () => (sent += 1);
  made.day.of({ id: 11 });
  made.day.keep({ language: "en", day });
  made.lost();
  assert.equal(told.model.mode, "table");
  assert.equal(told.aloud.at(-1), "Make 24: 3; 8; 3; 8");
  assert.equal(told.model.said.text, "If you solve it offline, it gives no points, and is sent once you are connected.");
  taps(made, CLASSIC);
  assert.deepEqual(told.entries, []);
  assert.equal(made.day.isSolved(day), true);
  assert.equal(told.model.mode, "ended");
  assert.equal(told.model.state.winner.answer, "8/(3-8/3)");
  assert.deepEqual([told.model.buttons, told.model.extras], [[], []]);
  assert.match(told.model.said.text, /no points/);
  assert.equal(sent, 0);
  made.connected();
  await made.take(STATE);
  assert.equal(told.model.puzzle.id, 1);
});

test("a day's hand that was solved offline stands there solved after a reload, until its answer is sent", async () => {
  const { game: made, told } = game();
  made.day.of({ id: 11 });
  made.day.keep({ language: "en", day: DAY });
  made.day.add(DAY.day, "8/(3-8/3)", 1000);
  made.lost();
  assert.equal(told.model.mode, "ended");
  assert.equal(told.model.state.winner.answer, "8/(3-8/3)");
  assert.equal(told.model.said.text, "Solved offline: it gives no points, and is sent once you are connected.");
  assert.equal(told.aloud.at(-1), "Solved! 8 ÷ (3 − 8 ÷ 3) = 24");
  assert.deepEqual(told.model.extras, []);
  await judged(made);
  assert.equal(told.model.said.text, "Right!");
  assert.notEqual(told.model.mode, "table", "it is not dealt once more");
  made.connected();
  await made.take(STATE);
  assert.equal(told.model.puzzle.id, 1);
});

/** The bot takes the offline answer of this page and says that it is right. */
async function judged(made) {
  const post = async () => ({ status: 200, ok: true, json: () => ({ text: "Right!", done: true }) });
  made.day.makeSender(post, memory(), { judged: (text) => made.judged(text) }).run();
  await new Promise((done) => setImmediate(done));
}

test("what stands between two parts is written as the language has it", async () => {
  await speak("zh_Hans", async () => ({ ": ": "：", "; ": "；", ", ": "，", " ({n})": "（{n}）" }));
  const { game: made, told } = game();
  const state = { ...STATE, language: "zh_Hans" };
  const round = { ...STATE.round, id: 2, shown: ["3", "K", "3", "8"], numbers: ["3", "13", "3", "8"], hints: ["−。"], worth: "2" };
  await Promise.all([made.take(state), made.take({ ...state, round })]);
  assert.equal(told.aloud.at(-1), "Make 24：3；K，13；3；8");
  assert.equal(told.model.said.text, "💡 −。（2）");
  taps(made, [1, "+", 0]);
  made.undo();
  assert.equal(told.aloud.at(-1), "Undo：3；K，13；3；8");
  await speak("en");
});

test("states are shown in the order in which they come, however late the words of one are, and none waits long for them", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let slow;
  t.mock.method(globalThis, "fetch", () => new Promise((done) => (slow = () => done(new Response(JSON.stringify({ "Make {target}": "Llega a {target}" }))))));
  const { game: made, told } = game();
  const shown = [];
  made.screen.draw = (model) => shown.push(model.puzzle?.id) && (told.model = model);
  made.connected();
  const [first, second] = [made.take({ ...STATE, language: "es" }), made.take({ ...STATE, language: "en", round: { ...STATE.round, id: 2 } })];
  t.mock.timers.tick(1000);
  await Promise.all([first, second]);
  assert.deepEqual(shown.filter((id, at) => id && id !== shown[at - 1]), [1, 2]);
  const third = made.take({ ...STATE, language: "es", round: { ...STATE.round, id: 3 } });
  t.mock.timers.tick(1000);
  await third;
  assert.equal(told.model.puzzle.id, 3, "in English meanwhile");
  shown.length = 0;
  slow();
  while (!shown.length) await new Promise((done) => setImmediate(done));
  assert.deepEqual(shown, [3], "drawn anew in its own language");
  await speak("en");
});

test("a state that can't be shown keeps none that follows from being shown", async () => {
  const { game: made, told } = await open();
  await assert.rejects(made.take({ ...STATE, round: { id: 2, state: "open" } }));
  await made.take({ ...STATE, round: { ...STATE.round, id: 3 } });
  assert.equal(told.model.puzzle.id, 3);
});

test("a yahtzee roll is told when it comes", async () => {
  const card = { turn: 0, turns: 13, dice: [1, 2, 3, 4, 4], total: 0, bonus: 0, missing: 63, rows: [] };
  const round = { ...ROUND, game: "yahtzee", kind: "contest", state: "running", numbers: [], shown: [], target: null };
  const { game: made, told } = await open({ ...STATE, round, card });
  assert.equal(told.model.mode, "card");
  await made.take({ ...STATE, round, card: { ...card, turn: 1, dice: [6, 6, 6, 1, 1] } });
  assert.equal(told.aloud.at(-1), "Roll 2 of 13: 6 6 6 1 1");
  play(made, "8");
  made.word({ text: "1 other is still playing. Press once more …", right: null });
  await made.take({ ...STATE, round, card: { ...card, turn: 13, dice: [], total: 212 } });
  assert.equal(told.aloud.at(-1), "The card is full. Total: 212");
  await made.take({ ...STATE, round: { ...round, state: "over" }, card: { ...card, turn: 13, dice: [], total: 212 } });
  assert.equal(told.aloud.at(-1), "The game is over. Your total: 212");
  assert.equal(told.model.said, null);
});

test("the total of a card is told once where it won, and beside the winner's where it did not", async () => {
  const card = { turn: 13, turns: 13, dice: [], total: 32, bonus: 0, missing: 63, rows: [] };
  const round = { ...ROUND, game: "yahtzee", kind: "contest", state: "running", numbers: [], shown: [], target: null };
  const over = { ...STATE, card, round: { ...round, state: "over" } };
  for (const [winner, sentence] of [
    [{ name: "Player", you: true, answer: "32" }, "You won! Total: 32"],
    [{ name: "Ann", you: false, answer: "212" }, "\u2068Ann\u2069 won. Total: 212. Your total: 32"],
  ]) {
    const { game: made, told } = await open({ ...STATE, round, card });
    await made.take({ ...over, winner });
    assert.equal(told.aloud.at(-1), sentence);
  }
});

test("how a hand ended beside a running yahtzee stays and is told, until somebody goes back to the card", async () => {
  const card = { turn: 3, turns: 13, dice: [1, 2, 3, 4, 4], total: 0, bonus: 0, missing: 63, rows: [] };
  const round = { ...ROUND, id: 9, game: "yahtzee", kind: "contest", state: "running", numbers: [], shown: [], target: null };
  const beside = { round, card, lines: [], buttons: [[{ label: "Deal a hand", press: "st:deal" }]], people: [], winner: null, solution: "" };
  const { game: made, told } = await open({ ...STATE, beside });
  assert.equal(told.model.mode, "table");
  assert.deepEqual(told.model.extras.map(({ label }) => label), ["Back to the card"]);
  const winner = { name: "Ann", you: false, answer: "8/(3-8/3)" };
  const over = { ...beside, round: { ...STATE.round, state: "over" }, card: null, winner, buttons: [[{ label: "Next hand", press: "n:1" }]] };
  await made.take({ ...STATE, ...beside, beside: over });
  assert.equal(told.model.mode, "ended");
  assert.equal(told.aloud.at(-1), "\u2068Ann\u2069 won. 8 ÷ (3 − 8 ÷ 3) = 24");
  assert.deepEqual(told.model.buttons.flat().map(({ label }) => label), ["Next hand"]);
  assert.equal(made.shown, 1);
  made.go();
  assert.equal(told.model.mode, "card");
  assert.equal(told.aloud.at(-1), "Roll 4 of 13: 1 2 3 4 4");
  assert.deepEqual(told.model.buttons.flat().map(({ label }) => label), ["Deal a hand"]);
  assert.equal(told.model.card.turn, 3);
});

test("who goes to a contest in which they have no card is not told that it begins", async () => {
  const round = { ...ROUND, id: 9, game: "yahtzee", kind: "contest", state: "running", numbers: [], shown: [], target: null };
  const beside = { round, card: null, lines: [], buttons: [], people: [], winner: null, solution: "" };
  const { game: made, told } = await open({ ...STATE, beside });
  made.go();
  assert.equal(told.aloud.at(-1), "Yahtzee");
  made.go();
  assert.equal(told.aloud.at(-1), "Make 24: 3; 8; 3; 8");
});

test("the end of a race is told as one, with the score and how its last hand ended", async () => {
  const { game: made, told } = await open();
  const last = { name: "Ann", you: false, text: "", answer: "8/(3-8/3) = 24" };
  const over = { ...STATE.round, state: "over", ended: "You won the race, 16 to 15.", last };
  const winner = { name: "Player", you: true, answer: "" };
  await made.take({ ...STATE, winner, round: over });
  assert.equal(told.aloud.at(-1), "You won the race, 16 to 15. Last hand, \u2068Ann\u2069: 8 ÷ (3 − 8 ÷ 3) = 24");
  await made.take(STATE);
  await made.take({ ...STATE, winner, round: { ...over, last: { ...last, you: true } } });
  assert.equal(told.aloud.at(-1), "You won the race, 16 to 15. Last hand, you: 8 ÷ (3 − 8 ÷ 3) = 24");
  await made.take(STATE);
  const nobody = { name: "", you: false, text: "Given up.", answer: "8/(3-8/3) = 24" };
  await made.take({ ...STATE, solution: "8/(3-8/3) = 24", round: { ...over, ended: "The race is over.", last: nobody } });
  assert.equal(told.aloud.at(-1), "The race is over. Last hand: Given up. 8 ÷ (3 − 8 ÷ 3) = 24");
});

test("what ended while nobody looked is told as over", async () => {
  const { game: made, told } = await open();
  await made.take({ ...STATE, winner: { name: "Ann", you: false, answer: "8/(3-8/3)" }, round: { ...STATE.round, id: 2, state: "over" } });
  assert.equal(told.aloud.at(-1), "\u2068Ann\u2069 won. 8 ÷ (3 − 8 ÷ 3) = 24");
});

test("a game of yahtzee that begins is told to who has no card yet", async () => {
  const { game: made, told } = await open();
  await made.take({ ...STATE, round: { ...ROUND, id: 2, game: "yahtzee", kind: "contest", state: "running", numbers: [], shown: [], target: null } });
  assert.equal(told.aloud.at(-1), "A game of Yahtzee has begun.");
});

test("who has no card of their own yet sees the table and its buttons", async () => {
  const round = { ...ROUND, game: "yahtzee", kind: "contest", state: "running", numbers: [], shown: [], target: null };
  const { told } = await open({ ...STATE, round });
  assert.equal(told.model.mode, "watch");
  assert.deepEqual(told.model.buttons.flat().map(({ label, press }) => ({ label, press })), STATE.buttons.flat());
});

/** Two pages of Ann at her own table, with the day's hand begun, and no connection to the bot any more. */
async function pages(t) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const values = {};
  const both = [];
  for (const more of [{ values }, { values }]) {
    const page = await open(ALONE, more);
    page.game.day.of({ id: 11 });
    await page.game.take(TODAY);
    page.game.lost();
    both.push(page);
  }
  t.mock.timers.tick(2000);
  return both;
}

const DONE = { ...ALONE, day: { ...DAY, done: true }, over: [DAY.day] };

test("that the day's hand is solved offline the other page of the same person says", async (t) => {
  const [one, other] = await pages(t);
  assert.deepEqual(actions(other.told), [["Play the day’s hand offline", "playDay"]]);
  one.game.playDay();
  taps(one.game, CLASSIC);
  other.game.playDay();
  const said = "You have solved the day’s hand offline. It is sent once you are connected.";
  assert.deepEqual([other.told.model.mode, other.told.model.said.text], ["empty", said], "no button goes without a word");
  other.game.heard();
  assert.deepEqual(actions(other.told), []);
  one.game.connected();
  await one.game.take(TODAY);
  await judged(one.game);
  other.game.heard();
  assert.equal(one.told.model.said.text, "Right!");
  await one.game.take(DONE);
  assert.equal(one.told.model.said.text, "Right!");
});

test("a page on which the day's hand lies that is solved on another one shows that, and leaves it once it is sent", async (t) => {
  const [one, other] = await pages(t);
  for (const page of [one, other]) page.game.playDay();
  taps(one.game, CLASSIC);
  other.game.heard();
  assert.deepEqual([other.told.model.mode, other.told.model.state.winner.answer], ["ended", "8/(3-8/3)"]);
  await judged(one.game);
  other.game.heard();
  assert.deepEqual([other.told.model.mode, other.told.model.said.text], ["empty", "You have done that day’s hand already."]);
});

test("where another page sent it, the page on which it was solved says what came of it", async (t) => {
  const [one, other] = await pages(t);
  one.game.playDay();
  taps(one.game, CLASSIC);
  other.game.connected();
  await judged(other.game);
  one.game.heard();
  one.game.heard("Right!"); // by `storage`
  assert.deepEqual([one.told.model.mode, one.told.model.said.text], ["empty", "Right!"]);
  one.game.connected();
  await one.game.take(DONE);
  assert.equal(one.told.model.said.text, "Right!");
});
