/**
 * Keeps the page's own files for when there is no connection; the network comes first while there is one. What is
 * said to the bot, and what it says, is never kept here.
 */
const CACHE = "board-1";
/** Milliseconds after which a slow network is as good as none. */
const PATIENCE = 3000;
const FILES = [
  "./",
  "board.css",
  ...["address", "backoff", "calls", "card", "clock", "connection", "day", "dom", "entries", "expression"],
  ...["fraction", "game", "keys", "live", "news", "numbers", "offers", "outcome", "people", "screen", "session", "start"],
  ...["store", "stream", "table", "telegram", "tiles", "told", "typing", "words"],
  "manifest.webmanifest",
  "icon.svg",
  "icon-192.png",
  "icon-512.png",
].map((name) => (/[./]/.test(name) ? name : `${name}.js`));
const OWN = new Set(FILES.map((name) => new URL(name, self.registration.scope).href));
const WORDS = new URL("words/", self.registration.scope).href;

self.addEventListener("install", (event) => event.waitUntil(filled()));
self.addEventListener("activate", (event) => event.waitUntil(cleaned()));
self.addEventListener("fetch", (event) => {
  const address = event.request.url.replace(/[?#].*$/, "");
  if (event.request.method === "GET" && (OWN.has(address) || address.startsWith(WORDS))) {
    event.respondWith(answered(event, address));
  }
});

async function filled() {
  const cache = await caches.open(CACHE);
  await cache.addAll([...OWN]);
  await self.skipWaiting();
}

async function cleaned() {
  for (const name of await caches.keys()) if (name.startsWith("board-") && name !== CACHE) await caches.delete(name);
  await self.clients.claim();
}

async function answered(event, address) {
  const kept = await caches.match(address);
  const asked = fetched(event.request, address);
  if (!kept) return asked;
  event.waitUntil(asked.catch(() => null));
  const late = new Promise((done) => setTimeout(() => done(kept), PATIENCE));
  return Promise.race([asked.catch(() => kept), late]);
}

/** What the network has, and where that is a refusal, which a proxy may give for a while, the copy that is kept. */
async function fetched(request, address) {
  const answer = await fetch(request);
  if (answer.ok) await (await caches.open(CACHE)).put(address, answer.clone());
  return answer.status >= 400 ? ((await caches.match(address)) ?? answer) : answer;
}
