/**
 * Registers the service worker, where the browser has one: over https, or on this machine.
 * Chromium asks for a policy of its own for the address of its script.
 */
export function keepShell(): void {
  if (!("serviceWorker" in navigator) || !isSecureContext) return;
  const factory = (globalThis as { trustedTypes?: TrustedTypesLike }).trustedTypes;
  const policy = factory?.createPolicy("elwood-worker", {
    createScriptURL: (url) => {
      if (url !== "/sw.js") throw new TypeError("Only the page's own service worker may be registered.");
      return url;
    },
  });
  const url = policy?.createScriptURL("/sw.js") ?? "/sw.js";
  // Without it the page works as well, as long as the gateway is there.
  navigator.serviceWorker
    .register(url as string)
    .then(keepLoaded)
    .catch(() => undefined);
}

/** What came before the worker could look on is handed to it; from now on it keeps what passes. */
async function keepLoaded(): Promise<void> {
  await navigator.serviceWorker.ready;
  const loaded = performance.getEntriesByType("resource").map(({ name }) => new URL(name));
  const assets = loaded.filter(
    ({ origin, pathname }) => origin === location.origin && pathname.startsWith("/assets/"),
  );
  const cache = await caches.open(SHELL);
  // Gone with an update in between: the next visit keeps what there is then.
  await cache.addAll([...new Set(assets.map(({ pathname }) => pathname))]).catch(() => undefined);
}

/** The worker's own name for it. */
const SHELL = "elwood-shell-1";

interface TrustedTypesLike {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): unknown };
}
