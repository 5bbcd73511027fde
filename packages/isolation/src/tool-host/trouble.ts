import type { HostTrouble } from "./wire.ts";

/** Something that is wrong with a module, with its place where that is known. */
export interface ModuleProblem {
  readonly integration: string;
  /** From the folder of the workspace on: `tools/posthog/visitors.ts`. */
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
}

const PLACE = /tool:\/\/\/?([^\s:)]+):(\d+)(?::(\d+))?/;

/** Reads the place out of what a process told; the module that was being loaded stands for one that is not told. */
export function problemOf(integration: string, { message, stack, file }: HostTrouble): ModuleProblem {
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

/** Addresses in the process mean files of the workspace to everybody else. */
function plain(message: string): string {
  return message.replaceAll(/tool:\/\/\//g, "").trim();
}
