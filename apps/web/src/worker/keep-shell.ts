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
  navigator.serviceWorker.register(url as string).catch(() => undefined);
}

interface TrustedTypesLike {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): unknown };
}
