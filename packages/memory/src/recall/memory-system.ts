import type { DatabaseSync } from "node:sqlite";
import { LIMITS } from "@elwood/core/base/limits";
import type { LocalTime } from "@elwood/core/base/local-time";
import type { MemoryHit, MemoryTurn } from "@elwood/core/memory/turn";
import type { Redactor } from "@elwood/core/base/redact";
import type { Clock, Recall, RecallAbout } from "@elwood/runtime/ports/ports";
import type { ToolDefinition } from "@elwood/sdk/tool";
import { sha256 } from "@elwood/platform/system";
import type { NoteCopies } from "@elwood/store-sqlite/sqlite-note-copies";
import type { NoteOrigins } from "@elwood/store-sqlite/sqlite-note-origins";
import type { ConversationProvenance } from "@elwood/runtime/gate/conversation-provenance";
import type { HiddenRuns } from "@elwood/store-sqlite/hidden-runs";
import type { NeverRecalled } from "@elwood/store-sqlite/sqlite-never-recalled";
import {
  makeNoteEraser,
  type NoteEraser,
  type NoteEraserDeps,
  type WordEraser,
} from "../notes/note-eraser.ts";
import type { MemoryReader } from "../notes/lookup.ts";
import type { MemoryIndex } from "../memory-index.ts";
import { memoryActions, type MemoryActions, type MemoryActionsDeps } from "../notes/memory-actions.ts";
import { memoryTools } from "../notes/memory-tools.ts";
import { makeNoteService, type NoteService } from "../notes/note-service.ts";
import { fileNotes, type Notes } from "../notes/notes.ts";
import { factsElsewhere } from "../index/fact-table.ts";
import { isWorthSearching, recallFor } from "./recall-memory.ts";

export interface MemorySystemDeps {
  readonly tenant: string;
  /** `recall.tokens`: how much of memory may be put before a run unasked; 0 for nothing. */
  readonly settings: { readonly enabled: boolean; readonly recall: { readonly tokens: number } };
  /** `memory/` in the state directory. */
  readonly folder: string;
  readonly origins: NoteOrigins;
  readonly copies: NoteCopies;
  readonly never: Pick<NeverRecalled, "has" | "isEmpty">;
  /** Versions of answers that are not shown: they are found by whoever searches, and never recalled by themselves. */
  readonly hidden: HiddenRuns;
  /** What the tool removes leaves traces in the conversation it is called in; see Forgetting. */
  readonly traces?: NoteEraserDeps["traces"];
  readonly words: WordEraser;
  readonly redact: Redactor;
  readonly clock: Clock;
  readonly localTime: LocalTime;
  /** undefined where there is none: then notes are files, and nothing is found or recalled. */
  readonly index: () => Promise<
    Pick<MemoryIndex, "search" | "get" | "refresh" | "read" | "start" | "isCold"> | undefined
  >;
  /** They are made of the tools, and so after them. */
  readonly conversations: () => Pick<ConversationProvenance, "of" | "hasUntrustedInput">;
}

export interface MemorySystem {
  /** None where memory is turned off. */
  readonly tools: readonly ToolDefinition[];
  /** The part that the engine uses. */
  readonly engine: { readonly recall?: Recall };
  readonly parts: () => Promise<MemoryParts>;
  /** Nobody has talked for a while: what is kept of notes is given back, and read again by whoever asks next. */
  readonly rest: () => void;
}

export interface MemoryParts {
  readonly actions: MemoryActions;
  readonly notes: Notes;
  readonly noteService: NoteService;
  readonly forgetting: NoteEraser;
  readonly lookUp: MemoryActionsDeps;
}

