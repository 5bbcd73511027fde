/**
 * Keeps the shell of the page, and nothing else: hashed files as they come, and the one
 * document for times when the gateway does not answer. What belongs to anybody — answers of
 * the gateway, blobs, tickets — never passes through here. It also shows what the gateway
 * sends to a browser whose owner asked to be told.
 */
const SHELL = "elwood-shell-1";
const SHELL_FILES_MAX = 120;
/** Every page of the app is the first of these; the others it asks for by these very names. */
const UNHASHED: readonly string[] = ["/", "/theme.js", "/icon.svg", "/manifest.webmanifest"];

interface FetchEventLike extends Event {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}
interface WorkerLike {
  addEventListener(type: "fetch", listener: (event: FetchEventLike) => void): void;
  addEventListener(type: "install" | "activate", listener: (event: ExtendableLike) => void): void;
  addEventListener(type: "push", listener: (event: PushLike) => void): void;
  addEventListener(type: "notificationclick", listener: (event: NotificationClickLike) => void): void;
  skipWaiting(): Promise<void>;
  readonly clients: {
    claim(): Promise<void>;
    matchAll(options: { type: "window" }): Promise<readonly WindowLike[]>;
    openWindow(path: string): Promise<unknown>;
  };
  readonly registration: {
    showNotification(title: string, options: NotificationOptions & { data?: unknown }): Promise<void>;
  };
  readonly location: Location;
}
interface ExtendableLike extends Event {
  waitUntil(done: Promise<unknown>): void;
}
interface PushLike extends ExtendableLike {
  readonly data: { text(): string } | null;
}
interface NotificationClickLike extends ExtendableLike {
  readonly notification: Notification;
}
interface WindowLike {
  readonly visibilityState: string;
  focus(): Promise<WindowLike>;
  navigate(path: string): Promise<unknown>;
}

// A service worker's own names are not among those of a page.
const worker = globalThis as unknown as WorkerLike;

worker.addEventListener("install", (event) => event.waitUntil(keepFirst()));
worker.addEventListener("activate", (event) => event.waitUntil(tidyUp()));
worker.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== worker.location.origin) return;
  // A frame's document is not the page.
  if (url.pathname.startsWith("/frame/")) return;
  if (url.pathname.startsWith("/assets/")) event.respondWith(cachedFirst(event.request));
  else if (event.request.mode === "navigate" && !url.searchParams.has("ticket"))
    event.respondWith(freshFirst(event.request, "/"));
  else if (UNHASHED.includes(url.pathname)) event.respondWith(freshFirst(event.request, url.pathname));
});

worker.addEventListener("push", (event) => event.waitUntil(showNotice(event.data?.text() ?? "")));
worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openPage(event.notification.data));
});

/** A later one about the same takes the place of an earlier one. */
async function showNotice(text: string): Promise<void> {
  const { key, title, body, path } = readNotice(text);
  await worker.registration.showNotification(title, {
    body,
    tag: key,
    icon: "/icon.svg",
    data: { path },
  });
}

function readNotice(text: string) {
  const words = (value: unknown, otherwise: string) => (typeof value === "string" ? value : otherwise);
  let notice: Readonly<Record<string, unknown>> = {};
  try {
    notice = Object(JSON.parse(text)) as Readonly<Record<string, unknown>>;
  } catch {
    // Whatever came, the browser wants something to be shown.
  }
  return {
    key: words(notice["key"], "elwood"),
    title: words(notice["title"], "Something waits for you"),
    body: words(notice["body"], ""),
    path: words(notice["path"], "/approvals"),
  };
}

/** Only a path of this page is opened. */
async function openPage(data: unknown): Promise<void> {
  const asked: unknown = typeof data === "object" && data !== null && "path" in data ? data.path : undefined;
  const path = typeof asked === "string" && /^\/(?!\/)/.test(asked) ? asked : "/approvals";
  const [open] = await worker.clients.matchAll({ type: "window" });
  if (!open) await worker.clients.openWindow(path);
  else {
    await open.focus();
    await open.navigate(path);
  }
}

/** The page that registered this came before it could look on. */
async function keepFirst(): Promise<void> {
  const cache = await caches.open(SHELL);
  await cache.addAll(UNHASHED);
  await worker.skipWaiting();
}

async function cachedFirst(request: Request): Promise<Response> {
  const cache = await caches.open(SHELL);
  const known = await cache.match(request);
  if (known) return known;
  const fresh = await fetch(request);
  if (fresh.ok) {
    await cache.put(request, fresh.clone());
    await letGo(cache);
  }
  return fresh;
}

/** As the gateway has it now; as it was the last time, where nobody answers. */
async function freshFirst(request: Request, kept: string): Promise<Response> {
  const cache = await caches.open(SHELL);
  try {
    const fresh = await fetch(request);
    const isPage = kept !== "/" || fresh.headers.get("content-type")?.startsWith("text/html") === true;
    if (fresh.ok && isPage) await cache.put(kept, fresh.clone());
    return fresh;
  } catch (error) {
    const known = await cache.match(kept);
    if (known) return known;
    throw error;
  }
}

async function tidyUp(): Promise<void> {
  for (const name of await caches.keys()) if (name !== SHELL) await caches.delete(name);
  await letGo(await caches.open(SHELL));
  await worker.clients.claim();
}

/** Each update brings files of other names; those that were there first go. */
async function letGo(cache: Cache): Promise<void> {
  const keys = await cache.keys();
  for (const key of keys.slice(0, Math.max(0, keys.length - SHELL_FILES_MAX))) await cache.delete(key);
}
