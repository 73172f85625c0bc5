/** The page's sentences in the reader's language. Modules contain them in English. */
import { sendRequest } from "./http.js";

/** Languages whose sentences are in a file; English is in the modules. The service writes them here. */
const LANGUAGES = [];
/** Longest time that a display waits for its language before it is shown in the one before. */
const MAX_WAIT_MS = 1000;

const pendingFetches = {}; // by language
let sentences = {}; // translations by the English sentence
let language = "en";
let requestedLanguage = language;

/** Translate a sentence, and fill in its `{parts}`. */
export function say(sentence, parts = {}) {
  const text = Object.hasOwn(sentences, sentence) ? sentences[sentence] : sentence;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (Object.hasOwn(parts, name) ? String(parts[name]) : whole));
}

/** Characters that would reverse the rest of a line, or end an isolate early. */
const DIRECTION_MARKS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Isolate the name of a person or group, so that its direction does not change that of the sentence around it. */
export function isolateName(name) {
  return `\u2068${name.replace(DIRECTION_MARKS, "")}\u2069`;
}

/** Return the current language as `<html lang>` needs it. */
export function getLanguageTag() {
  return language.replace("_", "-");
}

/**
 * Change the language; return whether it changed. It stays if the sentences can't be fetched (English needs none), or
 * if another language is requested meanwhile.
 */
export async function setLanguage(wanted, fetchSentences = fetchFile) {
  requestedLanguage = wanted;
  if (wanted === language) return false;
  const fetched = wanted === "en" ? {} : await fetchOnce(wanted, fetchSentences);
  if (!fetched || requestedLanguage !== wanted || wanted === language) return false;
  sentences = fetched;
  language = wanted;
  return true;
}

/** Change the language, but return after `MAX_WAIT_MS`; if it changes later, `onLateChange` is called. */
export async function setLanguageOrContinue(wanted, onLateChange, fetchSentences = fetchFile) {
  let isLate = false;
  const change = setLanguage(wanted, fetchSentences).then((hasChanged) => hasChanged && isLate && onLateChange());
  let timer;
  await Promise.race([change, new Promise((resolve) => (timer = setTimeout(resolve, MAX_WAIT_MS)))]);
  clearTimeout(timer);
  isLate = true;
}

/** Fetch a language once for all callers that wait for it. */
function fetchOnce(wanted, fetchSentences) {
  pendingFetches[wanted] ??= fetchSentences(wanted).finally(() => delete pendingFetches[wanted]);
  return pendingFetches[wanted];
}

/** Return the best of the bot's languages for a browser's language tags. */
export function chooseLanguage(tags, languages = LANGUAGES) {
  for (const tag of tags.map((each) => each.toLowerCase())) {
    if (tag.startsWith("zh")) return /hant|tw|hk|mo/.test(tag) ? "zh_Hant" : "zh_Hans";
    const found = ["en", ...languages].find((each) => tag.split("-")[0] === each);
    if (found) return found;
  }
  return "en";
}

/** Return the sentences of a language; null if they can't be fetched. */
async function fetchFile(wanted) {
  const response = await sendRequest(`./words/${wanted}.json`);
  return response?.ok ? response.json() : null;
}
