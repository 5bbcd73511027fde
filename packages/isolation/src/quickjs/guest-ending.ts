import type { JSValueHandle } from "quickjs-wasi";
import type { ProgramErrorCode } from "@elwood/core/tool/program";

/** How a program ended, in the words of its process. */
export type GuestEnding =
  | { readonly returned: string }
  | {
      readonly code: ProgramErrorCode;
      readonly message: string;
      readonly line?: number;
      readonly column?: number;
    };

const MESSAGE_CHARS_MAX = 4_000;

export function textOf(handle: JSValueHandle | undefined): string {
  return handle?.isString ? handle.toString() : "";
}

/** Without running anything of the program's: only plain data is read. */
export function reasonText(reason: JSValueHandle): string {
  if (reason.isString) return reason.toString();
  if (!reason.isObject || reason.isProxy) return "Something that nobody awaited failed.";
  const message = reason.getOwnPropertyDescriptor("message")?.value;
  return message?.isString ? message.toString() : "Something that nobody awaited failed.";
}

export function returned(json: JSValueHandle | undefined, bytesMax: number): GuestEnding {
  if (!json?.isString) return { returned: "" };
  const text = json.length > bytesMax ? undefined : json.toString();
  if (text !== undefined && Buffer.byteLength(text) <= bytesMax) return { returned: text };
  return { code: "program.output_limit", message: `The program returned more than ${bytesMax} bytes.` };
}

export function thrown(name: string, message: string, stack: string): GuestEnding {
  if (name === "program.bad_output") return { code: name, message: cut(message) };
  if (name === "InternalError" && message === "out of memory") {
    return { code: "program.memory_limit", message: "The program ran out of memory." };
  }
  return { code: "program.threw", message: cut(`${name}: ${message}`), ...placeIn(stack) };
}

/** The first place in the program itself; its text begins on the second line of what the engine was given. */
export function placeIn(stack: string | undefined): { line?: number; column?: number } {
  const found = /program\.js:(\d{1,7}):(\d{1,7})/.exec(stack ?? "");
  if (!found) return {};
  return { line: Math.max(1, Number(found[1]) - 1), column: Number(found[2]) };
}

/** The engine itself gave up: its stack, its memory, or a fault in it. */
export function faultOf(error: unknown): GuestEnding {
  const name = error instanceof Error ? error.name : "";
  const text = error instanceof Error ? error.message : "";
  if (name === "RangeError" || text.includes("call stack")) {
    return { code: "program.stack_limit", message: "The program nested its calls too deep." };
  }
  if (text.includes("malloc") || text.includes("out of memory")) {
    return { code: "program.memory_limit", message: "The program ran out of memory." };
  }
  return {
    code: "program.engine_fault",
    message: "The program broke the engine it ran on, which was dropped.",
  };
}

export function cut(text: string): string {
  return text.slice(0, MESSAGE_CHARS_MAX).toWellFormed();
}
