import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./page.mjs";

const { fitting, isolated, say, speak, speakSoon, tag } = await load("words");
const { gameName } = await load("texts");

test("the best of the browser's languages is chosen", () => {
  assert.equal(fitting(["zh-TW", "en"]), "zh_Hant");
  assert.equal(fitting(["zh-CN"]), "zh_Hans");
  assert.equal(fitting(["de", "es-419"]), "es");
  assert.equal(fitting(["ru-RU"]), "ru");
  assert.equal(fitting([]), "en");
});

test("sentences are translated with their parts filled in", async () => {
  assert.equal(say("Make {target}", { target: "24" }), "Make 24");
  assert.equal(await speak("es", async () => ({ "Twenty-Four": "Veinticuatro", Undo: "Deshacer", "Make {target}": "Llega a {target}" })), true);
  assert.equal(say("Undo"), "Deshacer");
  assert.equal(gameName(""), "Veinticuatro");
  assert.equal(say("Make {target}", { target: "{x}" }), "Llega a {x}");
  assert.equal(say("Unknown {part}"), "Unknown {part}");
  assert.equal(say("toString"), "toString");
  assert.equal(tag(), "es");
  assert.equal(await speak("ru", async () => null), false);
  assert.equal(tag(), "es");
  assert.equal(await speak("en"), true);
  assert.equal(say("Undo"), "Undo");
});

test("of two languages requested together the later one is used", async () => {
  let slow;
  const first = speak("ru", () => new Promise((done) => (slow = done)));
  assert.equal(await speak("es", async () => ({ Undo: "Deshacer" })), true);
  slow({ Undo: "Отменить" });
  assert.equal(await first, false);
  assert.equal(say("Undo"), "Deshacer");
});

test("a name does not reverse the text around it", () => {
  assert.equal(isolated("דן"), "\u2068דן\u2069");
  assert.equal(isolated("\u202eA\u2069nn"), "\u2068Ann\u2069");
});

test("words are fetched once for all, and again only after a failure", async () => {
  await speak("en");
  let asked = 0;
  const read = async () => ((asked += 1) === 1 ? null : { Undo: "Отменить" });
  assert.deepEqual(await Promise.all([speak("ru", read), speak("ru", read)]), [false, false]);
  assert.equal(asked, 1);
  assert.deepEqual(await Promise.all([speak("ru", read), speak("ru", read)]), [true, false]);
  assert.deepEqual([asked, say("Undo")], [2, "Отменить"]);
});

test("words that take long are not waited for and reported later", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  await speak("en");
  let slow;
  let late = 0;
  const waiting = speakSoon("es", () => (late += 1), () => new Promise((done) => (slow = done)));
  t.mock.timers.tick(1000);
  await waiting;
  assert.deepEqual([tag(), late], ["en", 0]);
  slow({ Undo: "Deshacer" });
  await speakSoon("es", () => assert.fail("nothing changes"));
  assert.deepEqual([tag(), late], ["es", 1]);
});

test("words that arrive in time are ready before the first display", async () => {
  let late = 0;
  await speakSoon("ru", () => (late += 1), async () => ({ Undo: "Отменить" }));
  assert.deepEqual([say("Undo"), late], ["Отменить", 0]);
});
