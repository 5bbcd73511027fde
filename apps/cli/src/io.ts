import type { Readable, Writable } from "node:stream";
import type { Faults } from "./faults.ts";
import type { Spoken } from "./words/say.ts";

/** The terminal as commands see it; tests hand in their own. */
export interface Io {
  readonly stdin: Readable & {
    readonly isTTY?: boolean;
    readonly fd?: number;
    /** On a terminal: keys come one by one, and are not echoed. */
    setRawMode?(raw: boolean): unknown;
  };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Where faults that nothing caught are reported; absent where a test runs commands in its own process. */
  readonly faults?: Pick<Faults, "reportTo">;
  /** Where the terminal speaks another language than English. */
  readonly spoken?: Spoken;
}

export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  denied: 3,
  expired: 4,
  interrupted: 130,
} as const;

/** How to call Elwood again from where this was started: `npx elwood` inside a checkout, `elwood` when installed. */
export function ownName(env: Io["env"]): string {
  return env["npm_lifecycle_event"] || env["npm_command"] ? "npx elwood" : "elwood";
}

export function useColor(io: Io): boolean {
  if (io.env["NO_COLOR"]) return false;
  if (io.env["FORCE_COLOR"] && io.env["FORCE_COLOR"] !== "0") return true;
  return io.stdout.isTTY === true && io.env["TERM"] !== "dumb";
}
