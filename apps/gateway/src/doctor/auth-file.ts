import { open } from "node:fs/promises";
import { LIMITS } from "@elwood/core/base/limits";
import { EMPTY_AUTH_FILE, parseAuthFile, type AuthFile } from "../auth/profile.ts";
import { errorCode, isMissing } from "@elwood/platform/system-error";

export type ReadAuthFile =
  | { readonly kind: "missing"; readonly file: AuthFile }
  | { readonly kind: "read"; readonly file: AuthFile; readonly mode: number }
  /** `why` completes "auth-profiles.json …" and never quotes what is in it. */
  | { readonly kind: "broken"; readonly why: string; readonly mode?: number };

/** Looks at `auth-profiles.json` without closing it to others, which the gateway would do: the doctor only tells. */
export async function readAuthFile(path: string): Promise<ReadAuthFile> {
  try {
    const handle = await open(path, "r");
    try {
      const { mode, size } = await handle.stat();
      if (size > LIMITS.authFileBytesMax) return { kind: "broken", why: "is far too large", mode };
      return { ...parse(await handle.readFile("utf8")), mode };
    } finally {
      await handle.close();
    }
  } catch (cause) {
    if (isMissing(cause)) return { kind: "missing", file: EMPTY_AUTH_FILE };
    const code = errorCode(cause);
    if (code === undefined) throw cause;
    return {
      kind: "broken",
      why: code === "EACCES" ? "may not be read by this user" : `cannot be read (${code})`,
    };
  }
}

function parse(text: string): { kind: "read"; file: AuthFile } | { kind: "broken"; why: string } {
  const parsed = parseAuthFile(text);
  return parsed.ok ? { kind: "read", file: parsed.value } : { kind: "broken", why: parsed.error.why };
}
