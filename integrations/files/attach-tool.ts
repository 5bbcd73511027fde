import { defineTool, result, type ToolDefinition } from "@elwood/sdk/tool";
import { z } from "zod";
import { imageType, readWhole, sizeInWords, textOf } from "./file-content.ts";
import { FileProblem } from "./file-problem.ts";
import { type FilesKit, pathFacts, saidOf } from "./kit.ts";
import { READ_LABELS } from "./labels.ts";
import { nameOf } from "./scope.ts";

/** Hands a file to whoever reads the reply. It goes where the reply goes, and nowhere else. */
export function attachTool(kit: FilesKit): ToolDefinition {
  return defineTool({
    id: "files.file.attach",
    description: "Attaches a file to your reply, where the owner wants the file itself.",
    risk: "read",
    input: z.strictObject({ path: z.string().min(1).describe(kit.pathWords) }),
    output: z.strictObject({ path: z.string(), bytes: z.number(), mimeType: z.string() }),
    // The answer tells only the path that was asked for and a size.
    labels: { ...READ_LABELS, output: "trusted" },
    idempotent: true,
    target: ({ path }) => nameOf(kit.scope, path),
    facts: ({ path }) => pathFacts(kit, path, "read"),
    handler: ({ path }) =>
      saidOf(kit, path, async () => {
        const place = await kit.scope.locate(path, "read");
        return kit.opener.atSpot(place, {}, async (spot) => {
          const file = await kit.opener.openFile(spot);
          if (file === undefined) throw new FileProblem("not-found", `${place.shown} does not exist.`);
          try {
            const bytes = await readWhole(file, kit.limits.attachedBytesMax, place.shown);
            const mimeType = typeOf(bytes);
            const name = place.shown.split("/").at(-1)!;
            return result(
              { path: place.shown, bytes: bytes.length, mimeType },
              {
                text: `${place.shown} is attached to your reply (${sizeInWords(bytes.length)}).`,
                attachments: [{ type: "file", mimeType, data: bytes.toString("base64"), name }],
              },
            );
          } finally {
            await file.handle.close();
          }
        });
      }),
  });
}

/** By what is in it; a name proves nothing. */
function typeOf(bytes: Buffer): string {
  if (bytes.subarray(0, 5).toString("latin1") === "%PDF-") return "application/pdf";
  return imageType(bytes) ?? (textOf(bytes) === undefined ? "application/octet-stream" : "text/plain");
}
