import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fail } from "@elwood/core/base/failure";
import { isCallId } from "@elwood/core/base/ids";
import type { Redactor } from "@elwood/core/base/redact";
import type { Vault } from "@elwood/runtime/ports/gate-ports";
import { keyedMutex } from "@elwood/runtime/async/serial-queue";
import { checkTenant } from "@elwood/runtime/run/store-input";
import { z } from "zod";
import { writeFileAtomic } from "@elwood/platform/atomic-file";
import { isMissing } from "@elwood/platform/system-error";
import { parsedJson } from "./stored-json.ts";

const HANDLE = /\[\[vault:[a-z0-9-]+:[A-Za-z0-9_-]{16}\]\]/g;

const vaultFile = z.record(z.string(), z.string());

/**
 * `vault/<tenant>/<call>.json` (0600): the secrets of one call, by handle, until it ends.
 * A handle names the kind of the secret and nothing else of it; it is what the journal,
 * the card, the digest and the model see.
 */
export function fileVault(folder: string, redact: Redactor): Vault {
  // Two who seal for one call at once add to what is kept, one after the other.
  const writing = keyedMutex();
  // Most calls keep nothing here, and no other process writes here: what lies there is looked up once.
  const kept = new Map<string, Set<string>>();
  const keptOf = (tenant: string): Set<string> => {
    const known = kept.get(tenant) ?? new Set(callsIn(join(folder, tenant)));
    kept.set(tenant, known);
    return known;
  };
  return {
    async storeSecrets(tenant, callId, input) {
      const found = new Map<string, string>();
      const sealed = onStrings(input, (text) =>
        redact(text, (kind, secret) => {
          const handle = `[[vault:${kind === "" ? "secret" : kind}:${randomBytes(12).toString("base64url")}]]`;
          found.set(handle, secret);
          return handle;
        }),
      );
      if (found.size === 0) return input;
      const path = pathOf(folder, tenant, callId);
      // Before it waits for its turn: whoever drops them from now on waits behind it.
      keptOf(tenant).add(callId);
      await writing.run(path, async () => {
        const secrets = { ...read(path), ...Object.fromEntries(found) };
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        keptOf(tenant).add(callId);
        await writeFileAtomic(path, `${JSON.stringify(secrets)}\n`, { mode: 0o600 });
      });
      return sealed;
    },

    async open(tenant, callId, sealed) {
      if (!holdsHandle(sealed)) return sealed;
      const secrets = read(pathOf(folder, tenant, callId));
      return onStrings(sealed, (text) =>
        text.replace(HANDLE, (handle) => {
          const secret = secrets[handle];
          if (secret !== undefined) return secret;
          return fail(
            "NOT_FOUND",
            "A secret of this call is no longer in the vault, so the call cannot be made.",
            {
              retryable: false,
            },
          );
        }),
      );
    },

    async drop(tenant, callId) {
      checkTenant(tenant);
      if (!keptOf(tenant).has(callId)) return;
      const path = pathOf(folder, tenant, callId);
      await writing.run(path, async () => {
        rmSync(path, { force: true });
        keptOf(tenant).delete(callId);
      });
    },

    async held(tenant) {
      checkTenant(tenant);
      return callsIn(join(folder, tenant));
    },
  };
}

function pathOf(folder: string, tenant: string, callId: string): string {
  checkTenant(tenant);
  if (!isCallId(callId)) fail("INVALID_INPUT", "That is not the id of a call.");
  return join(folder, tenant, `${callId}.json`);
}

function callsIn(folder: string): string[] {
  const names = filesIn(folder).map((name) => name.replace(/\.json$/, ""));
  return names.filter((name) => isCallId(name));
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function read(path: string): Record<string, string> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return {};
    throw error;
  }
  const { success, data } = vaultFile.safeParse(parsedJson(text)?.value);
  if (success) return data;
  // What does not fit may be part of a secret, so it is not quoted.
  return fail(
    "STORAGE",
    `${path}, which keeps the secrets of a call, is damaged. It was left as it is, and the call was not made. Remove the file and ask for the call again.`,
    { retryable: false },
  );
}

function holdsHandle(value: unknown): boolean {
  if (typeof value === "string") return value.includes("[[vault:");
  if (Array.isArray(value)) return value.some(holdsHandle);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, member]) => holdsHandle(key) || holdsHandle(member));
}

function onStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => onStrings(item, change));
  if (typeof value !== "object" || value === null) return value;
  // Names of arguments too: what a model writes may be anywhere.
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [change(key), onStrings(member, change)]),
  );
}
