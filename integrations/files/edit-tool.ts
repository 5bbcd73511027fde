import { defineTool, result, type ToolDefinition } from "@elwood/sdk/tool";
import { z } from "zod";
import { changedLines } from "./change-preview.ts";
import { changeContent, peek, reconcileContent, refuseMarker, undoContent } from "./content-change.ts";
import { hashOf, markersIn, sizeInWords, textOf, tooLarge } from "./file-content.ts";
import { FileProblem } from "./file-problem.ts";
import { folderGrants } from "./folder-grants.ts";
import {
  denyFacts,
  type FilesKit,
  pathFacts,
  said,
  saidOf,
  settled,
  textChange,
  withUndoableAt,
} from "./kit.ts";
import { WRITE_LABELS } from "./labels.ts";
import { pathNames, pathSpelling } from "./path-names.ts";
import { baseOf, nameOf } from "./scope.ts";
import { replaceText, type Replacement } from "./replace-text.ts";
import { callOf, contentChanged } from "./write-tool.ts";

export function editTool(kit: FilesKit): ToolDefinition {
  const { limits } = kit;
  const input = z.strictObject({
    path: z.string().min(1).describe(kit.pathWords),
    oldText: z.string().min(1).describe("Exact; must occur once"),
    newText: z.string(),
    replaceAll: z.boolean().default(false),
  });
  const output = contentChanged.extend({ count: z.number() });

  function edited(current: Buffer | undefined, change: Replacement, shown: string) {
    if (current === undefined) throw new FileProblem("not-found", `${shown} does not exist.`);
    if (current.length > limits.fileBytesMax) throw tooLarge(shown, current.length, limits.fileBytesMax);
    const before = textOf(current);
    if (before === undefined)
      throw new FileProblem("wrong-kind", `${shown} is not UTF-8 text; it was left as it is.`);
    if (addsMarker(change)) throw refuseMarker(shown);
    const { text: after, count } = replaceText(before, change, shown);
    const bytes = Buffer.from(after, "utf8");
    if (bytes.length > limits.fileBytesMax) throw tooLarge(shown, bytes.length, limits.fileBytesMax);
    return { before, after, bytes, count };
  }

  return defineTool({
    id: "files.file.edit",
    description: "Replaces an exact piece of text in a file.",
    risk: "write",
    input,
    output,
    labels: { ...WRITE_LABELS, critical: ["path"], content: ["newText"], parts: true },
    target: ({ path }) => nameOf(kit.scope, path),
    names: ({ path }) => pathNames(kit, { path }),
    spelling: ({ path }) => pathSpelling(kit, { path }),
    replaces: (call) =>
      textChange(async () => {
        const before = await peek(kit, await kit.scope.locate(call.path, "write"), limits.fileBytesMax);
        return { before, after: () => edited(before, call, call.path).after };
      }),
    grantKeys: ({ path }) => folderGrants(kit, path, "edit"),
    async facts(call) {
      const marker = addsMarker(call) ? denyFacts(refuseMarker(call.path)) : [];
      return withUndoableAt(kit, call.path, [...(await pathFacts(kit, call.path, "write")), ...marker]);
    },
    preview: (call) =>
      saidOf(kit, call.path, async () => {
        const place = await kit.scope.locate(call.path, "write");
        const current = await peek(kit, place, limits.fileBytesMax);
        const { before, after, count } = edited(current, call, place.shown);
        const part = changedLines(before, after, limits.previewCharsMax);
        const where = count === 1 ? `at line ${part.line}` : `in ${count} places from line ${part.line}`;
        return {
          sentence: `Change ${place.shown} ${where}.`,
          before: part.before,
          after: part.after,
          subject: place.shown,
          base: baseOf(place),
          creates: false,
          undoable: true,
        };
      }),
    handler: (call, ctx) =>
      saidOf(kit, call.path, async () => {
        let count = 0;
        const change = await changeContent(kit, call.path, callOf(ctx, false), (current, shown) => {
          const done = edited(current, call, shown);
          count = done.count;
          return done.bytes;
        });
        const places = count === 1 ? "one place" : `${count} places`;
        return result(
          { ...change, count },
          { text: `Changed ${change.path} in ${places} (${sizeInWords(change.bytes)} now).` },
        );
      }),
    undo: (_, output, ctx) =>
      said(async () => result({ path: output.path }, { text: await undoContent(kit, output, ctx) })),
    reconcile: (call, key) =>
      settled(() =>
        reconcileContent(kit, call.path, key, (before) =>
          before === undefined ? undefined : hashOf(edited(before, call, call.path).bytes),
        ),
      ),
  });
}

/** An edit may keep or take away a marker that stands in the file, never bring a new one in. */
function addsMarker(change: Replacement): boolean {
  return markersIn(change.newText) > markersIn(change.oldText);
}
