import { fail } from "@elwood/core/base/failure";
import type { Vault } from "@elwood/runtime/ports/gate-ports";
import { SECRET } from "./simulation-tools.ts";

/** A vault in memory, for secrets that look like `secret-1`. */
export function memoryVault(): Vault {
  const kept = new Map<string, Map<string, string>>();
  return {
    async storeSecrets(_tenant, callId, input) {
      const text = JSON.stringify(input ?? null);
      if (text.search(SECRET) < 0) return input;
      const own = kept.get(callId) ?? new Map<string, string>();
      kept.set(callId, own);
      const sealed = text.replace(SECRET, (secret) => {
        const handle = `[[vault:${own.size + 1}]]`;
        own.set(handle, secret);
        return handle;
      });
      return JSON.parse(sealed) as unknown;
    },
    async open(_tenant, callId, sealed) {
      const own = kept.get(callId);
      const text = JSON.stringify(sealed ?? null).replace(/\[\[vault:\d+\]\]/g, (handle) => {
        return own?.get(handle) ?? fail("NOT_FOUND", "A secret of this call is no longer in the vault.");
      });
      return JSON.parse(text) as unknown;
    },
    async drop(_tenant, callId) {
      kept.delete(callId);
    },
    async held() {
      return [...kept.keys()];
    },
  };
}
