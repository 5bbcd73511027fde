import { defineTool, result, type ToolDefinition } from "@elwood/sdk/tool";
import { z } from "zod";
import { imageType, readWhole, sizeInWords, textOf } from "./file-content.ts";
import { FileProblem } from "./file-problem.ts";
import { type FilesKit, pathFacts, said } from "./kit.ts";
import { READ_LABELS } from "./labels.ts";
import { readLines } from "./read-lines.ts";
import type { OpenFile } from "./safe-open.ts";

const SNIFFED_BYTES = 8 * 1024;

export function readTool(kit: FilesKit): ToolDefinition {
  const { limits } = kit;
  const input = z.strictObject({
    path: z.string().min(1).describe("Absolute, or from the workspace"),
    offset: z.int().min(1).default(1).describe("First line, from 1"),
    limit: z.int().min(1).default(limits.readLinesDefault),
  });
  const output = z.strictObject({
    path: z.string(),
    kind: z.enum(["text", "image", "binary"]),
    bytes: z.number(),
    text: z.string().optional(),
    mimeType: z.string().optional(),
    fromLine: z.number().optional(),
    toLine: z.number().optional(),
    /** Where to go on; absent at the end of the file. */
    nextOffset: z.number().optional(),
  });
  return defineTool({
    id: "files.file.read",
    description: "Reads a file: text by lines, pictures as pictures, of others kind and size.",
    risk: "read",
    input,
    output,
    labels: READ_LABELS,
    idempotent: true,
    target: ({ path }) => path,
    facts: ({ path }) => pathFacts(kit, path, "read"),
    handler: ({ path, offset, limit }, ctx) =>
      said(async () => {
        const place = await kit.scope.locate(path, "read");
        return kit.opener.atSpot(place, {}, async (spot) => {
          const file = await kit.opener.openFile(spot);
          if (file === undefined) throw new FileProblem("not-found", `${place.shown} does not exist.`);
          try {
            return await describe(file, place.shown, offset, limit, ctx.signal);
          } finally {
            await file.handle.close();
          }
        });
      }),
  });

  async function describe(file: OpenFile, path: string, offset: number, limit: number, signal: AbortSignal) {
    const bytes = Number(file.stats.size);
    const start = Buffer.alloc(Math.min(SNIFFED_BYTES, Math.max(bytes, 1)));
    const { bytesRead } = await file.handle.read(start, 0, start.length, 0);
    const head = start.subarray(0, bytesRead);
    const mimeType = imageType(head);
    if (mimeType !== undefined) {
      const value = { path, kind: "image", bytes, mimeType };
      const text = `${path} is a picture (${mimeType}, ${sizeInWords(bytes)}).`;
      if (bytes > limits.imageBytesMax) return result(value, { text: `${text} It is too large to show.` });
      const data = (await readWhole(file, limits.imageBytesMax, path)).toString("base64");
      return result(value, {
        text,
        attachments: [{ type: "image", mimeType, data, name: path.split("/").at(-1)! }],
      });
    }
    if (!looksLikeText(head)) {
      const value = { path, kind: "binary", bytes };
      return result(value, { text: `${path} is not a text file (${sizeInWords(bytes)}). It was not read.` });
    }
    const part = await readLines(file.handle, { offset, limit, signal, path, limits });
    const value = { path, kind: "text", bytes, ...part };
    const next = part.nextOffset;
    const more =
      next === undefined ? "" : `\n[The file goes on. Read it from line ${next} with offset ${next}.]`;
    const body =
      bytes === 0 ? `[${path} is empty.]` : part.text === "" ? `[No line ${offset} in ${path}.]` : part.text;
    return result(value, { text: `${body}${more}`, truncated: next !== undefined });
  }
}

/** The last character may be cut in two by where the look ends. */
function looksLikeText(head: Uint8Array): boolean {
  return [0, 1, 2, 3].some(
    (cut) => cut <= head.length && textOf(head.subarray(0, head.length - cut)) !== undefined,
  );
}
