/** The parts that the pages of a class share: language, messages, keys and live states. */
import { setText } from "./dom.js";
import { EventStream } from "./event_stream.js";
import { sendRequest } from "./http.js";
import { openBrowserValue, openWindowValue } from "./storage.js";
import { chooseLanguage, getLanguageTag, say, setLanguage } from "./translations.js";

export function findElement(id) {
  return document.getElementById(id);
}

/** Load the sentences in the reader's language. */
export async function loadSentences() {
  await setLanguage(chooseLanguage(navigator.languages), async (language) => {
    const response = await sendRequest(`./class_words/${language}.json`);
    return response?.ok ? response.json() : null;
  });
  document.documentElement.lang = getLanguageTag();
}

/** Show a text below the page, which screen readers read out. */
export function showMessage(text, isBad = false) {
  const message = setText(findElement("message"), text);
  message.dataset.kind = text && isBad ? "bad" : "info";
}

export function getParameter(name) {
  return new URLSearchParams(location.hash.slice(1)).get(name);
}

/**
 * Return the key of the address, else the one that this window or an earlier visit stored; null for none. The address
 * loses it, since the screen may be shown to a class.
 */
export function takeKey(storedName) {
  const ofWindow = openWindowValue(storedName); // another window may show another class
  const ofBrowser = openBrowserValue(storedName);
  const key = getParameter("key") ?? ofWindow.read() ?? ofBrowser.read();
  for (const stored of [ofWindow, ofBrowser]) stored.write(key);
  history.replaceState(null, "", location.pathname);
  return key;
}

/** Seconds by which the server's clock is ahead of this one. */
let clockOffset = 0;

export function noteServerTime(now) {
  clockOffset = now - Date.now() / 1000;
}

/** Return the server's time, in seconds since 1970. */
export function getServerTime() {
  return Date.now() / 1000 + clockOffset;
}

/** Read live states until the key opens nothing any more. Other messages than that about the connection stay. */
export async function followStates(path, key, { onState, onEnded }) {
  let isLost = false;
  const stream = new EventStream(
    key,
    {
      onState: ({ now, state }) => {
        noteServerTime(now);
        if (isLost) showMessage("");
        isLost = false;
        onState(state);
      },
      onReply: () => null,
      onConnected: () => null,
      onLost: () => {
        isLost = true;
        showMessage(say("No connection. The page comes back by itself."));
      },
      onActive: () => null,
      onPaused: () => null,
      onEnded,
    },
    path,
  );
  for (const name of ["online", "focus"]) addEventListener(name, () => stream.reconnectNow());
  await stream.run();
}
