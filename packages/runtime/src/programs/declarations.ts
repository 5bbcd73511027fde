import type { Sha256 } from "@elwood/core/receipts/receipt";
import type { Risk, ToolContract } from "@elwood/core/tool/tool";
import { discoveryNames, programNames } from "@elwood/core/tool/tool-names";
import { CHECKED_GLOBALS, PROGRAM_GLOBALS } from "./globals.ts";
import { commentText, propertyName, type TypeTextLimits, typeTextOf } from "./schema-type.ts";

/** A text and its SHA-256, as a run records it. */
interface HashedText {
  readonly text: string;
  readonly hash: string;
}

/** One tool as programs see it. */
export interface DeclaredTool {
  readonly toolId: string;
  /** The full name first, then the short one if there is one, each without `tools`. */
  readonly paths: readonly (readonly string[])[];
  readonly risk: Risk;
  /** How it is called, with its comment: what a message about a wrong call shows. */
  readonly signature: string;
}

/**
 * What a model is told of the tools of one session, and what its programs are checked
 * against. A run records both hashes. Nothing but the contracts goes in, in an order of its
 * own, so the same tools give the same bytes and a provider's prompt cache holds.
 */
export interface ProgramDeclarations {
  /** `full`: the prompt holds every declaration. `index`: names only, the rest by search and describe. */
  readonly mode: "full" | "index";
  readonly prompt: HashedText;
  readonly check: HashedText;
  readonly tools: readonly DeclaredTool[];
  /** Names under `tools` of the two functions that find tools; only where the prompt is an index. */
  readonly discovery?: { readonly search: string; readonly describe: string };
}

interface DeclarationBudget {
  /** Above either, the prompt gets an index. */
  readonly tools: number;
  readonly bytes: number;
  /** How long the index may be. */
  readonly indexBytes: number;
}

export const DECLARATION_BUDGET: DeclarationBudget = {
  tools: 120,
  bytes: 32 * 1024,
  indexBytes: 16 * 1024,
};

/** Of one input or output. */
const TYPE_LIMITS: TypeTextLimits = { depth: 8, chars: 12_000, enumValues: 40, properties: 100 };
const TOOL_DESCRIPTION_CHARS_MAX = 400;

export function declarationsFor(
  contracts: readonly ToolContract[],
  sha256: Sha256,
  budget: DeclarationBudget = DECLARATION_BUDGET,
): ProgramDeclarations {
  const table = new Map(contracts.map((contract) => [contract.id, contract]));
  const paths = new Map<string, (readonly string[])[]>();
  const wirePaths = new Set<string>();
  for (const { path, toolId, wire } of programNames([...table.keys()])) {
    paths.set(toolId, [...(paths.get(toolId) ?? []), path]);
    if (wire) wirePaths.add(path.join("."));
  }
  const written = [...paths].map(([toolId, names]) => writtenTool(table.get(toolId)!, names));
  const hashed = (text: string): HashedText => ({ text, hash: sha256(text) });
  const taught = written.map((tool) => ({
    ...tool,
    paths: tool.paths.filter((path) => !wirePaths.has(path.join("."))),
  }));
  const full = PROGRAM_GLOBALS + toolsText(taught, "");
  const tools = written.map(({ named: _named, ...tool }) => tool);
  if (written.length <= budget.tools && byteLength(full) <= budget.bytes) {
    const check = CHECKED_GLOBALS + PROGRAM_GLOBALS + toolsText(written, "");
    return { mode: "full", prompt: hashed(full), check: hashed(check), tools };
  }
  const discovery = discoveryNames([...table.keys()]);
  const finding = discoveryText(discovery);
  const index = `${PROGRAM_GLOBALS}${indexText(contracts, discovery, budget.indexBytes)}`;
  const check = CHECKED_GLOBALS + PROGRAM_GLOBALS + toolsText(written, finding);
  return { mode: "index", prompt: hashed(index), check: hashed(check), tools, discovery };
}

/** The declarations of some tools alone, as `describe` answers them. */
export function declarationText(contracts: readonly ToolContract[]): string {
  const names = programNames(contracts.map((contract) => contract.id));
  const written = contracts
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map((contract) =>
      writtenTool(
        contract,
        names.filter((each) => each.toolId === contract.id && !each.alias).map((each) => each.path),
      ),
    );
  return toolsText(written, "");
}

interface WrittenTool extends DeclaredTool {
  readonly named: readonly string[];
}

function writtenTool(contract: ToolContract, paths: readonly (readonly string[])[]): WrittenTool {
  const prefix = contract.id.replaceAll(/\W+/g, "_");
  const indent = "  ".repeat(paths[0]!.length);
  const input = typeTextOf(contract.input, `${prefix}_In`, TYPE_LIMITS, indent);
  const output = typeTextOf(contract.output, `${prefix}_Out`, TYPE_LIMITS, indent);
  const kind = contract.risk === "read" ? "ReadResult" : "Result";
  const named = [...input.named, ...output.named];
  const call = `(input: ${input.text}): Promise<${kind}<${output.text}>>;`;
  const action = propertyName(paths[0]!.at(-1)!);
  const doc = `${indent}/** ${toolRemarks(contract)} */\n`;
  return {
    toolId: contract.id,
    paths,
    risk: contract.risk,
    named,
    signature: `${doc}${indent}${action}${call}`,
  };
}

