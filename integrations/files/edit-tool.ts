import { defineTool, result, type ToolDefinition } from "@elwood/sdk/tool";
import { z } from "zod";
import { changedLines, linesNow } from "./change-preview.ts";
import { changeContent, peek, reconcileContent, refuseMarker, undoContent } from "./content-change.ts";
import { countInWords, hashOf, markersIn, sizeInWords, textOf, tooLarge } from "./file-content.ts";
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
import { SHOWS_LINES, WRITE_LABELS } from "./labels.ts";
import { meantPath } from "./neighbours.ts";
import { pathNames, pathSpelling } from "./path-names.ts";
import { baseOf, nameOf } from "./scope.ts";
import { replaceText, type Replacement } from "./replace-text.ts";
import { callOf, contentChanged } from "./write-tool.ts";

export function editTool(kit: FilesKit): ToolDefinition {
  const { limits } = kit;
  const input = z.strictObject({
    path: z.string().min(1).describe(kit.pathWords),
    oldText: z.string().min(1).optional().describe("Exact; must occur once. Without it newText is appended"),
    newText: z.string(),
    under: z.string().min(1).optional().describe("Only below this heading or line"),
    replaceAll: z.boolean().default(false),
  });
  const output = contentChanged.extend({
    count: z.number(),
    /** The lines that changed, with a few around them, as they are now. */
    fromLine: z.number(),
    text: z.string(),
  });
  type Input = z.infer<typeof input>;
  /** With the path of the one file that has the name, where a name is all that was given. */
  const meant = async (call: Input): Promise<Input> => ({ ...call, path: await meantPath(kit, call.path) });

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
    description: "Replaces an exact piece of text in a file, or appends lines.",
    risk: "write",
    input,
    output,
    labels: { ...WRITE_LABELS, ...SHOWS_LINES, critical: ["path"], content: ["newText"], parts: true },
    target: async (call) => nameOf(kit.scope, (await meant(call)).path),
    names: async (call) => pathNames(kit, { path: (await meant(call)).path }),
    spelling: async (call) => pathSpelling(kit, { path: (await meant(call)).path }),
    replaces: (given) =>
      textChange(async () => {
        const call = await meant(given);
        const before = await peek(kit, await kit.scope.locate(call.path, "write"), limits.fileBytesMax);
        return { before, after: () => edited(before, call, call.path).after };
      }),
    grantKeys: async (call) => folderGrants(kit, (await meant(call)).path, "edit"),
    async facts(given) {
      const call = await meant(given);
      const marker = addsMarker(call) ? denyFacts(refuseMarker(call.path)) : [];
      return withUndoableAt(kit, call.path, [...(await pathFacts(kit, call.path, "write")), ...marker]);
    },
    preview: (given) =>
      saidOf(kit, given.path, async () => {
        const call = await meant(given);
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
    handler: (given, ctx) =>
      saidOf(kit, given.path, async () => {
        const call = await meant(given);
        let done: ReturnType<typeof edited> | undefined;
        const change = await changeContent(kit, call.path, callOf(ctx, false), (current, shown) => {
          done = edited(current, call, shown);
          return done.bytes;
        });
        const { before, after, count } = done!;
        const now = linesNow(before, after);
        const places = count === 1 ? "one place" : `${count} places`;
        return result(
          { ...change, count, fromLine: now.fromLine, text: now.text },
          {
            text: `Changed ${change.path} in ${places} (${sizeInWords(change.bytes)}, ${countInWords(now.lines, "line")} now).${now.numbered === "" ? "" : ` It reads:\n${now.numbered}`}`,
          },
        );
      }),
    undo: (_, output, ctx) =>
      said(async () => result({ path: output.path }, { text: await undoContent(kit, output, ctx) })),
    reconcile: (given, key) =>
      settled(async () => {
        const call = await meant(given);
        return reconcileContent(kit, call.path, key, (before) =>
          before === undefined ? undefined : hashOf(edited(before, call, call.path).bytes),
        );
      }),
  });
}

/** An edit may keep or take away a marker that stands in the file, never bring a new one in. */
function addsMarker(change: Replacement): boolean {
  return markersIn(change.newText) > markersIn(change.oldText ?? "");
}
