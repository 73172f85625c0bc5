/** The page's sentences in the reader's language. Each is written in English where it is said. */
import { ask } from "./calls.js";

/** Milliseconds that anything waits for its words before it is shown in the language before. */
const PATIENCE = 1000;

const fetching = {};
let dictionary = {};
let language = "en";
let asked = language;

/** A sentence, with `{parts}` put in. */
export function say(sentence, parts = {}) {
  const text = Object.hasOwn(dictionary, sentence) ? dictionary[sentence] : sentence;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (Object.hasOwn(parts, name) ? String(parts[name]) : whole));
}

/** What would turn the rest of a line around, or end an isolate early. */
const MARKS = /[\u202a-\u202e\u2066-\u2069]/g;

/** What somebody is called, or a group, for a sentence: it keeps its own direction and turns nothing else around. */
export function isolated(name) {
  return `\u2068${name.replace(MARKS, "")}\u2069`;
}

/** The tag of the language that is spoken now, for `<html lang>`. */
export function tag() {
  return language.replace("_", "-");
}

/**
 * Speak `wanted` from now on; whether that changed anything. English needs no file; without the file the language
 * stays as it was. Of two that are asked for at once the later one is spoken.
 */
export async function speak(wanted, read = fetched) {
  asked = wanted;
  if (wanted === language) return false;
  const known = wanted === "en" ? {} : await once(wanted, read);
  if (!known || asked !== wanted || wanted === language) return false;
  [dictionary, language] = [known, wanted];
  return true;
}

/** The same for who must show something soon: it ends after `PATIENCE`, and `late` is called once words come after that. */
export async function speakSoon(wanted, late, read = fetched) {
  let isLate = false;
  const speaking = speak(wanted, read).then((changed) => changed && isLate && late());
  let timer;
  await Promise.race([speaking, new Promise((done) => (timer = setTimeout(done, PATIENCE)))]);
  clearTimeout(timer);
  isLate = true;
}

/** One question for all that ask at once. */
function once(wanted, read) {
  fetching[wanted] ??= read(wanted).finally(() => delete fetching[wanted]);
  return fetching[wanted];
}

/** The one of the bot's languages that fits a browser's best. */
export function fitting(tags) {
  for (const each of tags.map((one) => one.toLowerCase())) {
    if (each.startsWith("zh")) return /hant|tw|hk|mo/.test(each) ? "zh_Hant" : "zh_Hans";
    const found = ["en", "es", "ru"].find((known) => each.split("-")[0] === known);
    if (found) return found;
  }
  return "en";
}

async function fetched(wanted) {
  const answer = await ask(`./words/${wanted}.json`);
  return answer?.ok ? answer.json() : null;
}
