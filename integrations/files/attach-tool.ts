import { defineTool, result, type ToolDefinition } from "@elwood/sdk/tool";
import { z } from "zod";
import { sizeInWords } from "./file-content.ts";
import { type FilesKit, pathFacts, saidOf } from "./kit.ts";
import { READ_LABELS } from "./labels.ts";
import { nameOf } from "./scope.ts";
import { wholeFile } from "./whole-file.ts";

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
        const { bytes, mimeType, shown } = await wholeFile(kit, path);
        return result(
          { path: shown, bytes: bytes.length, mimeType },
          {
            text: `${shown} is attached to your reply (${sizeInWords(bytes.length)}).`,
            attachments: [
              { type: "file", mimeType, data: bytes.toString("base64"), name: shown.split("/").at(-1)! },
            ],
          },
        );
      }),
  });
}
