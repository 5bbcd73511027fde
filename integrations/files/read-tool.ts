import { documentKind, DOCUMENT_KINDS, type DocumentRead } from "@elwood/sdk/documents/read-document";
import { defineTool, result, type ToolDefinition } from "@elwood/sdk/tool";
import { z } from "zod";
import { countInWords, imageType, readWhole, sizeInWords, textOf } from "./file-content.ts";
import { FileProblem } from "./file-problem.ts";
import { type FilesMeant, filesMeant } from "./files-meant.ts";
import { type FilesKit, pathFacts, saidOf } from "./kit.ts";
import { READ_LABELS } from "./labels.ts";
import { meantPath } from "./neighbours.ts";
import { bytesOf, countLines, type LinesRead, readLines } from "./read-lines.ts";
import type { OpenFile } from "./safe-open.ts";
import { nameOf } from "./scope.ts";

const SNIFFED_BYTES = 8 * 1024;

export function readTool(kit: FilesKit): ToolDefinition {
  const { limits } = kit;
  const input = z.strictObject({
    path: z.string().min(1).describe(kit.pathWords),
    offset: z.int().min(1).default(1).describe("First line, from 1"),
    limit: z.int().min(1).default(limits.readLinesDefault),
    /** HTML as its source; the answer for a page says so. */
    raw: z.boolean().optional(),
  });
  const output = z.strictObject({
    path: z.string(),
    kind: z.enum(["image", "files", ...DOCUMENT_KINDS]),
    bytes: z.number(),
    /** Or sheets, slides, parts of a book. */
    pages: z.number().optional(),
    title: z.string().optional(),
    text: z.string().optional(),
    mimeType: z.string().optional(),
    fromLine: z.number().optional(),
    toLine: z.number().optional(),
    /** Where to go on; absent at the end of the file. */
    nextOffset: z.number().optional(),
    /** Of a text file that was read in part. */
    lines: z.number().optional(),
    /** Where a folder or a glob was read: each of its files. */
    files: z
      .array(
        z.strictObject({
          path: z.string(),
          kind: z.string(),
          bytes: z.number(),
          text: z.string(),
          nextOffset: z.number().optional(),
        }),
      )
      .optional(),
  });
  return defineTool({
    id: "files.file.read",
    description:
      "Reads text, PDF, Word, Excel and such by lines, pictures as pictures; of a folder or a glob (notes/*.md) all files at once.",
    risk: "read",
    input,
    output,
    labels: READ_LABELS,
    idempotent: true,
    target: async ({ path }) => nameOf(kit.scope, await meantPath(kit, path)),
    facts: async ({ path }) => pathFacts(kit, await meantPath(kit, path), "read"),
    // What a call before it would have written is not there yet.
    foresees: async ({ path, offset, limit }, left) => {
      const { shown } = await kit.scope.locate(path, "read");
      const text = left.get(shown);
      const toLine = text?.replace(/\n$/, "").split("\n").length ?? 0;
      if (text === undefined || offset > 1 || toLine > limit) return undefined;
      const bytes = Buffer.byteLength(text);
      return { output: { path: shown, kind: "text", bytes, text, fromLine: 1, toLine } };
    },
    handler: (given, ctx) =>
      saidOf(kit, given.path, async () => {
        const ask = { offset: given.offset, limit: given.limit, raw: given.raw, signal: ctx.signal };
        const path = await meantPath(kit, given.path);
        const several = await filesMeant(kit, path, ctx.signal);
        if (several !== undefined) return readSeveral(several, ask);
        const answer = await readPath(path, ask);
        return path === given.path ? answer : { ...answer, text: `[This is ${path}.]\n${answer.text}` };
      }),
  });

  async function readPath(path: string, ask: LinesWanted) {
    const place = await kit.scope.locate(path, "read");
    return kit.opener.atSpot(place, {}, async (spot) => {
      const file = await kit.opener.openFile(spot);
      if (file === undefined) throw new FileProblem("not-found", `${place.shown} does not exist.`);
      try {
        return await read(file, place.shown, ask);
      } finally {
        await file.handle.close();
      }
    });
  }

  /** One after the other, as far as there is room; what could not be read, or had none, is named. */
  async function readSeveral({ path, found, left }: FilesMeant, ask: LinesWanted) {
    const files: { path: string; kind: string; bytes: number; text: string; nextOffset?: number }[] = [];
    const notes: string[] = [];
    let room = SEVERAL_CHARS_MAX;
    let lastRead = 0;
    for (const [i, each] of found.entries()) {
      if (room <= 0) break;
      lastRead = i + 1;
      try {
        const { value } = await readPath(each, ask);
        const { kind, bytes, text = "", nextOffset } = value as ReadValue;
        if (kind === "image") {
          notes.push(`[${each}: a picture, ${sizeInWords(bytes)}. Read it alone to see it.]`);
          continue;
        }
        const cut = text.length > room ? wholeLines(text, room) : undefined;
        const next = cut === undefined ? nextOffset : ask.offset + cut.lines;
        const shownText = cut?.text ?? text;
        room -= shownText.length;
        files.push({
          path: each,
          kind,
          bytes,
          text: shownText,
          ...(next !== undefined && { nextOffset: next }),
        });
      } catch (error) {
        if (!(error instanceof FileProblem)) throw error;
        notes.push(`[Not read: ${each}. ${error.message}]`);
      }
    }
    const unread = found.slice(lastRead);
    if (unread.length > 0)
      notes.push(`[No room for ${unread.length} more: ${unread.slice(0, UNREAD_NAMED_MAX).join(", ")}.]`);
    if (left > 0) notes.push(`[${countInWords(left, "file")} left out: keys, links or too many.]`);
    const bodies = files.map(({ path: name, bytes, text, nextOffset }) => {
      const more = nextOffset === undefined ? "" : `\n[Read on with offset ${nextOffset}.]`;
      return `== ${name} (${sizeInWords(bytes)})\n${text.trimEnd()}${more}`;
    });
    const body = [...bodies, ...notes].join("\n\n");
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    const text = body === "" ? `[${path}: no files to read.]` : body;
    const truncated = unread.length > 0 || files.some(({ nextOffset }) => nextOffset !== undefined);
    return result({ path, kind: "files", bytes, text, files }, { text, truncated });
  }

  async function read(file: OpenFile, path: string, ask: LinesWanted) {
    const bytes = Number(file.stats.size);
    const start = Buffer.alloc(Math.min(SNIFFED_BYTES, Math.max(bytes, 1)));
    const { bytesRead } = await file.handle.read(start, 0, start.length, 0);
    const head = start.subarray(0, bytesRead);
    const mimeType = imageType(head);
    if (mimeType !== undefined) return readPicture(file, path, mimeType);
    const document = documentKind(head, path);
    if (document !== undefined && !(document === "page" && ask.raw === true && looksLikeText(head)))
      return readDocument(file, path, ask);
    if (!looksLikeText(head)) {
      throw new FileProblem(
        "wrong-kind",
        `${path} was not read: it is neither UTF-8 text nor a picture nor a document that can be read (${sizeInWords(bytes)}). Ask the owner for it as text or PDF.`,
      );
    }
    const part = await readLines(file.handle, { ...ask, path, limits });
    const lines =
      part.nextOffset === undefined || bytes > limits.fileBytesMax
        ? undefined
        : await countLines(file.handle, ask.signal);
    const body =
      bytes === 0
        ? `[${path} is empty.]`
        : part.text === ""
          ? `[No line ${ask.offset} in ${path}.]`
          : part.text;
    const whole = lines === undefined ? sizeInWords(bytes) : String(lines);
    // Said first too: of a long text, a conversation may keep only the beginning.
    const first =
      part.text.length > LONG_CHARS
        ? `[Lines ${part.fromLine}–${part.toLine} of ${part.nextOffset === undefined ? part.toLine : whole} in ${path}.]\n`
        : "";
    const value = { path, kind: "text", bytes, ...part, ...(lines !== undefined && { lines }) };
    return shown(value, `${first}${body}`, [], { whole });
  }

  async function readPicture(file: OpenFile, path: string, mimeType: string) {
    const data = (await readWhole(file, limits.imageBytesMax, path)).toString("base64");
    const bytes = Number(file.stats.size);
    return result(
      { path, kind: "image", bytes, mimeType },
      {
        text: `${path} is a picture (${mimeType}, ${sizeInWords(bytes)}).`,
        attachments: [{ type: "image", mimeType, data, name: path.split("/").at(-1)! }],
      },
    );
  }

  async function readDocument(file: OpenFile, path: string, ask: LinesWanted) {
    const bytes = await readWhole(file, limits.documentBytesMax, path);
    const found = await kit.documents.read(bytes, path, ask.signal);
    const { kind, text, pages, cut, title } = found;
    const part = await readLines(bytesOf(text), { ...ask, path, limits });
    const body = part.text === "" ? `[No line ${ask.offset} in the text of ${path}.]` : part.text;
    const value = {
      path,
      kind,
      bytes: bytes.length,
      ...(pages !== undefined && { pages }),
      ...(title !== undefined && { title }),
      ...part,
    };
    const whole = String(text.trimEnd().split("\n").length);
    const head = `[The text of ${path}, ${THINGS[kind]}.${kind === "page" ? " Its source is read with raw." : ""}]`;
    return shown(value, `${head}\n${body}`, notesOn(found, part.nextOffset === undefined), { whole, cut });
  }
}

