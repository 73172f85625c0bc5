/**
 * Keeps the page's own files, all of one version, and answers with these alone, whether there is a connection or not:
 * of two versions some modules don't fit together. A newer version takes over once no page of this one is open. What
 * is said to the bot, and what it says, is never kept here.
 */

/** By what the service knows all files of this version together; it writes that here. */
const VERSION = "0";
const CACHE = `board-${VERSION}`;
/** Those whose sentences are in a file; English is what the modules say. */
const LANGUAGES = ["es", "ru", "zh_Hans", "zh_Hant"];
const FILES = [
  "./",
  "board.css",
  ...["calls", "card", "clock", "connection", "day", "dom", "entries", "expression", "fraction", "game", "laid", "live", "news", "offers"],
  ...["outcome", "people", "screen", "seat", "session", "start", "store", "table", "telegram", "texts", "tiles", "today", "tree", "typing", "words"],
  ...LANGUAGES.map((language) => `words/${language}.json`),
  "manifest.webmanifest",
  "cards.png",
  "small.png",
  "icon.svg",
  "icon-192.png",
  "icon-512.png",
].map((name) => (/[./]/.test(name) ? name : `${name}.js`));
const OWN = new Set(FILES.map((name) => new URL(name, self.registration.scope).href));

self.addEventListener("install", (event) => event.waitUntil(filled()));
self.addEventListener("activate", (event) => event.waitUntil(cleaned()));
self.addEventListener("fetch", (event) => {
  const address = event.request.url.replace(/[?#].*$/, "");
  if (event.request.method === "GET" && OWN.has(address)) event.respondWith(answered(event.request, address));
});

/** All of them or none: a file of another version is refused, and then the browser tries again at the next visit. */
async function filled() {
  const cache = await caches.open(CACHE);
  await Promise.all([...OWN].map((address) => put(cache, address)));
}

async function put(cache, address) {
  const answer = await fetch(`${address}?v=${VERSION}`, { cache: "no-cache" });
  if (!answer.ok) throw new Error(`${answer.status} for ${address}`);
  await cache.put(address, answer);
}

async function cleaned() {
  for (const name of await caches.keys()) if (name.startsWith("board-") && name !== CACHE) await caches.delete(name);
  await self.clients.claim();
}

async function answered(request, address) {
  return (await (await caches.open(CACHE)).match(address)) ?? fetch(request);
}
