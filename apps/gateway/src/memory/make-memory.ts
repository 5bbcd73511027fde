import type { LocalTime } from "@elwood/core/local-time";
import type { Redactor } from "@elwood/core/redact";
import type { Clock } from "@elwood/runtime/ports";
import type { Recall } from "@elwood/runtime/recall";
import type { ToolDefinition } from "@elwood/sdk/tool";
import { sha256 } from "../state/system.ts";
import type { NoteCopies } from "../store/sqlite-note-copies.ts";
import type { NoteOrigins } from "../store/sqlite-note-origins.ts";
import type { Conversations } from "../tools/spoken.ts";
import type { Forgetting } from "./forget.ts";
import type { Looking } from "./look-up.ts";
import type { MemoryActs, MemoryActsDeps } from "./memory-acts.ts";
import { memoryTools } from "./memory-tools.ts";
import type { NoteDesk } from "./note-desk.ts";

/** The index, as far as notes and looking up need it. */
export interface IndexDoor extends Looking {
  /** Whether there is anything in it; asked before every message, so it must cost nothing. */
  isEmpty(): boolean;
  /** A file has changed or is gone. */
  refresh(source: string): Promise<void>;
}

export interface MemoryDeps {
  readonly tenant: string;
  /** `memory/` in the state directory. */
  readonly folder: string;
  readonly origins: NoteOrigins;
  readonly copies: NoteCopies;
  readonly redact: Redactor;
  readonly clock: Clock;
  readonly localTime: LocalTime;
  readonly index: () => IndexDoor;
  /** They are made of the tools, and so after them. */
  readonly conversations: () => Pick<Conversations, "of" | "readOthers">;
  /** How many tokens of memory may be put before a run unasked; 0 for none. */
  readonly recallTokens: number;
}

export interface Memory {
  readonly tools: readonly ToolDefinition[];
  readonly recall?: Recall;
  readonly parts: () => Promise<MemoryParts>;
}

export interface MemoryParts {
  readonly acts: MemoryActs;
  readonly desk: NoteDesk;
  readonly forgetting: Forgetting;
  readonly lookUp: MemoryActsDeps;
}

/** Memory as the gateway offers it. Only contracts are here from the start; the rest comes with its first use. */
export function makeMemory(deps: MemoryDeps): Memory {
  let made: Promise<MemoryParts> | undefined;
  const parts = () => (made ??= makeParts(deps));
  const { recallTokens } = deps;
  return {
    parts,
    tools: memoryTools(async () => (await parts()).acts),
    ...(recallTokens > 0 && {
      recall: {
        async before(tenant, about, text, signal) {
          if (tenant !== deps.tenant || deps.index().isEmpty()) return undefined;
          const { recallFor } = await import("./recall-memory.ts");
          return recallFor((await parts()).lookUp, about, text, recallTokens, signal);
        },
      },
    }),
  };
}

async function makeParts(deps: MemoryDeps): Promise<MemoryParts> {
  const { tenant, folder, origins, copies, redact, clock, localTime, index } = deps;
  const [{ memoryActs }, { noteDesk }, { makeForgetting }, { fileNotes }] = await Promise.all([
    import("./memory-acts.ts"),
    import("./note-desk.ts"),
    import("./forget.ts"),
    import("./notes.ts"),
  ]);
  const notes = fileNotes(folder);
  const changed = (source: string) => index().refresh(source);
  const desk = noteDesk({ notes, origins, redact, clock, changed });
  const forgetting = makeForgetting({ notes, origins, copies, changed });
  const looking: Looking = {
    search: (query) => index().search(query),
    turns: (source, from, to) => index().turns(source, from, to),
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
  return { acts: memoryActs(lookUp), desk, forgetting, lookUp };
}
