import { CATALOG_CALL, CATALOG_DESCRIBE, CATALOG_SEARCH } from "@elwood/core/tool/catalog";
import type { ToolSpec } from "@elwood/core/model/model";
import type { Sha256 } from "@elwood/core/receipts/receipt";
import { programNames } from "@elwood/core/tool/tool-names";
import { declarationsFor, type ProgramDeclarations } from "@elwood/runtime/programs/declarations";
import { PROGRAM_TOOL } from "@elwood/runtime/gate/program-tools";
import type { RegisteredTool, ToolSnapshot } from "@elwood/runtime/ports/gate-ports";
import type { Agent } from "@elwood/runtime/ports/ports";
import { SKILL_TOOL } from "@elwood/runtime/run/prompt";
import { catalogTools, catalogued } from "./catalog.ts";
import { snapshotOf, toolSpecs, toolsFor } from "./tool-snapshot.ts";
import { ABOUT } from "./program-tool.ts";

/** How a model calls tools: one by one, from programs, or as it likes. */
export const CALLING_MODES = ["native", "programs", "both"] as const;
export type CallingMode = (typeof CALLING_MODES)[number];

const DECLARATIONS_KEPT = 16;

/** Declarations of a table's tools. They are made once for the same tools: every run and every check asks. */
export class Declarations {
  readonly #sha256: Sha256;
  readonly #made = new Map<string, ProgramDeclarations>();

  constructor(sha256: Sha256) {
    this.#sha256 = sha256;
  }

  of(toolSnapshot: ToolSnapshot): ProgramDeclarations {
    const tools = callable(toolSnapshot);
    const key = tools.map(({ contractHash }) => contractHash).join();
    const known = this.#made.get(key);
    if (known) return known;
    const made = declarationsFor(
      tools.map(({ contract }) => contract),
      this.#sha256,
    );
    const [oldest] = this.#made.keys();
    if (this.#made.size >= DECLARATIONS_KEPT && oldest !== undefined) this.#made.delete(oldest);
    this.#made.set(key, made);
    return made;
  }
}

const CATALOG_TOOLS: ReadonlySet<string> = new Set([CATALOG_SEARCH, CATALOG_DESCRIBE, CATALOG_CALL]);

/** What a program may call: every tool of the table but programs themselves, and the catalog, in place of which programs have a search of their own. */
export function callable(toolSnapshot: ToolSnapshot): RegisteredTool[] {
  return toolSnapshot
    .list()
    .filter(({ kind, contract }) => kind !== "program" && !CATALOG_TOOLS.has(contract.id));
}

/** The tools as a model is offered them. Beside the tools themselves, a program's declarations would say everything twice. */
export function offeredTools(
  toolSnapshot: ToolSnapshot,
  mode: CallingMode,
  declarations: Declarations,
  toolSet?: Agent["toolSet"],
): readonly ToolSpec[] {
  const specs = toolSpecs(toolSnapshot, undefined);
  // Whoever wants all of them is shown all, however many there are.
  const hidden = toolSet === "all" ? [] : catalogued(toolSnapshot.list());
  const searched = new Set(hidden.map(({ contract }) => contract.id));
  const shown = specs.filter(({ toolId }) => !searched.has(toolId));
  const program = specs.find(({ toolId }) => toolId === PROGRAM_TOOL);
  if (mode === "native" || program === undefined)
    return shown.filter(({ toolId }) => toolId !== PROGRAM_TOOL);
  if (mode === "both")
    return shown.map((spec) =>
      spec === program ? { ...spec, description: `${ABOUT}\n${BESIDE}${shapesIn(toolSnapshot)}` } : spec,
    );
  return [{ ...program, description: `${ABOUT}\n\n${declarations.of(toolSnapshot).prompt.text}` }];
}

/** Agents whose tools are kept ready for one table of tools. */
const OFFERS_KEPT = 64;

/** Of an agent, what decides on its tools. */
type Offered = Pick<Agent, "id" | "tools" | "toolSet" | "calls" | "skills">;

export interface ToolOffer {
  readonly toolSnapshot: ToolSnapshot;
  readonly specs: readonly ToolSpec[];
}

interface OfferDeps {
  readonly sha256: Sha256;
  readonly calls: CallingMode;
  readonly declarations: Declarations;
  /** Whether a tenant may not use a tool, whatever it is called with. */
  readonly refused: (tenant: string, toolId: string) => boolean;
  /** Whether models are not told of a tool, though a call of it is decided like any other. */
  readonly hidden?: (toolId: string) => boolean;
}

/** What of a table of tools an agent is offered. It is worked out once for each table and agent: every run asks. */
export class ToolOffers {
  readonly #deps: OfferDeps;
  readonly #made = new WeakMap<ToolSnapshot, Map<string, ToolOffer>>();

