import type { CheckProblem } from "@elwood/runtime/programs/checker-port";
import type { DeclaredTool } from "@elwood/runtime/programs/declarations";
import { ABSENT_GLOBALS } from "@elwood/runtime/programs/globals";
import type { Finding } from "./compiler.ts";
import type { ProgramCalls } from "./program-calls.ts";
import { positionIn } from "./source-edits.ts";
import type { Dropped } from "./unread-results.ts";

const MESSAGE_CHARS_MAX = 600;
const LINE_CHARS_MAX = 160;
const DECLARATION_CHARS_MAX = 1_500;

/** A problem at a place of the source, with its line and the signature it is about. */
export function problemAt(
  source: string,
  at: number,
  code: string,
  message: string,
  tool?: DeclaredTool,
): CheckProblem {
  const { line, column, text } = positionIn(source, at);
  return {
    line,
    column,
    code,
    message: cut(message, MESSAGE_CHARS_MAX),
    sourceLine: cut(text.trim(), LINE_CHARS_MAX),
    ...(tool ? { declaration: declarationOf(tool) } : {}),
  };
}

/** What to say of a result that nobody looks at, or a promise that nobody waits for. */
export function droppedText(dropped: Pick<Dropped, "kind">, tool: DeclaredTool | undefined): string {
  if (dropped.kind === "floating") {
    return "Nobody waits for this promise, so the program may end before it is done. Put `await` before it (`await Promise.all(…)` for several).";
  }
  const call = tool ? `tools.${tool.paths[0]!.join(".")}` : "a call that writes";
  return `The result of ${call} is not looked at: if it fails, nobody will know. Write \`const r = await ${tool ? call : "…"}(…); if (!r.ok) …\` and say what then, or \`must(await …)\` to stop the program on failure.`;
}

export const FOR_EACH_TEXT =
  "forEach does not wait for an async function. Write `for (const each of list) { … await … }`, or `await Promise.all(list.map(async (each) => …))`.";

/** Names that programs elsewhere find, and what to use here. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  fetch: "There is no fetch: reach the web through a tool, if one is declared.",
  setTimeout: "There are no timers: `await sleep(ms)`.",
  setInterval: "There are no timers: use a loop with `await sleep(ms)`.",
  require: "There are no modules: what is declared is all there is.",
  process: "There is no process: programs do not see the machine.",
  Buffer: "There is no Buffer: use Uint8Array, TextEncoder and TextDecoder.",
  fs: "There is no fs: files are reached through tools.",
  crypto: "There is no crypto.",
  window: "There is no page.",
  document: "There is no page.",
  print: "Use console.log.",
};

/** Findings that only ask for more types than a short program needs. */
const LENIENT_CODES: ReadonlySet<number> = new Set([
  7005, 7006, 7011, 7019, 7022, 7023, 7024, 7031, 7034,
  // Something may be null, undefined or unknown: the run says it, and nothing that matters depends on it.
  2531, 2532, 2533, 2571, 2722, 18046, 18047, 18048, 18049,
]);
/** The same said of a value that is handed on. */
const ASSIGN_CODES: ReadonlySet<number> = new Set([2322, 2345, 2769]);
const ONLY_MAYBE = /Type '(?:undefined|null)' is not assignable to type '[^']*'\.?$/;
const INDEX_CODE = 7053;

/** Whether a finding is worth a lap of repair. */
export function isWorthTelling(finding: Finding, source: string, at: number): boolean {
  if (LENIENT_CODES.has(finding.code)) return false;
  if (ASSIGN_CODES.has(finding.code) && ONLY_MAYBE.test(finding.message.trim())) return false;
  // `counts[word] = …` on an empty object is fine; a tool that is not there is not.
  return finding.code !== INDEX_CODE || /^tools\b/.test(source.slice(at));
}

/** The compiler's words, and what to do about it where that is known. */
export function findingText(finding: Finding, source: string, at: number, calls: ProgramCalls): string {
  const said = finding.message;
  const name = /^Cannot find name '([^']+)'/.exec(said)?.[1];
  if (name !== undefined && Object.hasOwn(ELSEWHERE, name)) return `${said} ${ELSEWHERE[name]}`;
  if (/^Property '(value|error)' does not exist on type/.test(said) && /Result|ok: (true|false)/.test(said)) {
    const field = said.slice(10, said.indexOf("'", 10));
    const test = field === "value" ? "if (!r.ok) …" : "if (!r.ok) { r.error … }";
    return `\`${field}\` is there only once \`ok\` was looked at: \`${test}\`, or \`must(r)\` for the value.${pendingText(said)}`;
  }
  if (/of type 'Promise</.test(said)) return `${said}${pendingText(said)}`;
  if (/^Property '.+' does not exist on type/.test(said) || finding.code === INDEX_CODE) {
    const path =
      calls.pathAt(at) ?? (/^tools[.\w]*/.exec(source.slice(at))?.[0] ?? "").replace(/^tools\.?/, "");
    if (path !== "") return missingTool(path, calls);
  }
  return said;
}

function missingTool(path: string, calls: ProgramCalls): string {
  const meant = calls.meant(path).map((each) => `tools.${each}`);
  const advice =
    meant.length > 0 ? ` Did you mean ${meant.join(" or ")}?` : " Use only the tools that are declared.";
  return `There is no tools.${path}.${advice}`;
}

function pendingText(said: string): string {
  return said.includes("Promise<") ? " It is a promise: `await` it first." : "";
}

export function absentText(name: string): string {
  return ABSENT_GLOBALS[name] ?? `${name} does not exist in programs.`;
}

function declarationOf(tool: DeclaredTool): string {
  const call = `// tools.${tool.paths[0]!.join(".")}`;
  return cut(`${call}\n${tool.signature.replaceAll(/^ {2,6}/gm, "")}`, DECLARATION_CHARS_MAX);
}

function cut(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax - 1)}…`;
}
