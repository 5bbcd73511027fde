import type { Engine } from "@elwood/runtime/run/engine";
import type { Ledger } from "@elwood/runtime/gate/ports";
import type { Clock, Ids, Log, RunStore, SessionStore } from "@elwood/runtime/ports/ports";
import type { MemoryIndex } from "../index/memory-index.ts";
import type { Notes } from "../notes/notes.ts";
import type { FileTranscripts } from "@elwood/store-sqlite/file-transcripts";
import type { NoteOrigins } from "@elwood/store-sqlite/sqlite-note-origins";
import type { EraseStore } from "@elwood/store-sqlite/sqlite-erase";
import type { ConversationProvenance } from "@elwood/runtime/gate/conversation-provenance";

/** Everything that may contain what is to be erased. */
export interface EraseDeps {
  /** The state directory. */
  readonly home: string;
  readonly open: () => Promise<EraseStore>;
  /** Whether something was begun and not finished. */
  readonly pending: (tenant: string) => boolean;
  readonly notes: Notes;
  readonly origins: Pick<NoteOrigins, "forget">;
  readonly sessions: Pick<SessionStore, "get">;
  readonly runs: Pick<RunStore, "get">;
  readonly transcripts: FileTranscripts;
  readonly ledger: Pick<Ledger, "write" | "receipts">;
  readonly index: () => Promise<
    Pick<MemoryIndex, "refresh" | "truncateLog" | "rebuild" | "settled"> | undefined
  >;
  readonly engine: Pick<Engine, "clearCache" | "announce">;
  readonly conversations: () => Pick<ConversationProvenance, "clearCache">;
  /** Removes matching lines from the in-memory log. */
  readonly forgetLog: (matches: (text: string) => boolean) => void;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}