/** The memory tools, and recall before each message. Only contracts are loaded at start; the rest on first use. */
export function buildMemorySystem(deps: MemorySystemDeps): MemorySystem {
  let made: Promise<MemoryParts> | undefined;
  const notes = fileNotes(deps.folder, () => deps.clock.now());
  let hadTurns = false;
  let asked: Pick<MemoryIndex, "isCold"> | undefined;
  const parts = () => (made ??= makeParts(deps, notes));
  const rest = () => notes.rest();
  const { enabled, recall } = deps.settings;
  if (!enabled) return { parts, rest, tools: [], engine: {} };
  return {
    parts,
    rest,
    tools: memoryTools(async () => (await parts()).actions),
    engine: recall.tokens === 0 ? {} : { recall: { before, patienceMs } },
  };

  /**
   * Whoever asks one thing with a command of its own is told what is known, too: that process has only the one question.
   * So is whoever comes back after a while to a large index, whose thread has left by then.
   */
  function patienceMs(): number {
    return asked && !asked.isCold ? LIMITS.recallMs : LIMITS.recallFirstMs;
  }

  async function before(tenant: string, about: RecallAbout, text: string, signal: AbortSignal) {
    if (tenant !== deps.tenant || !isWorthSearching(text)) return undefined;
    const index = await deps.index();
    if (index === undefined) return undefined;
    hadTurns ||= index.read(hasTurns);
    // An index that is new, or was lost, has nothing in it before all files were looked at.
    if (!hadTurns) await index.start();
    hadTurns ||= index.read(hasTurns);
    const found = hadTurns
      ? await recallFor((await parts()).lookUp, about, text, recall.tokens, signal)
      : undefined;
    asked = index;
    return found;
  }
}

/** Without turns there is nothing to search, so nothing is loaded. */
function hasTurns(db: DatabaseSync): boolean {
  return db.prepare("SELECT 1 FROM turns LIMIT 1").get() !== undefined;
}

async function makeParts(deps: MemorySystemDeps, notes: Notes): Promise<MemoryParts> {
  const { tenant, origins, copies, redact, clock, localTime, index, traces } = deps;
  const changed = async (source: string) => (await index())?.refresh(source);
  const noteService = makeNoteService({ notes, origins, redact, clock, changed });
  const forgetting = makeNoteEraser({ notes, origins, copies, changed, ...(traces ? { traces } : {}) });
  const isAllowed = ({ text, session, run }: MemoryTurn) =>
    !deps.never.has(tenant, text) &&
    (session === undefined || run === undefined || !deps.hidden.has(tenant, session, run));
  const reader: MemoryReader = {
    search: async (query) => {
      // Recall alone says whose words it wants; whoever searches finds everything.
      const isAll =
        query.origins === undefined || (deps.never.isEmpty(tenant) && deps.hidden.isEmpty(tenant));
      const asked = query.forRecall === true && isAll ? { ...query, onlyTold: true } : query;
      const hits = (await (await index())?.search(asked)) ?? [];
      return isAll ? hits : hits.flatMap((hit) => allowed(hit, isAllowed));
    },
    turns: async (source, from, to) => (await index())?.get(source, from, to) ?? [],
    elsewhere: async (source, line, at) => {
      return (await index())?.read((_db, kept) => factsElsewhere(kept, source, line, at)) ?? [];
    },
  };
  const conversations: MemoryActionsDeps["conversations"] = {
    of: (...args) => deps.conversations().of(...args),
    hasUntrustedInput: (...args) => deps.conversations().hasUntrustedInput(...args),
  };
  const lookUp: MemoryActionsDeps = {
    tenant,
    noteService,
    copies,
    forgetting,
    words: deps.words,
    reader,
    conversations,
    clock,
    localTime,
    sha256,
  };
  return { actions: memoryActions(lookUp), notes, noteService, forgetting, lookUp };
}

/** A hit without what the owner does not want recalled. */
function allowed(hit: MemoryHit, isAllowed: (turn: MemoryTurn) => boolean): MemoryHit[] {
  if (!isAllowed(hit.turn)) return [];
  return [{ ...hit, before: hit.before.filter(isAllowed), after: hit.after.filter(isAllowed) }];
}
