import { defineTool, result, type ToolContext, type ToolDefinition } from "@elwood/sdk/tool";
import { z } from "zod";
import { contentShown } from "./change-preview.ts";
import {
  changeContent,
  peek,
  reconcileContent,
  refuseMarker,
  removeMadeFolders,
  undoContent,
} from "./content-change.ts";
import { countInWords, hashOf, markersIn, sizeInWords, tooLarge } from "./file-content.ts";
import { folderGrants } from "./folder-grants.ts";
import { denyFacts, type FilesKit, pathFacts, said, settled, textChange, withUndoableAt } from "./kit.ts";
import { WRITE_LABELS } from "./labels.ts";
import { pathNames, pathSpelling } from "./path-names.ts";
import { baseOf, nameOf } from "./scope.ts";

export const contentChanged = z.strictObject({
  path: z.string(),
  created: z.boolean(),
  bytes: z.number(),
  before: z.string().nullable(),
  after: z.string(),
  undoable: z.boolean(),
  madeFolders: z.array(z.string()),
});

export function writeTool(kit: FilesKit): ToolDefinition {
  const { limits } = kit;
  const input = z.strictObject({
    path: z.string().min(1).describe(kit.pathWords),
    content: z.string(),
  });

  function bytesOf(path: string, content: string): Buffer {
    if (markersIn(content) > 0) throw refuseMarker(path);
    const bytes = Buffer.from(content, "utf8");
    if (bytes.length > limits.fileBytesMax) throw tooLarge("The text", bytes.length, limits.fileBytesMax);
    return bytes;
  }

  return defineTool({
    id: "files.file.write",
    description: "Creates a file or replaces all of it.",
    risk: "write",
    input,
    output: contentChanged.extend({ lines: z.number() }),
    labels: { ...WRITE_LABELS, critical: ["path"], content: ["content"] },
    target: ({ path }) => nameOf(kit.scope, path),
    names: ({ path }) => pathNames(kit, { path }),
    spelling: ({ path }) => pathSpelling(kit, { path }),
    replaces: ({ path, content }) =>
      textChange(async () => ({
        before: await peek(kit, await kit.scope.locate(path, "write"), limits.fileBytesMax),
        after: () => content,
      })),
    foresees: async ({ path, content }) => {
      const { shown } = await kit.scope.locate(path, "write");
      return { output: { path: shown }, leaves: { at: shown, text: content } };
    },
    grantKeys: ({ path }) => folderGrants(kit, path, "write"),
    async facts({ path, content }) {
      const marker = markersIn(content) > 0 ? denyFacts(refuseMarker(path)) : [];
      return withUndoableAt(kit, path, [...(await pathFacts(kit, path, "write")), ...marker]);
    },
    preview: ({ path, content }) =>
      said(async () => {
        const place = await kit.scope.locate(path, "write");
        const bytes = bytesOf(place.shown, content);
        const before = await peek(kit, place, limits.undoItemBytesMax);
        const size = sizeInWords(bytes.length);
        return {
          sentence:
            before === undefined
              ? `Create ${place.shown} (${size}).`
              : `Replace all of ${place.shown} (${sizeInWords(before.length)} before, ${size} after).`,
          before: contentShown(before, limits.previewCharsMax),
          after: contentShown(bytes, limits.previewCharsMax),
          subject: place.shown,
          base: baseOf(place),
          creates: before === undefined,
          undoable: true,
        };
      }),
    handler: ({ path, content }, ctx) =>
      said(async () => {
        const bytes = bytesOf(path, content);
        const change = await changeContent(kit, path, callOf(ctx, true), () => bytes);
        const did = change.created ? "Created" : "Replaced";
        const lines = content.split("\n").length - (content.endsWith("\n") || content === "" ? 1 : 0);
        const size = `${sizeInWords(change.bytes)}, ${countInWords(lines, "line")}`;
        return result({ ...change, lines }, { text: `${did} ${change.path} (${size}).` });
      }),
    undo: (_, output, ctx) =>
      said(async () => {
        const text = await undoContent(kit, output, ctx);
        await removeMadeFolders(kit, output.madeFolders);
        return result({ path: output.path }, { text });
      }),
    reconcile: ({ path, content }, key) =>
      settled(() => reconcileContent(kit, path, key, () => hashOf(Buffer.from(content, "utf8")))),
  });
}

export function callOf(
  { idempotencyKey, signal, undoPromised }: Pick<ToolContext, "idempotencyKey" | "signal" | "undoPromised">,
  makeFolders: boolean,
) {
  return { idempotencyKey, signal, makeFolders, undoPromised };
}
