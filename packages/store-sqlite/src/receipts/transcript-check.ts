import { canonicalJson } from "@elwood/core/base/canonical-json";
import { isId } from "@elwood/core/base/ids";
import { isRecord } from "@elwood/core/base/is-record";
import { isForgotten } from "@elwood/core/erase/tombstone";
import type { ToolResultBlock, TranscriptLine } from "@elwood/core/message/message";
import { uncited } from "@elwood/core/message/reply-segments";
import { isReceipt } from "@elwood/core/receipts/read-receipt";
import type { StoredReceipt } from "@elwood/core/receipts/receipt";
import type { TranscriptStore } from "@elwood/runtime/ports/ports";
import { sha256 } from "@elwood/platform/system";

/** The files of all conversations, for whoever only reads them. */
export type Conversations = Pick<TranscriptStore, "load"> & {
  list(tenant: string): Promise<readonly string[]>;
};

/**
 * Holds what conversations tell of calls and replies against the receipts. The files are read
 * before the receipts: whatever they tell was recorded first. What was forgotten, and what no
 * receipt speaks of, such as the owner's own words, is not judged.
 */
export class TranscriptCheck {
  /** By call: how the conversations say it ended. */
  readonly #results = new Map<string, ToldResult[]>();
  /** What was recorded of those calls, by type. */
  readonly #recorded = new Map<string, Set<string>>();
  /** By run and conversation: the messages of the assistant's side. */
  readonly #replies = new Map<string, Map<string, ToldReply>>();
  /** Runs whose reply is told with the place of the log, so that it must be on record. */
  readonly #proven = new Map<string, string>();
  readonly #replyCommits = new Map<string, string>();
  readonly #replied = new Set<string>();
  #wrong: string | undefined;

  async read(conversations: Conversations, tenant: string): Promise<void> {
    for (const sessionId of await conversations.list(tenant)) {
      if (!isId("session", sessionId)) continue;
      const { lines } = await conversations.load(tenant, sessionId);
      for (const line of lines) this.#addLine(sessionId, line);
    }
  }

  #addLine(sessionId: string, line: TranscriptLine): void {
    for (const block of line.blocks) if (block.type === "tool_result") this.#addResult(sessionId, block);
    if (line.role !== "assistant") return;
    const replies = this.#replies.get(line.run) ?? new Map<string, ToldReply>();
    const told: ToldReply = replies.get(sessionId) ?? { messages: new Map(), whole: false };
    told.messages.set(line.id, isForgotten(line) ? undefined : digests(line));
    told.whole ||= line.i === line.n - 1;
    this.#replies.set(line.run, replies.set(sessionId, told));
    if (line.meta?.log !== undefined) this.#proven.set(line.run, sessionId);
  }

  #addResult(sessionId: string, { callId, status, ended }: ToolResultBlock): void {
    const told = { sessionId, status, ...(ended === undefined ? {} : { ended }) };
    this.#results.set(callId, [...(this.#results.get(callId) ?? []), told]);
    this.#recorded.set(callId, new Set());
  }

  add(receipt: StoredReceipt): void {
    const { type, callId, runId } = receipt;
    if (callId !== undefined && type.startsWith(CALL_PREFIX))
      this.#recorded.get(callId)?.add(type.slice(CALL_PREFIX.length));
    if (!isReceipt(receipt, "reply.grounded")) return;
    this.#replied.add(runId);
    this.#replyCommits.set(receipt.payload.replyCommit, runId);
  }

  /** A content behind a commitment: what a run said in the end is among them. */
  addBody(commit: string, value: unknown): void {
    const runId = this.#replyCommits.get(commit);
    if (runId === undefined || this.#wrong !== undefined) return;
    const recorded = lastMessages(value);
    for (const [sessionId, told] of this.#replies.get(runId) ?? [])
      if (!recorded.every((message) => isTold(told, message)))
        this.#wrong = `the conversation ${sessionId} has another reply of the run ${runId} than the one that was recorded`;
  }

  /** What does not agree, in words; undefined where everything does. */
  problem(): string | undefined {
    if (this.#wrong !== undefined) return this.#wrong;
    for (const [callId, told] of this.#results) {
      const recorded = this.#recorded.get(callId) ?? new Set();
      const wrong = told.find((each) => !isBorneOut(each, recorded));
      if (wrong === undefined) continue;
      const how = wrong.ended ?? (wrong.status === "ok" ? "succeeded" : "failed");
      return `the conversation ${wrong.sessionId} says that the call ${callId} ended as ${how}, and no receipt says so`;
    }
    for (const [runId, sessionId] of this.#proven)
      if (!this.#replied.has(runId))
        return `the conversation ${sessionId} has a reply of the run ${runId} that no receipt tells of`;
    return undefined;
  }
}

const CALL_PREFIX = "tool.call.";

type ToldResult = Pick<ToolResultBlock, "status" | "ended"> & { readonly sessionId: string };

interface ToldReply {
  /** By id; undefined where its words were forgotten. */
  readonly messages: Map<string, Digests | undefined>;
  /** The last message of the run is among them. */
  whole: boolean;
}

interface Digests {
  readonly blocks: string;
  readonly segments: string;
  /** As a copied conversation has them. */
  readonly uncitedSegments: string;
}

/** A call that was never made ends as an error, and may have no receipt; what was done has one, and so has what stopped it. */
function isBorneOut({ status, ended }: ToldResult, recorded: ReadonlySet<string>): boolean {
  if (status === "ok" && ended === undefined) return recorded.has("succeeded") || recorded.has("settled");
  if (ended === undefined) return !recorded.has("succeeded") || recorded.has("failed");
  const stopped = ended === "denied" || ended === "expired" || ended === "refused";
  return !stopped || recorded.has(ended) || !recorded.has("started");
}

function isTold({ messages, whole }: ToldReply, said: Said): boolean {
  const told = messages.get(said.id);
  if (told === undefined) return messages.has(said.id) || !whole;
  const { blocks, segments, uncitedSegments } = digests(said);
  return told.blocks === blocks && (told.segments === segments || told.segments === uncitedSegments);
}

type Said = Pick<TranscriptLine, "id" | "blocks" | "meta">;

/** Hashes, since conversations are long. */
function digests({ blocks, meta }: Said): Digests {
  const { segments } = meta ?? {};
  return {
    blocks: digest(blocks),
    segments: digest(segments),
    uncitedSegments: digest(uncited({ meta }) ?? segments),
  };
}

/** Half a character, or what is nested too deep, has no canonical form; nothing that was recorded as a message equals it. */
function digest(value: unknown): string {
  try {
    return sha256(canonicalJson(value ?? null));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return sha256(`not canonical: ${JSON.stringify(value)}`);
  }
}

/** The messages that ended a run, as its reply was recorded. */
function lastMessages(ending: unknown): Said[] {
  const words = isRecord(ending) ? ending["words"] : undefined;
  const last = isRecord(words) ? words["last"] : undefined;
  if (!Array.isArray(last)) return [];
  // Its commitment vouches that this is what the gateway wrote.
  return last as Said[];
}
