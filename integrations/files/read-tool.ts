import { documentKind, DOCUMENT_KINDS, type DocumentRead } from "@elwood/sdk/documents/read-document";
import { defineTool, result, type ToolDefinition } from "@elwood/sdk/tool";
import { z } from "zod";
import { imageType, readWhole, sizeInWords, textOf } from "./file-content.ts";
import { FileProblem } from "./file-problem.ts";
import { type FilesKit, pathFacts, saidOf } from "./kit.ts";
import { READ_LABELS } from "./labels.ts";
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
    kind: z.enum(["image", ...DOCUMENT_KINDS]),
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
  });
  return defineTool({
    id: "files.file.read",
    description: "Reads text, PDF, Word, Excel and such by lines, pictures as pictures.",
    risk: "read",
    input,
    output,
    labels: READ_LABELS,
    idempotent: true,
    target: ({ path }) => nameOf(kit.scope, path),
    facts: ({ path }) => pathFacts(kit, path, "read"),
    // What a call before it would have written is not there yet.
    foresees: async ({ path, offset, limit }, left) => {
      const { shown } = await kit.scope.locate(path, "read");
      const text = left.get(shown);
      const toLine = text?.replace(/\n$/, "").split("\n").length ?? 0;
      if (text === undefined || offset > 1 || toLine > limit) return undefined;
      const bytes = Buffer.byteLength(text);
      return { output: { path: shown, kind: "text", bytes, text, fromLine: 1, toLine } };
    },
    handler: ({ path, offset, limit, raw }, ctx) =>
      saidOf(kit, path, async () => {
        const place = await kit.scope.locate(path, "read");
        return kit.opener.atSpot(place, {}, async (spot) => {
          const file = await kit.opener.openFile(spot);
          if (file === undefined) throw new FileProblem("not-found", `${place.shown} does not exist.`);
          try {
            return await read(file, place.shown, { offset, limit, raw, signal: ctx.signal });
          } finally {
            await file.handle.close();
          }
        });
      }),
  });

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
    return shown({ path, kind: "text", bytes, ...part }, body, [], { whole });
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
