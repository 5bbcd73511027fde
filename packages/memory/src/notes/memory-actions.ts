import { FailureError } from "@elwood/core/base/failure";
import type { LocalTime } from "@elwood/core/base/local-time";
import { counted } from "@elwood/core/base/relative-time";
import { noteKey } from "@elwood/core/memory/note-key";
import { noteLines } from "@elwood/core/memory/note-line";
import type { MemoryOrigin } from "@elwood/core/memory/turn";
import type { Sha256 } from "@elwood/core/receipts/receipt";
import type { Clock } from "@elwood/runtime/ports/ports";
import {
  result,
  ToolError,
  type CallFact,
  type HandlerAnswer,
  type Preview,
  type Settled,
} from "@elwood/sdk/tool";
import type { NoteCopies } from "@elwood/store-sqlite/sqlite-note-copies";
import type { ConversationProvenance } from "@elwood/runtime/gate/conversation-provenance";
import {
  OUT_OF_REACH,
  type EraseRequest,
  type NoteEraser,
  type WordEraser,
  type WordMentions,
} from "./note-eraser.ts";
import { getMemory, searchMemory, type MemoryReader } from "./lookup.ts";
import type { NoteService, SaveMode, Writer } from "./note-service.ts";

/** Whose call it is. */
export interface Caller {
  readonly session: string;
  readonly run?: string;
  readonly idempotencyKey: string;
}

export interface SaveInput {
  readonly key: string;
  readonly content: string;
  readonly mode: SaveMode;
}

export interface ForgetInput {
  readonly key?: string | undefined;
  readonly word?: string | undefined;
  readonly line?: number | undefined;
  readonly text?: string | undefined;
}

