import { fail } from "@elwood/core/base/failure";
import type { LocalTime } from "@elwood/core/base/local-time";
import { isActive } from "@elwood/core/memory/facts";
import type { MemoryTurn } from "@elwood/core/memory/turn";
import type {
  WireFact,
  WireMemoryHit,
  WireMemoryStatus,
  WireNote,
  WireNoteSummary,
  WireTurn,
} from "@elwood/core/protocol/memory-shapes";
import type { MethodResult } from "@elwood/core/protocol/results";
import { cutLine, plainLine } from "@elwood/core/message/session-text";
import { recordedRecall } from "@elwood/runtime/gate/run-record";
import type { Ledger } from "@elwood/runtime/ports/gate-ports";
import type { Clock } from "@elwood/runtime/ports/ports";
import { sha256 } from "@elwood/platform/system";
import type { NeverRecalled } from "@elwood/store-sqlite/sqlite-never-recalled";
import { factsElsewhere } from "./index/fact-table.ts";
import { sessionOf } from "./index/list-sources.ts";
import { shownTurn } from "./notes/lookup.ts";
import type { MemoryIndex } from "./memory-index.ts";
import { OWNER_WRITES } from "./notes/note-service.ts";
import { factsByTrust } from "./notes/note-facts.ts";
import type { MemoryParts } from "./recall/memory-system.ts";

export interface MemoryServiceDeps {
  readonly tenant: string;
  readonly parts: () => Promise<MemoryParts>;
  readonly index: () => Promise<MemoryIndex | undefined>;
  readonly never: NeverRecalled;
  readonly ledger: Pick<Ledger, "receipts" | "body">;
  readonly clock: Clock;
  readonly localTime: LocalTime;
  /** How much waits to be forgotten. */
  readonly waiting: () => Promise<number>;
}

const PREVIEW_CHARS = 120;
const SEARCH_TOKENS_MAX = 6_000;
const TURNS_SHOWN = 40;

/** What the owner may do with memory, from any client. Erasing is in EraseService. */
export class MemoryService {
  readonly #deps: MemoryServiceDeps;

  constructor(deps: MemoryServiceDeps) {
    this.#deps = deps;
  }

  async list(): Promise<WireNoteSummary[]> {
    const { noteService, notes } = await this.#deps.parts();
    const { tenant } = this.#deps;
    const listed: WireNoteSummary[] = [];
    for (const info of await noteService.list(tenant)) {
      const text = (await notes.get(tenant, info.key))?.text ?? "";
      listed.push({ ...info, preview: cutLine(plainLine(text.slice(0, PREVIEW_CHARS * 4)), PREVIEW_CHARS) });
    }
    return listed;
  }

  async search(asked: {
    readonly query: string;
    readonly limit?: number | undefined;
    readonly since?: number | undefined;
    readonly until?: number | undefined;
    readonly sessionKey?: string | undefined;
  }): Promise<MethodResult<"memory.search">> {
    const index = await this.#index();
    const { clock, localTime } = this.#deps;
    const found = await index.search({
      text: asked.query,
      limit: asked.limit ?? 20,
      tokensMax: SEARCH_TOKENS_MAX,
      ...(asked.since === undefined ? {} : { since: asked.since }),
      ...(asked.until === undefined ? {} : { until: asked.until }),
      ...(asked.sessionKey === undefined ? {} : { session: asked.sessionKey }),
      now: clock.now(),
      timeZone: localTime.timeZone,
    });
    const { lookUp } = await this.#deps.parts();
    const hits: WireMemoryHit[] = [];
    for (const { turn, score, parts, before, after } of found) {
      const { origin, remark } = await shownTurn(lookUp, turn);
      hits.push({
        ...toWireTurn(turn),
        origin,
        score,
        parts: { ...parts },
        before: before.map(toWireTurn),
        after: after.map(toWireTurn),
        ...(remark === undefined ? {} : { remark }),
      });
    }
    const { notice } = index;
    return { hits, ...(notice === undefined ? {} : { notice }) };
  }