function toolRemarks(contract: ToolContract): string {
  const risk = {
    read: contract.requiresApproval ? "Reads; asks the owner." : "Reads.",
    write: "Writes: asks the owner.",
    destructive: "Destructive: always asks the owner.",
  }[contract.risk];
  const seconds = Math.round(contract.timeoutMs / 100) / 10;
  const said = commentText(contract.description, TOOL_DESCRIPTION_CHARS_MAX);
  return `${said}${/[.!?…]$/.test(said) ? "" : "."} ${risk} At most ${seconds} s.`;
}

interface Branch {
  readonly branches: Map<string, Branch>;
  readonly leaves: Map<string, string>;
}

function toolsText(tools: readonly WrittenTool[], finding: string): string {
  const root: Branch = { branches: new Map(), leaves: new Map() };
  for (const { paths, signature } of tools) {
    for (const [i, path] of paths.entries()) {
      let at = root;
      for (const part of path.slice(0, -1)) {
        const next = at.branches.get(part) ?? { branches: new Map(), leaves: new Map() };
        at.branches.set(part, next);
        at = next;
      }
      const name = path.at(-1)!;
      const full = paths[0]!.map((part) => `[${JSON.stringify(part)}]`).join("");
      const short = `${"  ".repeat(path.length)}${propertyName(name)}: Tools${full};`;
      at.leaves.set(name, i === 0 ? signature : short);
    }
  }
  const named = tools.flatMap((tool) => tool.named);
  return [
    ...named,
    "interface Tools {",
    finding + branchText(root, "  "),
    "}",
    "declare const tools: Tools;",
    "",
  ]
    .filter((line) => line !== "")
    .join("\n")
    .concat("\n");
}

function branchText(branch: Branch, indent: string): string {
  const branches = [...branch.branches].map(
    ([name, inner]) => `${indent}${propertyName(name)}: {\n${branchText(inner, `${indent}  `)}\n${indent}};`,
  );
  return [...branches, ...branch.leaves.values()].join("\n");
}

function discoveryText({ search, describe }: { readonly search: string; readonly describe: string }): string {
  return `  /** Tools whose names or descriptions fit the words, best first. */
  ${search}(input: { query: string; limit?: number }): Promise<ReadResult<{ tools: { id: string; call: string; risk: string; description: string }[] }>>;
  /** The declarations of tools, by id. */
  ${describe}(input: { ids: string[] }): Promise<ReadResult<{ declarations: string; notFound: string[] }>>;
`;
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

const MARKS = { read: "", write: "!", destructive: "!!" } as const;

/**
 * The names of all tools, for a prompt that cannot hold their declarations: one line per
 * resource, such as `files.file: read, write!, delete!!`. Where even the names are too
 * many, the integrations with the most tools are told by number only.
 */
function indexText(
  contracts: readonly ToolContract[],
  discovery: { readonly search: string; readonly describe: string },
  bytesMax: number,
): string {
  const head = `/* Tools: call tools.<integration>.<resource>.<action>(input). "!" writes, "!!" is destructive.
   Their types are not shown here. Find tools with tools.${discovery.search}({ query: "words" }), and read the
   declarations of those you need with tools.${discovery.describe}({ ids: ["files.file.read"] }) before calling them.
`;
  const integrations = new Map<string, Map<string, string[]>>();
  for (const { id, risk } of contracts.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const parts = id.split(".");
    const resources = integrations.get(parts[0]!) ?? new Map<string, string[]>();
    integrations.set(parts[0]!, resources);
    const resource = parts.slice(0, -1).join(".");
    resources.set(resource, [...(resources.get(resource) ?? []), parts.at(-1)! + MARKS[risk]]);
  }
  const blocks = [...integrations].map(([name, resources]) => {
    const actions = [...resources.values()].flat().length;
    const lines = [...resources].map(
      ([resource, names]) => `   ${commentText(`${resource}: ${names.join(", ")}`, 4_000)}\n`,
    );
    return { full: lines.join(""), brief: `   ${name}: ${actions} tools\n` };
  });
  // The longest blocks give way first, so that as many integrations as possible are told in full.
  const shown = blocks.map((block) => block.full);
  const total = () => head.length + shown.reduce((sum, each) => sum + each.length, 0);
  const longest = [...blocks.keys()].toSorted(
    (a, b) => blocks[b]!.full.length - blocks[a]!.full.length || a - b,
  );
  for (const i of longest) {
    if (total() + TAIL.length <= bytesMax) break;
    shown[i] = blocks[i]!.brief;
  }
  const kept: string[] = [];
  let size = head.length + TAIL.length + OMITTED.length;
  for (const block of shown) {
    size += block.length;
    if (size > bytesMax) {
      kept.push(OMITTED);
      break;
    }
    kept.push(block);
  }
  return head + kept.join("") + TAIL;
}

const TAIL = "*/\n";
const OMITTED = "   and more: search for them\n";