  constructor(deps: OfferDeps) {
    this.#deps = deps;
  }

  /** To a run that begins now. */
  to(all: ToolSnapshot, agent: Offered, tenant: string): ToolOffer {
    const hasSkills = agent.skills !== undefined && agent.skills.length > 0;
    const { id, tools = null, toolSet = null, calls = null } = agent;
    const key = JSON.stringify([tenant, id, tools, toolSet, calls, hasSkills]);
    const made = this.#made.get(all) ?? new Map<string, ToolOffer>();
    this.#made.set(all, made);
    const known = made.get(key);
    if (known) return known;
    const offer = this.of(this.#chosen(all, agent, { tenant, hasSkills }), agent);
    const [oldest] = made.keys();
    if (made.size >= OFFERS_KEPT && oldest !== undefined) made.delete(oldest);
    made.set(key, offer);
    return offer;
  }

  of(toolSnapshot: ToolSnapshot, agent: Offered): ToolOffer {
    const { calls, declarations, hidden } = this.#deps;
    const specs = offeredTools(toolSnapshot, agent.calls ?? calls, declarations, agent.toolSet);
    return { toolSnapshot, specs: hidden ? specs.filter(({ toolId }) => !hidden(toolId)) : specs };
  }

  #chosen(
    all: ToolSnapshot,
    agent: Offered,
    { tenant, hasSkills }: { readonly tenant: string; readonly hasSkills: boolean },
  ): ToolSnapshot {
    const offered = new Map(
      toolsFor(all, agent.tools)
        .filter((tool) => tool.source !== "client" || belongsTo(tool.contract.id, agent.id))
        // What would only be denied is not offered.
        .filter((tool) => !this.#deps.refused(tenant, tool.contract.id))
        .map((tool) => [tool.contract.id, tool]),
    );
    // Without skills, the tool that reads them is left out of the prompt.
    if (!hasSkills) offered.delete(SKILL_TOOL);
    const before = [...offered.values()];
    const searched = agent.toolSet === "all" ? [] : catalogued(before);
    for (const id of CATALOG_TOOLS) offered.delete(id);
    if (searched.length > 0)
      for (const tool of catalogTools(searched, { sha256: this.#deps.sha256 }))
        offered.set(tool.contract.id, tool);
    return snapshotOf(offered, before);
  }
}

/** A tool that lives in a program is seen by the assistant of that program alone. */
function belongsTo(toolId: string, agentId: string): boolean {
  return toolId.startsWith(`${agentId}.`);
}

const BESIDE =
  "A tool is `await tools.<integration>.<resource>.<action>(input)`; `must(result)` gives the value or stops. " +
  "sleep(ms) is there, nothing of Node.";

/** What the usual tools give to a program; without it, a model guesses the names and is refused. */
export const SHAPES: readonly (readonly [toolId: string, shape: string])[] = [
  ["files.file.read", "{text?, nextOffset?}"],
  ["files.file.list", "{entries: {path, name, kind, bytes?, modified?}[]}"],
  ["files.file.search", "{matches: {path, line, text}[]}"],
  ["web.page.fetch", "{text, title?, nextOffset?}"],
  ["memory.note.search", "{lines: {text, source, day}[]}"],
  ["shell.command.run", "{exitCode, text}"],
];

/** By the shortest names that programs have for them. */
function shapesIn(toolSnapshot: ToolSnapshot): string {
  const names = programNames(callable(toolSnapshot).map(({ contract }) => contract.id));
  const told = SHAPES.flatMap(([toolId, shape]) => {
    const paths = names
      .filter((each) => each.toolId === toolId && !each.wire)
      .map(({ path }) => path.join("."));
    const shortest = paths.toSorted((a, b) => a.length - b.length)[0];
    return shortest === undefined ? [] : [`${shortest} ${shape}`];
  });
  return told.length === 0 ? "" : `\nValues: ${told.join("; ")}.`;
}
