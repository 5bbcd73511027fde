/**
 * Keeps the shell of the page, and nothing else: hashed files as they come, and the one
 * document for times when the gateway does not answer. What belongs to anybody — answers of
 * the gateway, blobs, tickets — never passes through here.
 */
const SHELL = "elwood-shell-1";
const SHELL_FILES_MAX = 120;

interface FetchEventLike extends Event {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}
interface WorkerLike {
  addEventListener(type: "fetch", listener: (event: FetchEventLike) => void): void;
  addEventListener(type: "install" | "activate", listener: (event: ExtendableLike) => void): void;
  skipWaiting(): Promise<void>;
  readonly clients: { claim(): Promise<void> };
  readonly location: Location;
}
interface ExtendableLike extends Event {
  waitUntil(done: Promise<unknown>): void;
}

// A service worker's own names are not among those of a page.
const worker = globalThis as unknown as WorkerLike;

worker.addEventListener("install", (event) => event.waitUntil(worker.skipWaiting()));
worker.addEventListener("activate", (event) => event.waitUntil(tidyUp()));
worker.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== worker.location.origin) return;
  if (url.pathname.startsWith("/assets/")) event.respondWith(cachedFirst(event.request));
  else if (event.request.mode === "navigate" && !url.searchParams.has("ticket"))
    event.respondWith(shellWhenAway(event.request));
});

async function cachedFirst(request: Request): Promise<Response> {
  const cache = await caches.open(SHELL);
  const known = await cache.match(request);
  if (known) return known;
  const fresh = await fetch(request);
  if (fresh.ok) await cache.put(request, fresh.clone());
  return fresh;
}

async function shellWhenAway(request: Request): Promise<Response> {
  const cache = await caches.open(SHELL);
  try {
    const fresh = await fetch(request);
    if (fresh.ok && fresh.headers.get("content-type")?.startsWith("text/html")) {
      // Every page of the app is this document.
      await cache.put("/", fresh.clone());
    }
    return fresh;
  } catch (error) {
    const shell = await cache.match("/");
    if (shell) return shell;
    throw error;
  }
}

async function tidyUp(): Promise<void> {
  for (const name of await caches.keys()) if (name !== SHELL) await caches.delete(name);
  const cache = await caches.open(SHELL);
  const keys = await cache.keys();
  for (const key of keys.slice(0, Math.max(0, keys.length - SHELL_FILES_MAX))) await cache.delete(key);
  await worker.clients.claim();
}
