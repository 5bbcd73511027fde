import type { HostFailure } from "./wire.ts";

/** A problem with a module, with its position if known. */
export interface ModuleProblem {
  readonly integration: string;
  /** From the folder of the workspace on: `tools/posthog/visitors.ts`. */
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
}

const PLACE = /tool:\/\/\/?([^\s:)]+):(\d+)(?::(\d+))?/;

/** Reads the position from a process's report; without one, the module that was being loaded is named. */
export function problemOf(integration: string, { message, stack, file }: HostFailure): ModuleProblem {
  const [, path, line, column] = PLACE.exec(stack) ?? [];
  const named = path ?? file?.replace(/^tool:\/+/, "");
  return {
    integration,
    file: `tools/${integration}${named === undefined ? "" : `/${named}`}`,
    ...(line === undefined ? {} : { line: Number(line) }),
    ...(column === undefined ? {} : { column: Number(column) }),
    message: plain(message),
  };
}

/** `tools/posthog/visitors.ts:3:7: Expression expected` */
export function problemLine({ file, line, column, message }: ModuleProblem): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  return `${place}: ${message}`;
}

/** Maps module URLs in the process to workspace files. */
function plain(message: string): string {
  return message.replaceAll(/tool:\/\/\//g, "").trim();
}
