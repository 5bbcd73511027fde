import { activityOf } from "@elwood/core/tool/activity";
import { fromCursor, toCursor, type Place } from "@elwood/core/base/cursor";
import type { SessionFile } from "@elwood/core/protocol/call-shapes";
import { showLine } from "@elwood/core/base/show";
import type { CallRow, Ledger, ToolSnapshot } from "@elwood/runtime/ports/gate-ports";
import type { Stores } from "@elwood/runtime/ports/ports";
import { sessionMessages } from "@elwood/runtime/run/transcript-view";
import { canUndo } from "./call-view.ts";
import type { Insight } from "@elwood/store-sqlite/insight";
import { readReceipts } from "./read-receipts.ts";

export interface SessionFilesDeps {
  readonly stores: Stores;
  readonly ledger: Pick<Ledger, "callsOfRun" | "receipts">;
  readonly insight: Pick<Insight, "fileCalls">;
  readonly toolSnapshot: () => ToolSnapshot;
}

interface Found extends Place {
  readonly runId: string;
  /** Whole already, where it came with a message. */
  readonly file?: SessionFile;
}

/** What came in and went out in a conversation, newest first, from messages, rows of calls and receipts. */
export async function sessionFiles(
  deps: SessionFilesDeps,
  tenant: string,
  sessionId: string,
  page: { readonly limit: number; readonly before?: string },
): Promise<{ files: SessionFile[]; next?: string }> {
  const { limit } = page;
  const before = page.before === undefined ? NEWEST : fromCursor(page.before);
  const calls = await deps.insight.fileCalls(tenant, sessionId, { before, limit: limit + 1 });
  const attached = await attachments(deps.stores, tenant, sessionId);
  const all: readonly Found[] = [...calls, ...attached.filter((each) => isBefore(each, before))];
  const found = all.toSorted((a, b) => (isBefore(a, b) ? 1 : -1));
  const shown = found.slice(0, limit);
  const done = new Map<string, SessionFile>();
  for (const runId of new Set(shown.flatMap((each) => (each.file ? [] : [each.runId]))))
    for (const [callId, file] of await filesOfRun(deps, tenant, runId)) done.set(callId, file);
  const last = shown.at(-1);
  return {
    files: shown.flatMap(({ id, file = done.get(id) }) => (file ? [file] : [])),
    ...(found.length > limit && last ? { next: toCursor(last) } : {}),
  };
}

const NEWEST: Place = { at: Number.MAX_SAFE_INTEGER, id: "" };

function isBefore(a: Place, b: Place): boolean {
  return a.at < b.at || (a.at === b.at && a.id < b.id);
}

async function attachments(stores: Stores, tenant: string, sessionId: string): Promise<Found[]> {
  const { messages } = await sessionMessages(stores, tenant, sessionId);
  return messages.flatMap(({ runId, message: { id, role, ts: at, blocks } }) =>
    role !== "user"
      ? []
      : blocks.flatMap((block, i) => {
          if (block.type !== "image" && block.type !== "file") return [];
          const { mime, blobId } = block;
          const named = block.name === undefined ? {} : { name: showLine(block.name) };
          return [
            {
              id: `${id}-${i}`,
              at,
              runId,
              file: { at, runId, ...named, blobs: [{ mime, blobId, ...named }] },
            },
          ];
        }),
  );
}

/** Every call of the run as a file, by its id; which of them are about files was asked before. */
async function filesOfRun(
  { ledger, toolSnapshot }: SessionFilesDeps,
  tenant: string,
  runId: string,
): Promise<ReadonlyMap<string, SessionFile>> {
  const rows = await ledger.callsOfRun(tenant, runId);
  const activity = activityOf(await readReceipts(ledger, tenant, { runId }));
  const tools = toolSnapshot();
  return new Map(
    rows.flatMap((row) => {
      const known = activity.find(({ callId }) => callId === row.callId);
      if (!known) return [];
      const { callId, toolId, status, undone = false, receiptRef } = known;
      const tries = activity.filter(({ undoes }) => undoes === callId);
      const file: SessionFile = {
        at: row.createdAt,
        runId,
        ...(row.target === undefined ? {} : { name: showLine(row.target) }),
        blobs: undone ? blobsOf(row) : [...blobsOf(row), ...leftBy(row)],
        call: {
          callId,
          toolId: showLine(toolId),
          status,
          asks: row.state === "asked",
          undone,
          canUndo: canUndo(row, tries, tools),
          receiptId: receiptRef,
        },
      };
      return [[callId, file] as const];
    }),
  );
}

function blobsOf({ outcome }: CallRow): SessionFile["blobs"] {
  const images = (outcome?.images ?? []).map(({ mime, blobId }) => ({ mime, blobId }));
  const files = (outcome?.files ?? []).map(({ mime, blobId, name }) => ({
    mime,
    blobId,
    ...(name === undefined ? {} : { name: showLine(name) }),
  }));
  return [...images, ...files];
}

/** A file that the call wrote, changed or moved, by the call's id: it is shown as it is when somebody looks. */
function leftBy(row: CallRow): SessionFile["blobs"] {
  const path = pathLeftBy(row);
  if (path === undefined) return [];
  const name = row.toolId === MOVES ? path.split("/").at(-1)! : (row.target ?? path);
  return [{ mime: "", blobId: row.callId, name: showLine(name) }];
}

const MOVES = "files.file.move";

/** Where the call left a file; undefined where it did not. */
export function pathLeftBy({ toolId, state, executedInput }: CallRow): string | undefined {
  if (state !== "succeeded" || typeof executedInput !== "object" || executedInput === null) return undefined;
  const left: Readonly<Record<string, unknown>> = { ...executedInput };
  if (toolId === MOVES) return textOrNothing(left["to"]);
  return toolId === "files.file.write" || toolId === "files.file.edit"
    ? textOrNothing(left["path"])
    : undefined;
}

function textOrNothing(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
