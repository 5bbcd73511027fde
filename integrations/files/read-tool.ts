import { PdfReader } from "@elwood/sdk/documents/pdf-reader";
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
/** The first bytes of every PDF. */
const PDF_START = "%PDF-";

export function readTool(kit: FilesKit): ToolDefinition {
  const { limits } = kit;
  const input = z.strictObject({
    path: z.string().min(1).describe(kit.pathWords),
    offset: z.int().min(1).default(1).describe("First line, from 1"),
    limit: z.int().min(1).default(limits.readLinesDefault),
  });
  const output = z.strictObject({
    path: z.string(),
    kind: z.enum(["text", "image", "pdf"]),
    bytes: z.number(),
    pages: z.number().optional(),
    title: z.string().optional(),
    text: z.string().optional(),
    mimeType: z.string().optional(),
    fromLine: z.number().optional(),
    toLine: z.number().optional(),
    /** Where to go on; absent at the end of the file. */
    nextOffset: z.number().optional(),
  });
  let pdfs: PdfReader | undefined;
  return defineTool({
    id: "files.file.read",
    description: "Reads a file: text and PDF by lines, pictures as pictures.",
    risk: "read",
    input,
    output,
    labels: READ_LABELS,
    idempotent: true,
    target: ({ path }) => nameOf(kit.scope, path),
    facts: ({ path }) => pathFacts(kit, path, "read"),
    handler: ({ path, offset, limit }, ctx) =>
      saidOf(kit, path, async () => {
        const place = await kit.scope.locate(path, "read");
        return kit.opener.atSpot(place, {}, async (spot) => {
          const file = await kit.opener.openFile(spot);
          if (file === undefined) throw new FileProblem("not-found", `${place.shown} does not exist.`);
          try {
            return await read(file, place.shown, { offset, limit, signal: ctx.signal });
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
    if (isPdf(head)) return readPdf(file, path, ask);
    if (!looksLikeText(head)) {
      throw new FileProblem(
        "wrong-kind",
        `${path} was not read: it is neither UTF-8 text nor a picture nor a PDF (${sizeInWords(bytes)}). Ask the owner for it as text or PDF.`,
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

  async function readPdf(file: OpenFile, path: string, ask: LinesWanted) {
    const bytes = await readWhole(file, limits.pdfBytesMax, path);
    pdfs ??= new PdfReader(limits);
    const size = bytes.length;
    const { text, pages, pagesWithoutText, cut, title } = await pdfs.read(bytes, path, ask.signal);
    const part = await readLines(bytesOf(text), { ...ask, path, limits });
    const notes = [
      ...(pagesWithoutText > 0
        ? [`[${pagesWithoutText} of its ${pages} pages hold no text; they may be scanned pictures.]`]
        : []),
      ...(cut && part.nextOffset === undefined
        ? [`[The PDF has ${pages} pages, more than Elwood reads of one. The rest was not read.]`]
        : []),
    ];
    const body = part.text === "" ? `[No line ${ask.offset} in the text of ${path}.]` : part.text;
    const value = { path, kind: "pdf", bytes: size, pages, ...(title !== undefined && { title }), ...part };
    const whole = String(text.trimEnd().split("\n").length);
    return shown(value, `[The text of ${path}, a PDF.]\n${body}`, notes, { whole, cut });
  }
}

type LinesShown = Pick<LinesRead, "fromLine" | "toLine" | "nextOffset">;

interface LinesWanted {
  readonly offset: number;
  readonly limit: number;
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

function isPdf(head: Uint8Array): boolean {
  return Buffer.from(head.subarray(0, PDF_START.length)).toString("latin1") === PDF_START;
}

/** The last character may be cut in two by where the look ends. */
function looksLikeText(head: Uint8Array): boolean {
  return [0, 1, 2, 3].some(
    (cut) => cut <= head.length && textOf(head.subarray(0, head.length - cut)) !== undefined,
  );
}
