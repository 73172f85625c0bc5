/**
 * The service worker: it caches the page's own files, all of one version since modules of two versions don't fit
 * together, and serves them from the cache alone. A newer version is used once no page of this one is open. Requests to
 * the bot and their responses are never cached.
 */

/** The version of all files together; the service writes it here. */
const VERSION = "0";
const CACHE = `board-${VERSION}`;
/** Languages whose sentences are in a file; English is in the modules. The service writes them here. */
const LANGUAGES = [];
const FILES = [
  "./",
  "board.css",
  ...["announcements", "buttons", "clock", "connection", "daily_hand", "daily_store", "dom", "ending"],
  ...["entries", "event_stream", "expression", "fraction", "game", "http", "keyboard", "message", "people"],
  ...["round_selector", "rounds", "run_hands", "scorecard", "screen", "session", "solution_tree", "start", "storage"],
  ...["telegram", "texts", "tile_controller", "tiles", "tiles_view", "translations"],
  ...LANGUAGES.map((language) => `words/${language}.json`),
  "manifest.webmanifest",
  "cards.png",
  "small.png",
  "icon.svg",
  "icon-192.png",
  "icon-512.png",
].map((name) => (/[./]/.test(name) ? name : `${name}.js`));
const URLS = new Set(FILES.map((name) => new URL(name, self.registration.scope).href));

self.addEventListener("install", (event) => event.waitUntil(cacheFiles()));
self.addEventListener("activate", (event) => event.waitUntil(deleteOldCaches()));
self.addEventListener("fetch", (event) => {
  const url = event.request.url.replace(/[?#].*$/, "");
  if (event.request.method === "GET" && URLS.has(url)) event.respondWith(findResponse(event.request, url));
});

/** Cache all files. Fails if the service has another version of one; the browser then tries again at the next visit. */
async function cacheFiles() {
  const cache = await caches.open(CACHE);
  await Promise.all([...URLS].map((url) => cacheFile(cache, url)));
}

async function cacheFile(cache, url) {
  const response = await fetch(`${url}?v=${VERSION}`, { cache: "no-cache" });
  if (!response.ok) throw new Error(`${response.status} for ${url}`);
  await cache.put(url, response);
}

async function deleteOldCaches() {
  for (const name of await caches.keys()) if (name.startsWith("board-") && name !== CACHE) await caches.delete(name);
  await self.clients.claim();
}

async function findResponse(request, url) {
  const cache = await caches.open(CACHE);
  return (await cache.match(url)) ?? fetch(request);
}