  async show(asked: {
    readonly key?: string | undefined;
    readonly source?: string | undefined;
    readonly from?: number | undefined;
    readonly to?: number | undefined;
  }): Promise<MethodResult<"memory.show">> {
    const key = asked.key ?? /^memory\/[^/]+\/([^/]+)\.md$/.exec(asked.source ?? "")?.[1];
    if (key !== undefined) return { note: await this.note(key) };
    if (asked.source === undefined) return fail("INVALID_INPUT", "Name a note, or a source and its lines.");
    const from = asked.from ?? 1;
    const turns = await (await this.#index()).get(asked.source, from, asked.to ?? from + TURNS_SHOWN - 1);
    if (turns.length === 0) fail("NOT_FOUND", `Nothing is known of ${asked.source} there.`);
    return { turns: turns.map(toWireTurn) };
  }

  async note(key: string): Promise<WireNote> {
    const { tenant } = this.#deps;
    const { noteService } = await this.#deps.parts();
    const note = await noteService.get(tenant, key);
    if (!note) return fail("NOT_FOUND", `There is no note ${key}.`);
    const { source, text, bytes, modifiedAt, lines } = note;
    return {
      key: note.key,
      source,
      text,
      sha256: sha256(text),
      bytes,
      modifiedAt,
      lines: [...lines],
      facts: await this.#facts(source, text),
    };
  }

  /** In the owner's name: it takes a token that may decide for them. */
  async save(
    key: string,
    content: string,
    expected: string | null | undefined,
  ): Promise<MethodResult<"memory.save">> {
    const { tenant } = this.#deps;
    if (content.trim() === "")
      fail("INVALID_INPUT", "A note without words is none. Nothing was saved; forget the note to remove it.");
    const { noteService } = await this.#deps.parts();
    const saved = await noteService.save(tenant, key, content, "replace", {
      ...OWNER_WRITES,
      async keep(before) {
        const now = before === null ? null : sha256(before);
        if (expected === undefined || expected === now) return;
        const what =
          now === null ? "is gone by now" : expected === null ? "exists already" : "was changed meanwhile";
        fail("CONFLICT", `The note ${key} ${what}. Nothing was saved; look at it again first.`);
      },
    });
    return {
      note: await this.note(saved.key),
      created: saved.before === null,
      changed: saved.before !== saved.after,
      redacted: saved.redacted,
    };
  }

  async never(source: string, line: number, never: boolean): Promise<void> {
    const { tenant, clock } = this.#deps;
    const turns = await (await this.#index()).get(source, line, line);
    if (turns.length === 0)
      fail("NOT_FOUND", `Nothing is known of ${source}, line ${line}. Nothing was changed.`);
    for (const { text } of turns) this.#deps.never.set(tenant, text, never, clock.now());
  }

  async recalled(runId: string): Promise<MethodResult<"memory.recalled">> {
    const { tenant, ledger, never } = this.#deps;
    const known = await recordedRecall(ledger, tenant, runId);
    if (!known) return { items: [] };
    const index = await this.#deps.index();
    const items: MethodResult<"memory.recalled">["items"] = [];
    for (const item of known.items) {
      const there = (await index?.get(item.source, item.line, item.line)) ?? [];
      const text = there.map((turn) => turn.text).join("\n");
      const sessionKey = sessionOf(item.source);
      items.push({
        ...item,
        ...(text === "" ? {} : { text }),
        ...(sessionKey === undefined ? {} : { sessionKey }),
        never: there.some((turn) => never.has(tenant, turn.text)),
      });
    }
    return { items, told: known.text };
  }

  async status(): Promise<WireMemoryStatus> {
    const { tenant, waiting } = this.#deps;
    const { noteService } = await this.#deps.parts();
    const notes = (await noteService.list(tenant)).length;
    const forgetting = await waiting();
    const index = await this.#deps.index();
    if (!index)
      return {
        enabled: false,
        notes,
        turns: 0,
        conversations: 0,
        skipped: 0,
        bytes: 0,
        behind: 0,
        rebuilding: false,
        forgetting,
      };
    const { vectors, notes: _, ...counts } = index.status();
    if (!vectors) return { enabled: true, notes, forgetting, ...counts };
    const { lastFailure: __, ...shown } = { lastFailure: undefined, ...vectors };
    return { enabled: true, notes, forgetting, ...counts, vectors: shown };
  }

  async rebuild(): Promise<WireMemoryStatus> {
    await (await this.#index()).rebuild();
    return this.status();
  }

  async #facts(source: string, text: string): Promise<WireFact[]> {
    const { tenant, clock } = this.#deps;
    const { noteService } = await this.#deps.parts();
    const at = clock.now();
    const index = await this.#deps.index();
    const all = factsByTrust(text, (line) => noteService.originOf(tenant, line)).map(({ fact }) => fact);
    return all.map((fact): WireFact => {
      const { line, subject, validFrom, validTo, supersededBy, confidence } = fact;
      const holds = isActive(fact, at);
      const here = all.filter(
        (other) =>
          other !== fact &&
          subject !== undefined &&
          other.subject === subject &&
          isActive(other, at) &&
          other.text !== fact.text,
      );
      const elsewhere = index?.read((_db, kept) => factsElsewhere(kept, source, line, at)) ?? [];
      const against = holds
        ? [
            ...here.map((other) => ({ source, line: other.line, text: other.text })),
            ...elsewhere
              .filter((other) => other.text !== fact.text)
              .map((other) => ({ source: other.source, line: other.line, text: other.text })),
          ]
        : [];
      return {
        line,
        ...(subject === undefined ? {} : { subject }),
        text: fact.text,
        ...(validFrom === undefined ? {} : { validFrom }),
        ...(validTo === undefined ? {} : { validTo }),
        holds,
        ...(supersededBy === undefined ? {} : { supersededBy }),
        ...(confidence < 1 ? { unsure: true } : {}),
        ...(against.length > 0 ? { against } : {}),
      };
    });
  }

  async #index(): Promise<MemoryIndex> {
    const index = await this.#deps.index();
    return (
      index ??
      fail("STORAGE", "Memory is turned off, or its index cannot be opened; elwood doctor says more.")
    );
  }
}

function toWireTurn({ source, line, ts, role, speaker, origin, text, session, run }: MemoryTurn): WireTurn {
  return {
    source,
    line,
    ts,
    role,
    speaker,
    origin,
    text,
    ...(session === undefined ? {} : { sessionKey: session }),
    ...(run === undefined ? {} : { runId: run }),
  };
}
