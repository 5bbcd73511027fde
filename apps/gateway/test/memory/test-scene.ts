import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalTime } from "@elwood/core/base/local-time";
import type { MemoryHit, MemoryQuery, MemoryTurn } from "@elwood/core/memory/turn";
import { makeRedactor } from "@elwood/core/base/redact";
import type { RegisteredTool } from "@elwood/runtime/ports/gate-ports";
import type { Clock, Log } from "@elwood/runtime/ports/ports";
import { statePaths } from "@elwood/platform/state-paths";
import { sha256 } from "@elwood/platform/system";
import { openStores } from "@elwood/store-sqlite/open-stores";
import { registerTool } from "../../src/tools/register-tool.ts";
import { makeNoteEraser, type WordMentions } from "@elwood/memory/notes/note-eraser";
import { memoryActions } from "@elwood/memory/notes/memory-actions";
import { memoryTools } from "@elwood/memory/notes/memory-tools";
import { makeNoteService } from "@elwood/memory/notes/note-service";
import { fileNotes } from "@elwood/memory/notes/notes";

export const T = "default";
export const SECRET = "sk-ant-abcdefghijklmnopqrstuvwxyz";

const NOW = Date.parse("2026-11-15T10:00:00Z");
/** It stands still. */
const clock: Clock = { now: () => NOW, sleep: () => new Promise(() => undefined) };
const quiet = () => undefined;
const log: Log = { error: quiet, warn: quiet, info: quiet, debug: quiet };

const NO_MENTIONS: WordMentions = {
  noteLines: 0,
  notes: 0,
  messages: 0,
  conversations: 0,
  calls: 0,
  texts: [],
};

/** The tools of memory over a real folder and database; the index is a list of turns that the test fills. */
export async function memoryScene() {
  const home = mkdtempSync(join(tmpdir(), "elwood-memory-"));
  const paths = statePaths(home);
  const stores = await openStores({ paths, clock, log });
  const notes = fileNotes(paths.memory);
  const refreshed: string[] = [];
  const changed = async (source: string) => void refreshed.push(source);
  const redact = makeRedactor([]);
  const { noteOrigins: origins, noteCopies: copies } = stores;
  const noteService = makeNoteService({ notes, origins, redact, clock, changed });
  const forgetting = makeNoteEraser({ notes, origins, copies, changed });
  const turns: MemoryTurn[] = [];
  const queries: MemoryQuery[] = [];
  /** What was said and read in the conversation that calls. */
  const talk = {
    said: [] as string[],
    others: new Set<string>(),
    mentions: new Map<string, WordMentions>(),
    /** Words whose erasure was begun. */
    erased: [] as string[],
  };
  const deps = {
    tenant: T,
    noteService,
    copies,
    forgetting,
    words: {
      find: async (_tenant: string, word: string) => talk.mentions.get(word) ?? NO_MENTIONS,
      begin: async (_tenant: string, word: string) => void talk.erased.push(word),
    },
    clock,
    sha256,
    localTime: new LocalTime("UTC"),
    reader: {
      async search(query: MemoryQuery): Promise<MemoryHit[]> {
        queries.push(query);
        return turns.map((turn, id) => ({
          turn: { ...turn, id },
          score: 10 - id,
          parts: {},
          before: [],
          after: [],
        }));
      },
      turns: async (source: string, from: number, to: number) =>
        turns.filter((turn) => turn.source === source && turn.line >= from && turn.line <= to),
      elsewhere: async () => [],
    },
    conversations: {
      of: async () => ({ typed: talk.said, wholeText: talk.said, seen: [], denials: [], afterDenial: [] }),
      hasUntrustedInput: async (_tenant: string, { id }: { id: string }) => talk.others.has(id),
    },
  };
  const actions = memoryActions(deps);
  const tools = new Map<string, RegisteredTool>();
  for (const definition of memoryTools(async () => actions)) {
    const registered = registerTool(definition, "built-in", { sha256 });
    if (!registered.ok) throw new Error(registered.error);
    tools.set(definition.id, registered.value);
  }
  let calls = 0;
  const toolOf = (name: string) => tools.get(`memory.note.${name}`)!;
  const context = (run: string) => ({
    callId: `call_${++calls}`,
    idempotencyKey: `elwood-call_${calls}`,
    signal: new AbortController().signal,
    progress: () => {},
    sessionId: "ses_1",
    runId: run,
  });
  return {
    ...deps,
    home,
    paths,
    stores,
    notes,
    origins,
    refreshed,
    turns,
    queries,
    talk,
    tools,
    toolOf,
    context,
    /** Through schema and handler, as the gate would. */
    async run(name: string, input: unknown, run = "run_1") {
      const tool = toolOf(name);
      const parsed = tool.parseInput(input);
      if (!parsed.ok) throw new Error(parsed.error);
      const ctx = context(run);
      const answer = await tool.handle(parsed.value, ctx);
      if (!answer.ok) return { error: answer.error, key: ctx.idempotencyKey };
      const output = tool.parseOutput(answer.value.value);
      if (!output.ok) throw new Error(output.error);
      return { value: answer.value.value, text: answer.value.text ?? "", key: ctx.idempotencyKey };
    },
    preview: (name: string, input: unknown) => {
      const parsed = toolOf(name).parseInput(input);
      if (!parsed.ok) throw new Error(parsed.error);
      return toolOf(name).preview!(parsed.value, new AbortController().signal, {});
    },
    file: (key: string) => readFileSync(join(paths.memory, T, `${key}.md`), "utf8"),
    async [Symbol.asyncDispose]() {
      await stores.close();
      rmSync(home, { recursive: true });
    },
  };
}