export interface SearchInput {
  readonly query: string;
  readonly limit: number;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

export interface GetInput {
  readonly key?: string | undefined;
  readonly source?: string | undefined;
  readonly lines?: string | undefined;
}

/** What the tools of memory do. */
export interface MemoryActions {
  previewSave(input: SaveInput): Promise<Preview>;
  /** Whatever the owner said: that lines of a note go is asked about. */
  saveFacts(input: SaveInput): Promise<readonly CallFact[]>;
  save(input: SaveInput, by: Caller): Promise<HandlerAnswer>;
  undoSave(call: string): Promise<HandlerAnswer>;
  reconcileSave(call: string): Promise<Settled>;
  search(input: SearchInput, by: Caller): Promise<HandlerAnswer>;
  get(input: GetInput): Promise<HandlerAnswer>;
  previewForget(input: ForgetInput): Promise<Preview>;
  forget(input: ForgetInput, by: Pick<Caller, "run">): Promise<HandlerAnswer>;
}

export interface MemoryActionsDeps {
  readonly tenant: string;
  readonly noteService: NoteService;
  readonly copies: NoteCopies;
  readonly forgetting: NoteEraser;
  readonly words: WordEraser;
  readonly reader: MemoryReader;
  readonly conversations: Pick<ConversationProvenance, "of" | "hasUntrustedInput">;
  readonly clock: Clock;
  readonly localTime: LocalTime;
  readonly sha256: Sha256;
}

export function memoryActions(deps: MemoryActionsDeps): MemoryActions {
  const { tenant, noteService, copies, forgetting, words, sha256, clock } = deps;

  const hashOf = (text: string) => sha256(`elwood.note.v1\n${text}`);

  async function noteNow(key: string): Promise<string | null> {
    return (await noteService.get(tenant, key))?.text ?? null;
  }

  /** What cannot be saved loses nothing; the call itself says why. */
  async function linesGone(key: string, content: string): Promise<number> {
    try {
      const { before, after } = await noteService.preview(tenant, key, content, "replace");
      return linesLost(before, after);
    } catch (error) {
      if (error instanceof FailureError) return 0;
      throw error;
    }
  }

  return {
    previewSave: ({ key, content, mode }) =>
      said(async () => {
        const { before, after } = await noteService.preview(tenant, key, content, mode);
        const sentence =
          before === null
            ? `Begin the note ${key}.`
            : `${mode === "add" ? "Add to" : "Rewrite"} the note ${key}.`;
        return { sentence, before: before ?? "", after, subject: `the note ${key}` };
      }),

    async saveFacts({ key, content, mode }) {
      if (mode === "add") return [];
      const lost = await linesGone(key, content);
      if (lost === 0) return [];
      const lines = lost === 1 ? "a line that is" : `${lost} lines that are`;
      return [
        {
          kind: "ask",
          rule: "ask.note-lines",
          reason: `It writes the note ${key} anew and leaves out ${lines} in it.`,
        },
      ];
    },

    save: ({ key, content, mode }, by) =>
      said(async () => {
        const origin = await whoseWords(deps, by);
        const origins = new Set<MemoryOrigin>();
        const writer: Writer = {
          origin(line) {
            const whose = origin(line);
            origins.add(whose);
            return whose;
          },
          ...(by.run === undefined ? {} : { run: by.run }),
          keep: (before, after) =>
            copies.put(
              tenant,
              by.idempotencyKey,
              { key: plainKey(key), before, afterSha: hashOf(after) },
              clock.now(),
            ),
        };
        const saved = await noteService.save(tenant, key, content, mode, writer);
        const worst = ORIGINS_BY_DOUBT.find((each) => origins.has(each)) ?? "owner";
        const bytes = Buffer.byteLength(saved.after ?? "");
        const value = {
          key: saved.key,
          source: saved.source,
          created: saved.before === null,
          changed: saved.before !== saved.after,
          bytes,
          redacted: saved.redacted,
          origin: worst,
          call: by.idempotencyKey,
        };
        return result(value, { text: savedWords(value, mode, linesLost(saved.before, saved.after)) });
      }),

    undoSave: (call) =>
      said(async () => {
        const copy = copies.get(tenant, call);
        if (copy === undefined)
          throw new ToolError("cannot_undo", "What the note held before is no longer kept.");
        const now = await noteNow(copy.key);
        if (now === null || hashOf(now) !== copy.afterSha) throw changedSince(copy.key);
        const change = { key: copy.key, source: "", before: copy.before, after: now };
        if ((await noteService.restore(tenant, change)) === undefined) throw changedSince(copy.key);
        const what = copy.before === null ? "was removed again" : "holds again what it held before";
        return result({ key: copy.key }, { text: `The note ${copy.key} ${what}.` });
      }),

    async reconcileSave(call) {
      const copy = copies.get(tenant, call);
      if (copy === undefined) return "did-not-happen";
      const now = await noteNow(copy.key);
      if (now !== null && hashOf(now) === copy.afterSha) return "happened";
      return now === copy.before ? "did-not-happen" : "unknown";
    },

    search: (input) => said(() => searchMemory(deps, input)),
    get: (input) => said(() => getMemory(deps, input)),

    previewForget: (input) =>
      said(async () => {
        const { word } = input;
        if (word !== undefined) {
          const found = await mentions(tenant, word, input);
          return {
            sentence: `Forget everything that mentions “${word}”: ${mentionWords(found)}.`,
            before: [...found.texts.map(withoutBullet), ...andMore(found)].join("\n"),
            after: "",
            undoable: false,
          };
        }
        const what = forgotten(input);
        const shown = await forgetting.preview(tenant, what);
        if (shown === undefined) throw notThere(what);
        const before = shown.text.split("\n").map(withoutBullet).join("\n");
        return { sentence: shown.sentence, before, after: "", undoable: false };
      }),

    forget: (input, { run }) =>
      said(async () => {
        const { word } = input;
        if (word !== undefined) {
          const found = await mentions(tenant, word, input);
          await words.begin(tenant, word, run);
          const text =
            `Everything that mentions “${word}” is erased as soon as this answer is finished: ${mentionWords(found)}, and what this conversation says of it. ` +
            `It cannot be brought back. Out of reach: ${OUT_OF_REACH.join("; ")}.`;
          return result({ files: [], lines: found.noteLines, outOfReach: [...OUT_OF_REACH] }, { text });
        }
        const what = forgotten(input);
        const { files, lines, outOfReach } = await forgetting.forget(tenant, what);
        const gone = `${lines === 1 ? "1 line" : `${lines} lines`} of ${files.join(", ")}`;
        const text =
          `Forgotten: ${gone}. What conversations say of it is not: it stays there, and can be recalled. ` +
          `To erase that too, make this call with "word" instead of "key" (the owner is asked), or the owner runs: elwood memory forget --word ${shellWord(what.key)}. ` +
          `Out of reach: ${outOfReach.join("; ")}.`;
        return result({ files: [...files], lines, outOfReach: [...outOfReach] }, { text });
      }),
  };

  async function mentions(owner: string, word: string, { key, line, text }: ForgetInput) {
    if (key !== undefined || line !== undefined || text !== undefined)
      throw new ToolError("invalid", 'Give "word" alone, or "key" without it. Nothing was forgotten.');
    const found = await words.find(owner, word);
    if (found.noteLines + found.messages + found.calls === 0)
      throw new ToolError("not_found", `Nothing in memory mentions “${word}”. Nothing was forgotten.`);
    return found;
  }
}

function mentionWords({ noteLines, notes, messages, conversations, calls }: WordMentions): string {
  const said = `${counted(messages, "message")} in ${counted(conversations, "conversation")}`;
  const noted = `${counted(noteLines, "line")} of ${counted(notes, "note")}`;
  return [
    ...(messages > 0 ? [said] : []),
    ...(noteLines > 0 ? [noted] : []),
    ...(calls > 0 ? [`what ${counted(calls, "call")} used`] : []),
  ].join(", ");
}

function andMore({ noteLines, messages, texts }: WordMentions): string[] {
  const more = noteLines + messages - texts.length;
  return more > 0 ? [`… and ${more} more`] : [];
}

/** In a change, a line that goes has a mark of its own. */
function withoutBullet(line: string): string {
  return line.replace(/^\s*[-*+] (?=\S)/, "");
}

/** As it is typed in a shell. */
function shellWord(word: string): string {
  return /^[\p{L}\p{N}_.-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** As the note is called; what is no name was refused before this is asked. */
function plainKey(given: string): string {
  const key = noteKey(given);
  return key.ok ? key.value : given;
}

const ORIGINS_BY_DOUBT: readonly MemoryOrigin[] = ["untrusted", "agent", "owner"];

/**
 * Whose words a run writes down. What the owner said is theirs where its words, their order and
 * every negation are: word for word where the run has read what others wrote, without small words where
 * it has not. All else is the agent's own, or, after such reading, may be anybody's.
 */
async function whoseWords(
  { tenant, conversations }: MemoryActionsDeps,
  { session, run }: Caller,
): Promise<(line: string) => MemoryOrigin> {
  // Loaded with the first note that is written: a start does not need it.
  const { OwnerWords } = await import("@elwood/core/authority/owner-words");
  const words = new OwnerWords((await conversations.of(tenant, session)).wholeText);
  const others =
    run === undefined || (await conversations.hasUntrustedInput(tenant, { id: run, sessionId: session }));
  return (line) => {
    if (words.sentence(line) && (!others || words.phrase(line))) return "owner";
    return others ? "untrusted" : "agent";
  };
}

/** Lines that stood there and do not any more: whoever writes a note anew may not have known of them. */
function linesLost(before: string | null, after: string | null): number {
  const there = new Set(noteLines(after ?? ""));
  return noteLines(before ?? "").filter((line) => !there.has(line)).length;
}

function savedWords(
  saved: {
    readonly key: string;
    readonly created: boolean;
    readonly changed: boolean;
    readonly bytes: number;
    readonly redacted: boolean;
    readonly origin: string;
  },
  mode: "replace" | "add",
  lost: number,
): string {
  if (!saved.changed) return `The note ${saved.key} says that already; it was left as it is.`;
  const did = saved.created ? "Wrote the note" : mode === "add" ? "Added to the note" : "Replaced the note";
  const fresh = saved.created ? ", which is new" : "";
  const secrets = saved.redacted ? " Secrets in it were left out." : "";
  const doubt =
    saved.origin === "untrusted"
      ? " It may hold words of others, so it is found by searching and never recalled by itself."
      : "";
  const gone =
    lost === 0
      ? ""
      : ` ${lost === 1 ? "1 line that stood there is" : `${lost} lines that stood there are`} gone from it: tell the owner, who can take it back.`;
  return `${did} ${saved.key}${fresh} (${counted(saved.bytes, "byte")}).${gone}${secrets}${doubt}`;
}

function forgotten({ key, line, text }: ForgetInput): EraseRequest {
  if (key === undefined)
    throw new ToolError("invalid", 'Give the "key" of a note, or a "word". Nothing was forgotten.');
  if (line === undefined) return { kind: "note", key };
  if (text === undefined)
    throw new ToolError("invalid", "Give the text of the line too, as it reads now. Nothing was forgotten.");
  return { kind: "line", key, line, text };
}

function notThere(what: EraseRequest): ToolError {
  const where =
    what.kind === "note"
      ? `There is no note ${what.key}. What conversations say is erased with "word".`
      : `Line ${what.line} of the note ${what.key} does not say that.`;
  return new ToolError("not_found", `${where} Nothing was forgotten.`);
}

function changedSince(key: string): ToolError {
  return new ToolError("cannot_undo", `The note ${key} was changed since. It was left as it is.`);
}

/** What is refused with words did not happen. A disk that failed in the middle leaves that open. */
async function said<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    const { reason, message, retryable } = error.failure;
    throw new ToolError(reason.toLowerCase(), message, { retryable });
  }
}
