import { resolveToolName } from "@elwood/core/tool/tool";

/** What every answer to something that is no program says. */
const SHAPE =
  "A program is TypeScript, the body of an async function: call tools with `const r = await tools.<integration>.<resource>.<action>({ … });`, look at `r.ok`, and `return` what should be told.";

const FENCE = /^(```+|~~~+)[ \t]*([\w+#.-]*)[^\n`;]*$/;
const SCRIPT_LANGUAGES = new Set(["", "ts", "typescript", "js", "javascript", "mjs", "tsx", "jsx", "node"]);

/**
 * The code of a Markdown answer: everything outside its one fenced block is blanked, so that
 * every place stays where it was. undefined where there is no such block, or more than one.
 */
export function unfenced(source: string): { readonly code: string; readonly language: string } | undefined {
  const lines = source.split("\n");
  const fences = lines.flatMap((line, i) => (FENCE.test(line.trimEnd()) ? [i] : []));
  const open = fences[0];
  if (open === undefined || fences.length > 2) return undefined;
  const close = fences[1] ?? lines.length;
  const language = FENCE.exec(lines[open]!.trimEnd())?.[2]?.toLowerCase() ?? "";
  const code = lines.map((line, i) => (i > open && i < close ? line : line.replaceAll(/[^\r]/g, " ")));
  return { code: code.join("\n"), language };
}

/** Whether a block's language says that it holds a program. */
export function isScriptLanguage(language: string): boolean {
  return SCRIPT_LANGUAGES.has(language);
}

/**
 * A helpful sentence on something that is no TypeScript at all: JSON, shell, Python or plain
 * language. Asked only once it is plain that it cannot be read as a program, so that an odd
 * program is never taken for something else.
 */
export function foreignText(
  source: string,
  language: string,
  toolIds: readonly string[],
): string | undefined {
  const text = source.trim();
  if (text === "") return `There is no code in it. ${SHAPE}`;
  const json = jsonAnswer(text, toolIds);
  if (json !== undefined) return json;
  if (/^(json|jsonc)$/.test(language)) return `This is JSON, not a program. ${SHAPE}`;
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const code = lines.filter((line) => line !== "" && !line.startsWith("//"));
  if (/^(py|python3?)$/.test(language) || looksLikePython(code)) {
    return `This is Python; programs here are TypeScript, and nothing of it ran. ${SHAPE}`;
  }
  if (/^(sh|bash|zsh|shell|console|fish|powershell|bat)$/.test(language) || looksLikeShell(code)) {
    const shell = toolIds.includes("shell.command.run")
      ? ' To run a command: `must(await tools.shell.command.run({ command: "…" }))`.'
      : " There is no tool here that runs commands.";
    return `These are shell commands; programs here are TypeScript, and nothing of it ran.${shell} ${SHAPE}`;
  }
  if (looksLikeProse(text)) return `This is text, not a program. ${SHAPE}`;
  return undefined;
}

/** What to write where modules are wanted. */
export const NO_MODULES =
  "Programs have no modules: there is nothing to import or export. `tools`, `console`, `sleep` and `must` are simply there; write the body of an async function and `return` the result.";

function jsonAnswer(text: string, toolIds: readonly string[]): string | undefined {
  if (!/^[[{]/.test(text)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const call = callIn(Array.isArray(value) ? value[0] : value);
  const name = call && resolveToolName(call.name.replaceAll("__", ".").replace(/^tools\./, ""));
  if (!call || name === undefined || !toolIds.includes(name)) return `This is JSON, not a program. ${SHAPE}`;
  const input = JSON.stringify(call.input ?? {});
  const shown = input.length <= 300 ? input : "{ … }";
  return `This is a tool call as JSON, not a program. Write it as TypeScript: \`const r = await tools.${name}(${shown}); return r;\``;
}

/** The shapes in which models write down a call. */
function callIn(value: unknown): { readonly name: string; readonly input: unknown } | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const fields = new Map(Object.entries(value));
  const inner = fields.get("function") ?? fields.get("tool_call");
  if (typeof inner === "object" && inner !== null) return callIn(inner);
  const name = ["name", "tool", "toolId", "tool_name", "action"]
    .map((key) => fields.get(key))
    .find((each) => typeof each === "string");
  if (typeof name !== "string") return undefined;
  const input = ["input", "arguments", "args", "parameters", "params", "tool_input"]
    .map((key) => fields.get(key))
    .find((each) => each !== undefined);
  return { name, input };
}

function looksLikePython(lines: readonly string[]): boolean {
  const signs = [
    /^(async )?def \w+\(.*\).*:$/,
    /^from [\w.]+ import /,
    /^import \w+(, ?\w+)*( as \w+)?$/,
    /^(if|elif|while|for|with|try|else|except|class)\b[^{]*:$/,
    /^print\(.*\)$/,
    /\b(None|True|False|elif|self)\b/,
    /^#(?!!)/,
    /\bf"[^"]*\{/,
  ];
  const found = signs.filter((sign) => lines.some((line) => sign.test(line))).length;
  const alone = lines.some((line) => /^(async )?def \w+\(.*\).*:$|^from [\w.]+ import /.test(line));
  return alone || found >= 2;
}

const COMMANDS =
  /^(\$ |# ?)?(sudo |env )?(ls|cd|cat|echo|grep|sed|awk|curl|wget|git|npm|npx|node|python3?|pip3?|mkdir|rm|cp|mv|touch|chmod|find|ps|kill|ssh|scp|docker|apt(-get)?|brew|tar|head|tail|which|pwd|export|source|bash|sh|make|systemctl|df|du|date|whoami)(\s+[^=(\s].*|$)/;

function looksLikeShell(lines: readonly string[]): boolean {
  if (/^#!.*\b(sh|bash|zsh)\b/.test(lines[0] ?? "")) return true;
  const commands = lines.filter((line) => COMMANDS.test(line) && !/[;{]$/.test(line)).length;
  return commands > 0 && commands * 2 >= lines.length;
}

function looksLikeProse(text: string): boolean {
  const words = text.match(/\p{L}{2,}/gu)?.length ?? 0;
  const marks = text.match(/[{}()[\];=<>]/g)?.length ?? 0;
  return words >= 4 && marks * 6 < words;
}
