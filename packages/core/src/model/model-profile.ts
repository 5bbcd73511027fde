import { formatModelRef, type ModelRef } from "./model.ts";
import { matchesModel } from "./price.ts";

/** How much of the tools an agent is offered: the few that matter most, the usual ones, or all at once. */
export const TOOL_SETS = ["minimal", "standard", "all"] as const;
export type ToolSet = (typeof TOOL_SETS)[number];

export const PROMPT_SIZES = ["short", "full"] as const;
export type PromptSize = (typeof PROMPT_SIZES)[number];

/** How a family of models is spoken to. How much each takes at once stands in context-window.ts. */
export interface ModelProfile {
  readonly prompt: PromptSize;
  readonly tools: ToolSet;
  /** Whether it makes several calls in one answer; where it cannot, it is asked for one at a time. */
  readonly parallelCalls: boolean;
  /** Where its calls are looked for: `api`: in the API's own field. `text`: in what it says, too. */
  readonly calls: "api" | "text";
  /** `strict`: calls are whole. `lenient`: the last brackets may be missing, and a call may come twice. */
  readonly json: "strict" | "lenient";
  /** How it is told how hard to think: by a budget of tokens, by an effort, or not at all. */
  readonly thinking: "budget" | "effort" | "none";
  /** What one that takes an effort is told where nobody wants it to think: only `none` keeps it from it. */
  readonly leastEffort: "none" | "minimal" | "low";
  /** Whether it takes a temperature and `top_p`. */
  readonly sampling: boolean;
  /** How a provider is told what of a request it read before: by marks in it, by a key, or not at all. */
  readonly cache: "breakpoints" | "key" | "none";
}

/** What is known of some models; the first rows that match count, each for what it says. */
interface ProfileRow extends Partial<ModelProfile> {
  /** `provider/model`, `*` standing for anything. */
  readonly match: string;
  /** Only models that say in their name that they have at most so many billion parameters. */
  readonly billionsMax?: number;
}

const USUAL: ModelProfile = {
  prompt: "full",
  tools: "standard",
  parallelCalls: true,
  calls: "api",
  json: "strict",
  thinking: "effort",
  leastEffort: "none",
  sampling: true,
  cache: "none",
};

/** Up to this size models lose track of two dozen tools and of long rules. */
const SMALL = {
  prompt: "short",
  tools: "minimal",
  parallelCalls: false,
  calls: "text",
  json: "lenient",
} as const;

/** Servers on the owner's machine hand on what the model wrote, as it wrote it. */
const AS_WRITTEN = { calls: "text", json: "lenient" } as const;

/** Claude up to 4.5. */
const BUDGETED = ["2*", "3*", "instant*", "*-4", ...[0, 1, 2, 3, 4, 5].map((minor) => `*-4-${minor}*`)];

export const MODEL_PROFILES: readonly ProfileRow[] = [
  { match: "anthropic/*", cache: "breakpoints" },
  { match: "openai/*", cache: "key" },
  { match: "*", billionsMax: 9, ...SMALL },
  { match: "*tinyllama*", ...SMALL },
  { match: "*smollm*", ...SMALL },
  { match: "*phi-3-mini*", ...SMALL },
  { match: "*phi3:mini*", ...SMALL },
  { match: "ollama/*", ...AS_WRITTEN },
  { match: "lmstudio/*", ...AS_WRITTEN },
  { match: "llamacpp/*", ...AS_WRITTEN },
  { match: "vllm/*", ...AS_WRITTEN },
  ...BUDGETED.map((name) => ({ match: `*/claude-${name}`, thinking: "budget" as const, sampling: true })),
  { match: "*/claude-*-4-6*", sampling: true },
  { match: "*/claude-fable*", leastEffort: "low", sampling: false },
  { match: "*/claude-mythos*", leastEffort: "low", sampling: false },
  { match: "*/claude-*", sampling: false },
  { match: "*/gpt-3*", thinking: "none" },
  { match: "*/gpt-4*", thinking: "none" },
  { match: "*/chatgpt-*", thinking: "none" },
  { match: "*chat-latest*", thinking: "none" },
  { match: "*/gpt-5", leastEffort: "minimal" },
  { match: "*/gpt-5-*", leastEffort: "minimal" },
  { match: "*/o1*", leastEffort: "low" },
  { match: "*/o3*", leastEffort: "low" },
  { match: "*/o4*", leastEffort: "low" },
];

export function modelProfile(ref: ModelRef): ModelProfile {
  const name = formatModelRef(ref).toLowerCase();
  const billions = billionsIn(ref.model);
  const rows = MODEL_PROFILES.filter(
    ({ match, billionsMax }) =>
      matchesModel(match, name) &&
      (billionsMax === undefined || (billions !== undefined && billions <= billionsMax)),
  );
  return rows
    .toReversed()
    .reduce<ModelProfile>((known, { match: _m, billionsMax: _b, ...says }) => ({ ...known, ...says }), USUAL);
}

/** `qwen3:8b`, `Llama-3.2-1B-Instruct`, `gemma-2-2.6b`; undefined where the name does not say. */
function billionsIn(model: string): number | undefined {
  const said = /(?:^|[^a-z0-9.])(\d+(?:\.\d+)?)b(?![a-z0-9])/i.exec(model)?.[1];
  return said === undefined ? undefined : Number(said);
}

/** What an agent of the set `minimal` may use. */
export const MINIMAL_TOOLS: readonly string[] = [
  "files.file.read",
  "files.file.list",
  "files.file.search",
  "files.file.write",
  "files.file.edit",
  "memory.note.save",
  "memory.note.search",
  "schedule.job.create",
  "schedule.job.list",
  "web.page.fetch",
  "owner.question.ask",
];
