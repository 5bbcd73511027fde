import { showLine } from "@elwood/core/base/show";
import type { WireCall } from "@elwood/core/protocol/call-shapes";
import type { ShownCall } from "@elwood/sdk/view-state/reply-parts";
import type { Paint } from "../paint.ts";
import { visibleText } from "../terminal-text.ts";
import { CHAT_WORDS as WORDS } from "./words.ts";

/** An unfolded card shows so many lines of what came out. */
const OUTPUT_LINES_MAX = 200;
const TARGET_CHARS_MAX = 160;

/** A call that runs: what it does, and below it what it last said of its progress. */
export function runningCall({ tool, message }: ShownCall, target: string | undefined): string[] {
  const about = target === undefined || target === "" ? "" : ` · ${short(target)}`;
  return [`▸ ${WORDS.doing(tool)}${about}`, ...(message === undefined ? [] : [`  ${showLine(message)}`])];
}

/** A call that is over: one line, and what went in and came out where it is unfolded. */
export function callCard(
  call: Pick<WireCall, "toolId" | "status" | "target" | "exitCode" | "output" | "error">,
  { folded, paint }: { readonly folded: boolean; readonly paint: Paint },
): string {
  const { toolId, status, target, exitCode, output, error } = call;
  const ok = status === "succeeded";
  const text = visibleText(output?.text ?? error?.text ?? "").trimEnd();
  const lines = text === "" ? [] : text.split("\n");
  const words = [
    ok ? WORDS.done(toolId) : `${WORDS.todo(toolId)}: ${WORDS.state(status)}`,
    ...(target === undefined || target === "" ? [] : [short(target)]),
    ...(exitCode === undefined ? [] : [WORDS.exitCode(exitCode)]),
    ...(folded && lines.length > 0 ? [WORDS.lines(lines.length)] : []),
  ];
  const sign = ok && exitCode === undefined ? paint("green", "✓") : paint("red", "✗");
  const title = `${sign} ${paint("dim", words.join(" · "))}`;
  if (folded || lines.length === 0) return title;
  const shown = lines.slice(0, OUTPUT_LINES_MAX).map((line) => paint("dim", `  │ ${line}`));
  const left = lines.length - shown.length;
  return [title, ...shown, ...(left > 0 ? [paint("dim", `  │ ${WORDS.moreLines(left)}`)] : [])].join("\n");
}

function short(text: string): string {
  const line = showLine(text);
  return line.length > TARGET_CHARS_MAX ? `${line.slice(0, TARGET_CHARS_MAX - 1)}…` : line;
}
