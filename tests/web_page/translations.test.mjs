import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./page.mjs";

const { chooseLanguage, getLanguageTag, isolateName, say, setLanguage, setLanguageOrContinue } = await load("translations");
const { formatGameName } = await load("texts");

const LANGUAGES = ["es", "ru", "zh_Hans", "zh_Hant"];

test("the best of the browser's languages is chosen", () => {
  assert.equal(chooseLanguage(["zh-TW", "en"], LANGUAGES), "zh_Hant");
  assert.equal(chooseLanguage(["zh-CN"], LANGUAGES), "zh_Hans");
  assert.equal(chooseLanguage(["de", "es-419"], LANGUAGES), "es");
  assert.equal(chooseLanguage(["ru-RU"], LANGUAGES), "ru");
  assert.equal(chooseLanguage([], LANGUAGES), "en");
});

test("sentences are translated with their parts filled in", async () => {
  assert.equal(say("Make {target}", { target: "24" }), "Make 24");
  assert.equal(await setLanguage("es", async () => ({ "Twenty-Four": "Veinticuatro", Undo: "Deshacer", "Make {target}": "Llega a {target}" })), true);
  assert.equal(say("Undo"), "Deshacer");
  assert.equal(formatGameName(""), "Veinticuatro");
  assert.equal(say("Make {target}", { target: "{x}" }), "Llega a {x}");
  assert.equal(say("Unknown {part}"), "Unknown {part}");
  assert.equal(say("toString"), "toString");
  assert.equal(getLanguageTag(), "es");
  assert.equal(await setLanguage("ru", async () => null), false);
  assert.equal(getLanguageTag(), "es");
  assert.equal(await setLanguage("en"), true);
  assert.equal(say("Undo"), "Undo");
});

test("of two languages requested together the later one is used", async () => {
  let respond;
  const first = setLanguage("ru", () => new Promise((done) => (respond = done)));
  assert.equal(await setLanguage("es", async () => ({ Undo: "Deshacer" })), true);
  respond({ Undo: "Отменить" });
  assert.equal(await first, false);
  assert.equal(say("Undo"), "Deshacer");
});

test("a name does not reverse the text around it", () => {
  assert.equal(isolateName("דן"), "\u2068דן\u2069");
  assert.equal(isolateName("\u202eA\u2069nn"), "\u2068Ann\u2069");
});

test("words are fetched once for all, and again only after a failure", async () => {
  await setLanguage("en");
  let fetches = 0;
  const read = async () => ((fetches += 1) === 1 ? null : { Undo: "Отменить" });
  assert.deepEqual(await Promise.all([setLanguage("ru", read), setLanguage("ru", read)]), [false, false]);
  assert.equal(fetches, 1);
  assert.deepEqual(await Promise.all([setLanguage("ru", read), setLanguage("ru", read)]), [true, false]);
  assert.deepEqual([fetches, say("Undo")], [2, "Отменить"]);
});

test("words that take long are not waited for and reported later", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  await setLanguage("en");
  let respond;
  let lateChanges = 0;
  const waiting = setLanguageOrContinue("es", () => (lateChanges += 1), () => new Promise((done) => (respond = done)));
  t.mock.timers.tick(1000);
  await waiting;
  assert.deepEqual([getLanguageTag(), lateChanges], ["en", 0]);
  respond({ Undo: "Deshacer" });
  await setLanguageOrContinue("es", () => assert.fail("nothing changes"));
  assert.deepEqual([getLanguageTag(), lateChanges], ["es", 1]);
});

test("words that arrive in time are ready before the first display", async () => {
  let lateChanges = 0;
  await setLanguageOrContinue("ru", () => (lateChanges += 1), async () => ({ Undo: "Отменить" }));
  assert.deepEqual([say("Undo"), lateChanges], ["Отменить", 0]);
});