const THINGS: Readonly<Record<DocumentRead["kind"], string>> = {
  pdf: "a PDF",
  word: "a Word document",
  sheets: "a workbook",
  slides: "a presentation",
  book: "a book",
  page: "an HTML page",
  text: "in another encoding than UTF-8",
};

/** What to know of a document beside its text. */
function notesOn(found: DocumentRead, isEnd: boolean): string[] {
  const { kind, pages, pagesWithoutText = 0, cut, macros = false } = found;
  const rest =
    kind === "pdf"
      ? `The PDF has ${pages} pages, more than Elwood reads of one.`
      : "There is more than Elwood reads of one document.";
  return [
    ...(pagesWithoutText > 0
      ? [`[${pagesWithoutText} of its ${pages} pages hold no text; they may be scanned pictures.]`]
      : []),
    ...(macros ? ["[It holds macros. They were neither run nor read.]"] : []),
    ...(cut && isEnd ? [`[${rest} The rest was not read.]`] : []),
  ];
}

/** What a read gives of one file, as far as several of them are told together. */
interface ReadValue {
  readonly kind: string;
  readonly bytes: number;
  readonly text?: string;
  readonly nextOffset?: number;
}

/** Text that may be cut before it reaches the model. */
const LONG_CHARS = 8_000;
/** Text of several files in one answer. */
const SEVERAL_CHARS_MAX = 40_000;
const UNREAD_NAMED_MAX = 20;

