import { CATALOG_CALL, CATALOG_DESCRIBE, CATALOG_SEARCH } from "@elwood/core/tool/catalog";
import type { ToolSpec } from "@elwood/core/model/model";
import type { Sha256 } from "@elwood/core/receipts/receipt";
import { declarationsFor, type ProgramDeclarations } from "@elwood/runtime/programs/declarations";
import { PROGRAM_TOOL } from "@elwood/runtime/gate/program-tools";
import type { RegisteredTool, ToolSnapshot } from "@elwood/runtime/ports/gate-ports";
import { catalogued } from "./catalog.ts";
import { toolSpecs } from "./tool-snapshot.ts";
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
): readonly ToolSpec[] {
  const specs = toolSpecs(toolSnapshot, undefined);
  const searched = new Set(catalogued(toolSnapshot.list()).map(({ contract }) => contract.id));
  const native = specs.filter(({ toolId }) => toolId !== PROGRAM_TOOL && !searched.has(toolId));
  const program = specs.find(({ toolId }) => toolId === PROGRAM_TOOL);
  if (mode === "native" || program === undefined) return native;
  if (mode === "both") return [...native, { ...program, description: `${ABOUT}\n${BESIDE}` }];
  return [{ ...program, description: `${ABOUT}\n\n${declarations.of(toolSnapshot).prompt.text}` }];
}

const BESIDE =
  "Each tool you have is `await tools.<integration>.<resource>.<action>(input)` in it; `must(result)` gives the value " +
  "or stops. There are console and sleep(ms), and nothing of Node or a browser.";
