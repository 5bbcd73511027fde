import { relative, sep } from "node:path";
import { isRecord } from "@elwood/core/base/is-record";
import { isToolSource, sourcesHash } from "@elwood/isolation/tool-host/integration-files";
import type { Ledger, RegisteredTool } from "@elwood/runtime/ports/gate-ports";

/** The tool that puts a whole file there, with all of it on the card. */
export const WRITE_TOOL = "files.file.write";

/** What a path is within the folder of tools: whose module, and which. */
export function modulePlace(
  toolsDir: string,
  path: string,
): { readonly integration: string; readonly file: string } | undefined {
  const [integration = "", ...rest] = relative(toolsDir, path).split(sep);
  if (integration === "" || integration === ".." || rest.length === 0) return undefined;
  return { integration, file: rest.join("/") };
}

/**
 * Whether all that a tool is made of was written in a run, each file by a call that the owner allowed
 * and with what they saw. A file that was there before, was edited since or came from elsewhere makes another hash.
 */
export function writtenInRun(
  ledger: Pick<Ledger, "callsOfRun" | "approval">,
  toolsDir: string,
): (tenant: string, runId: string, tool: RegisteredTool) => Promise<boolean> {
  return async (tenant, runId, { contract }) => {
    const integration = contract.id.split(".")[0] ?? "";
    const sources = new Map<string, string>();
    for (const { toolId, state, approvalId, executedInput } of await ledger.callsOfRun(tenant, runId)) {
      if (toolId !== WRITE_TOOL || state !== "succeeded" || approvalId === undefined) continue;
      if (!isRecord(executedInput)) continue;
      const { path, content } = executedInput;
      if (typeof path !== "string" || typeof content !== "string") continue;
      const place = modulePlace(toolsDir, path);
      if (place?.integration !== integration || !isToolSource(place.file)) continue;
      const approval = await ledger.approval(tenant, approvalId);
      if (approval?.status !== "approved" || approval.decidedBy?.kind !== "owner") return false;
      sources.set(place.file, content);
    }
    return sources.size > 0 && contract.code === sourcesHash(sources);
  };
}

/**
 * Whether each value of an input stands in what the owner typed, as a word or number of its own. A yes or no
 * carries nothing out. The names of the arguments are the tool's, which the owner has seen.
 */
export function isOnlyTyped(input: unknown, typed: readonly string[]): boolean {
  const said = typed.map((text) => text.normalize("NFKC").toLowerCase());
  const isSaid = (value: string) => {
    const word = value.normalize("NFKC").trim().toLowerCase();
    return word === "" || said.some((text) => hasWord(text, word));
  };
  const check = (value: unknown): boolean => {
    if (value === null || typeof value === "boolean") return true;
    if (typeof value === "number") return isSaid(String(value));
    if (typeof value === "string") return isSaid(value);
    if (Array.isArray(value)) return value.every(check);
    return isRecord(value) && Object.keys(value).every(isPlainName) && Object.values(value).every(check);
  };
  return check(input);
}

function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (!isInner(text[at - 1], word[0]) && !isInner(text[at + word.length], word.at(-1))) return true;
  return false;
}

/** Whether a sign beside a word makes it part of a longer one. */
function isInner(beside: string | undefined, edge: string | undefined): boolean {
  const part = /[\p{L}\p{N}]/u;
  return beside !== undefined && edge !== undefined && part.test(beside) && part.test(edge);
}

/** Keys that a model makes up are values too; those of a schema are short names. */
function isPlainName(key: string): boolean {
  return /^[A-Za-z_]\w{0,39}$/.test(key);
}