/** As many whole lines as fit. */
function wholeLines(text: string, charsMax: number): { readonly text: string; readonly lines: number } {
  const end = text.lastIndexOf("\n", charsMax - 1) + 1;
  const kept = text.slice(0, end);
  return { text: kept, lines: kept.split("\n").length - 1 };
}

type LinesShown = Pick<LinesRead, "fromLine" | "toLine" | "nextOffset">;

interface LinesWanted {
  readonly offset: number;
  readonly limit: number;
  readonly raw?: boolean | undefined;
  readonly signal: AbortSignal;
}

/** An answer with what was read, what is to be said about it, and where to go on. */
function shown(
  value: Readonly<Record<string, unknown>> & LinesShown,
  body: string,
  notes: readonly string[],
  { whole, cut = false }: { readonly whole: string; readonly cut?: boolean },
) {
  const { fromLine, toLine, nextOffset: next } = value;
  const more =
    next === undefined ? [] : [`[Lines ${fromLine}–${toLine} of ${whole}. Read on with offset ${next}.]`];
  const said = [...notes, ...more];
  const text = said.length === 0 ? body : `${body}\n${said.join("\n")}`;
  return result(value, { text, truncated: next !== undefined || cut });
}

/** The last character may be cut in two by where the look ends. */
function looksLikeText(head: Uint8Array): boolean {
  return [0, 1, 2, 3].some(
    (cut) => cut <= head.length && textOf(head.subarray(0, head.length - cut)) !== undefined,
  );
}
