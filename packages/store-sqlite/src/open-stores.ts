import type { Clock, Ids, Log, Stores } from "@elwood/runtime/ports/ports";
import type { ChannelStores } from "@elwood/runtime/ports/channel-ports";
import type { ActionStore } from "@elwood/runtime/ports/action-ports";
import type { CostStore } from "@elwood/runtime/ports/governance";
import type { Jobs } from "@elwood/runtime/ports/jobs";
import type { ProgramJournal } from "@elwood/runtime/ports/program-journal";
import type { StatePaths } from "@elwood/platform/state-paths";
import { sha256, systemIds } from "@elwood/platform/system";
import { openDatabase } from "./database.ts";
import { KeptOfSessions } from "./kept-of-sessions.ts";
import { AnyRows } from "./kept-rows.ts";
import { fileBlobs } from "./file-blobs.ts";
import type { FileOperations } from "./file-operations.ts";
import { fileTranscripts, type FileTranscripts, type TranscriptChange } from "./file-transcripts.ts";
import { migrate } from "./migrations.ts";
import { checkpointWriter, receiptLog, type CheckpointWriter, type ReceiptLog } from "./receipt-log.ts";
import type { ForkStore } from "./fork-store.ts";
import type { Insight } from "./insight.ts";
import type { EraseStore } from "./sqlite-erase.ts";
import { sqliteActions } from "./sqlite-actions.ts";
import { sqliteCosts } from "./sqlite-costs.ts";
import { sqliteChannels } from "./sqlite-channels.ts";
import { hiddenRuns, type HiddenRuns } from "./hidden-runs.ts";
import { sqliteForks } from "./sqlite-forks.ts";
import { sqliteJobs } from "./sqlite-jobs.ts";
import { sqliteInsight, tenantsIn } from "./sqlite-insight.ts";
import { sqliteLedger, type SqliteLedger } from "./sqlite-ledger.ts";
import { sqliteNeverRecalled, type NeverRecalled } from "./sqlite-never-recalled.ts";
import { sqliteNoteCopies, type NoteCopies } from "./sqlite-note-copies.ts";
import { sqliteNoteOrigins, type NoteOrigins } from "./sqlite-note-origins.ts";
import { sqlitePrograms } from "./sqlite-programs.ts";
import { sqliteRuns } from "./sqlite-runs.ts";
import { sqliteSessions } from "./sqlite-sessions.ts";
import { sqliteTokens } from "./sqlite-tokens.ts";
import { RecentJournals } from "./recent-journals.ts";
import { SpentSince } from "./spent-since.ts";
import { sqliteEraseStore } from "./sqlite-erase.ts";

export interface OpenedStores extends Stores, ChannelStores {
  readonly transcripts: FileTranscripts;
  readonly ledger: SqliteLedger;
  readonly programs: ProgramJournal;
  readonly forks: ForkStore;
  readonly jobs: Jobs;
  readonly actions: ActionStore;
  readonly costs: CostStore;
  /** Those that have anything. */
  tenants(): readonly string[];
  /** Loaded when something is to be forgotten; `pending` says whether a crash left something half forgotten. */
  readonly forgetting: { pending(tenant: string): boolean; open(): Promise<EraseStore> };
  readonly insight: Insight;
  readonly noteOrigins: NoteOrigins;
  readonly noteCopies: NoteCopies;
  readonly neverRecalled: NeverRecalled;
  readonly hiddenRuns: HiddenRuns;
  readonly receiptLog: ReceiptLog;
  readonly checkpoints: CheckpointWriter;
  /** Writes share a sync with others while this says that there are others; see `Database.grouped`. */
  shareSyncsWhile(others: () => boolean): void;
  /** Nobody has talked for a while: what is kept in memory of the database is given back, and read again when it is asked for. */
  rest(): void;
  /** Waits for writes that have begun, then closes the database. Asking twice is fine. */
  close(): Promise<void>;
}

/** All stores over one state directory, made where it is missing. Fails with words, and then has changed nothing. */
export async function openStores(deps: {
  paths: Pick<StatePaths, "database" | "backups" | "sessions" | "blobs">;
  clock: Clock;
  log: Log;
  /** Ids of receipts; made of the clock and chance unless told. */
  ids?: Ids;
  files?: FileOperations;
  /** Told of every change of a conversation's file. */
  onTranscript?: (change: TranscriptChange) => void;
}): Promise<OpenedStores> {
  const { paths } = deps;
  const db = openDatabase(paths.database);
  try {
    migrate(db, paths.backups, deps);
  } catch (error) {
    db.close();
    throw error;
  }
  const { onTranscript } = deps;
  const transcripts = fileTranscripts(paths.sessions, {
    ...deps,
    ...(onTranscript ? { onChange: onTranscript } : {}),
  });
  const spent = new SpentSince();
  const journals = new RecentJournals();
  const kept = new KeptOfSessions(db);
  const forgetsBegun = new AnyRows(db, "SELECT 1 FROM forgets WHERE tenant = ? LIMIT 1");
  const ledger = sqliteLedger(db, { clock: deps.clock, ids: deps.ids ?? systemIds(deps.clock) });
  const forgetRead = () => {
    journals.clear();
    kept.clear();
    ledger.forgetRead();
  };
  return {
    ...sqliteChannels(db),
    sessions: sqliteSessions(db, forgetRead, kept),
    runs: sqliteRuns(db, spent, journals, kept),
    ledger,
    programs: sqlitePrograms(db),
    forks: sqliteForks(db, forgetRead),
    jobs: sqliteJobs(db),
    actions: sqliteActions(db, spent),
    costs: sqliteCosts(db),
    tenants: () => tenantsIn(db),
    forgetting: {
      pending: (tenant) => forgetsBegun.of(tenant),
      open: async () => sqliteEraseStore(db, forgetRead, forgetsBegun),
    },
    insight: sqliteInsight(db),
    noteOrigins: sqliteNoteOrigins(db, sha256),
    noteCopies: sqliteNoteCopies(db),
    neverRecalled: sqliteNeverRecalled(db, sha256),
    hiddenRuns: hiddenRuns(db, kept.versions),
    receiptLog: receiptLog(db),
    checkpoints: checkpointWriter(db),
    transcripts,
    blobs: fileBlobs(db, paths.blobs, deps),
    tokens: sqliteTokens(db),
    shareSyncsWhile: (others) => db.groupWhile(others),
    rest() {
      forgetRead();
      db.releaseMemory();
    },
    async close() {
      await transcripts.settled();
      await db.settled();
      db.close();
    },
  };
}
