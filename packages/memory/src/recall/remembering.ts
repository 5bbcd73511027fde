import type { DatabaseSync } from "node:sqlite";
import { LIMITS } from "@elwood/core/base/limits";
import type { LocalTime } from "@elwood/core/base/local-time";
import type { MemoryHit, MemoryTurn } from "@elwood/core/memory/turn";
import type { Redactor } from "@elwood/core/base/redact";
import type { Clock } from "@elwood/runtime/ports/ports";
import type { Recall, RecallAbout } from "@elwood/runtime/run/recall";
import type { ToolDefinition } from "@elwood/sdk/tool";
import { sha256 } from "@elwood/platform/system";
import type { NoteCopies } from "@elwood/store-sqlite/sqlite-note-copies";
import type { NoteOrigins } from "@elwood/store-sqlite/sqlite-note-origins";
import type { Conversations } from "@elwood/runtime/gate/conversation-provenance";
import type { NeverRecalled } from "@elwood/store-sqlite/sqlite-never-recalled";
import type { Forgetting, ForgettingDeps } from "../notes/forget.ts";
import type { Looking } from "../search/look-up.ts";
import type { MemoryIndex } from "../index/memory-index.ts";
import type { MemoryActs, MemoryActsDeps } from "../notes/memory-acts.ts";
import { memoryTools } from "../notes/memory-tools.ts";
import type { NoteDesk } from "../notes/note-desk.ts";
import type { Notes } from "../notes/notes.ts";
import { factsElsewhere } from "../index/fact-table.ts";

export interface RememberingDeps {
  readonly tenant: string;
  /** `recall.tokens`: how much of memory may be put before a run unasked; 0 for nothing. */
  readonly settings: { readonly enabled: boolean; readonly recall: { readonly tokens: number } };
  /** `memory/` in the state directory. */
  readonly folder: string;
  readonly origins: NoteOrigins;
  readonly copies: NoteCopies;
  readonly never: Pick<NeverRecalled, "has" | "isEmpty">;
  /** What the tool removes leaves traces in the conversation it is called in; see Forgetting. */
  readonly traces?: ForgettingDeps["traces"];
  readonly redact: Redactor;
  readonly clock: Clock;
  readonly localTime: LocalTime;
  /** undefined where there is none: then notes are files, and nothing is found or recalled. */
  readonly index: () => Promise<
    Pick<MemoryIndex, "search" | "get" | "refresh" | "read" | "start"> | undefined
  >;
  /** They are made of the tools, and so after them. */
  readonly conversations: () => Pick<Conversations, "of" | "readOthers">;
}

export interface Remembering {
  /** None where memory is turned off. */
  readonly tools: readonly ToolDefinition[];
  /** What the engine is given of it. */
  readonly engine: { readonly recall?: Recall };
  readonly parts: () => Promise<MemoryParts>;
}

export interface MemoryParts {
  readonly acts: MemoryActs;
  readonly notes: Notes;
  readonly desk: NoteDesk;
  readonly forgetting: Forgetting;
  readonly lookUp: MemoryActsDeps;
}

/** What the gateway does with memory: tools, and recall before each message. Only contracts are here from the start; the rest comes with its first use. */
export function makeRemembering(deps: RememberingDeps): Remembering {
  let made: Promise<MemoryParts> | undefined;
  let looking: Promise<typeof import("./recall-memory.ts")> | undefined;
  let hadTurns = false;
  let asked = false;
  const parts = () => (made ??= makeParts(deps));
  const { enabled, recall } = deps.settings;
  if (!enabled) return { parts, tools: [], engine: {} };
  return {
    parts,
    tools: memoryTools(async () => (await parts()).acts),
    engine: recall.tokens === 0 ? {} : { recall: { before, patienceMs } },
  };

  /** Whoever asks one thing with a command of its own is told what is known, too: that process has only the one question. */
  function patienceMs(): number {
    return asked ? LIMITS.recallMs : LIMITS.recallFirstMs;
  }

  async function before(tenant: string, about: RecallAbout, text: string, signal: AbortSignal) {
    const { recallFor, saysSomething } = await (looking ??= import("./recall-memory.ts"));
    if (tenant !== deps.tenant || !saysSomething(text)) return undefined;
    const index = await deps.index();
    if (index === undefined) return undefined;
    hadTurns ||= index.read(hasTurns);
    // An index that is new, or was lost, has nothing in it before all files were looked at.
    if (!hadTurns) await index.start();
    hadTurns ||= index.read(hasTurns);
    const found = hadTurns
      ? await recallFor((await parts()).lookUp, about, text, recall.tokens, signal)
      : undefined;
    asked = true;
    return found;
  }
}

/** Where there is nothing yet, nothing is loaded to look for it. */
function hasTurns(db: DatabaseSync): boolean {
  return db.prepare("SELECT 1 FROM turns LIMIT 1").get() !== undefined;
}

async function makeParts(deps: RememberingDeps): Promise<MemoryParts> {
  const { tenant, folder, origins, copies, redact, clock, localTime, index, traces } = deps;
  const [{ memoryActs }, { noteDesk }, { makeForgetting }, { fileNotes }] = await Promise.all([
    import("../notes/memory-acts.ts"),
    import("../notes/note-desk.ts"),
    import("../notes/forget.ts"),
    import("../notes/notes.ts"),
  ]);
  const notes = fileNotes(folder);
  const changed = async (source: string) => (await index())?.refresh(source);
  const desk = noteDesk({ notes, origins, redact, clock, changed });
  const forgetting = makeForgetting({ notes, origins, copies, changed, ...(traces ? { traces } : {}) });
  const isAllowed = ({ text }: MemoryTurn) => !deps.never.has(tenant, text);
  const looking: Looking = {
    search: async (query) => {
      const hits = (await (await index())?.search(query)) ?? [];
      // Recall alone says whose words it wants; whoever searches finds everything.
      const isAll = query.origins === undefined || deps.never.isEmpty(tenant);
      return isAll ? hits : hits.flatMap((hit) => allowed(hit, isAllowed));
    },
    turns: async (source, from, to) => (await index())?.get(source, from, to) ?? [],
    elsewhere: async (source, line, at) => {
      return (await index())?.read((db) => factsElsewhere(db, source, line, at)) ?? [];
    },
  };
  const conversations: MemoryActsDeps["conversations"] = {
    of: (...args) => deps.conversations().of(...args),
    readOthers: (...args) => deps.conversations().readOthers(...args),
  };
  const lookUp: MemoryActsDeps = {
    tenant,
    desk,
    copies,
    forgetting,
    looking,
    conversations,
    clock,
    localTime,
    sha256,
  };
  return { acts: memoryActs(lookUp), notes, desk, forgetting, lookUp };
}

/** A hit without what the owner does not want recalled. */
function allowed(hit: MemoryHit, isAllowed: (turn: MemoryTurn) => boolean): MemoryHit[] {
  if (!isAllowed(hit.turn)) return [];
  return [{ ...hit, before: hit.before.filter(isAllowed), after: hit.after.filter(isAllowed) }];
}
