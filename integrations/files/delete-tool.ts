import { defineTool, result, type ToolContext, type ToolDefinition } from "@elwood/sdk/tool";
import { z } from "zod";
import { goingShown } from "./change-preview.ts";
import { thingAt, peek } from "./content-change.ts";
import { sizeInWords } from "./file-content.ts";
import { FileProblem } from "./file-problem.ts";
import {
  agentFileFact,
  changing,
  denyFacts,
  type FilesKit,
  halfDone,
  keyName,
  nameInWords,
  pathFacts,
  refuseStopped,
  said,
  settled,
  withUndoable,
} from "./kit.ts";
import { keepTree, removeTree, restoreTree } from "./kept-tree.ts";
import { WRITE_LABELS } from "./labels.ts";
import type { Spot } from "./safe-open.ts";
import { baseOf, nameOf, thingOf } from "./scope.ts";
import { heldInWords, inside, survey, type Survey } from "./tree-survey.ts";

const deleted = z.strictObject({
  path: z.string(),
  kind: z.enum(["file", "folder"]),
  files: z.number(),
  folders: z.number(),
  bytes: z.number(),
  /** Where the list of what was deleted is kept; null if it was too much to keep. */
  kept: z.string().nullable(),
});

export function deleteTool(kit: FilesKit): ToolDefinition {
  const { limits } = kit;
  const input = z.strictObject({
    path: z.string().min(1).describe(kit.pathWords),
    recursive: z.boolean().default(false),
  });

  async function surveyed(spot: Spot, recursive: boolean, signal: AbortSignal): Promise<Survey> {
    const { shown } = spot.place;
    const found = await survey(kit, spot, signal);
    if (found === undefined) throw new FileProblem("not-found", `${shown} does not exist.`);
    if (found.kind === "folder" && !recursive && found.files + found.folders > 0) {
      throw new FileProblem(
        "exists",
        `${shown} is not empty: ${inside(found)}. Nothing was deleted. Set recursive if all of it shall go.`,
      );
    }
    return found;
  }

  async function remove(spot: Spot, recursive: boolean, key: string, ctx: ToolContext) {
    const { shown } = spot.place;
    const { signal, undoPromised: promised } = ctx;
    const found = await surveyed(spot, recursive, signal);
    const kept = canKeep(found) ? ((await keepTree(kit, spot, { signal, promised })) ?? null) : null;
    if (kept === null && promised === true) {
      throw new FileProblem(
        "too-large",
        `${shown} is too much to keep a copy of, so that this could be undone. Nothing was deleted. Called again, it asks the owner.`,
      );
    }
    const stats = await kit.opener.look(spot);
    if (stats === undefined) throw new FileProblem("not-found", `${shown} does not exist.`);
    await kit.undo.note(key, { v: 1, thing: thingOf(stats) });
    refuseStopped(signal);
    try {
      // From here on it is done to the end: half a deletion helps nobody.
      await removeTree(kit, spot, new AbortController().signal);
    } catch (error) {
      await repair(spot, kept, key, error);
      throw new FileProblem("io", `${shown} could not be deleted. What was gone already was put back.`);
    }
    await kit.disk.sync(spot.folder.handle);
    const { kind, files, folders, bytes } = found;
    return { path: shown, kind, files, folders, bytes, kept };
  }

  async function repair(spot: Spot, kept: string | null, key: string, cause: unknown): Promise<void> {
    const partly = (why: unknown) =>
      halfDone(`${spot.place.shown} could not be deleted whole. A part of it is gone.`, why);
    if (kept === null) throw partly(cause);
    try {
      await restoreTree(kit, spot.place, kept, { key, fillIn: true });
    } catch (error) {
      throw partly(error);
    }
  }

  function canKeep(found: Survey): boolean {
    return (
      !found.hasHardLinks && found.bytes <= limits.undoBytesMax / 2 && found.files <= limits.undoItemsMax / 2
    );
  }

  return defineTool({
    id: "files.file.delete",
    description: "Deletes a file or an empty folder; with recursive, a folder and all that is in it.",
    risk: "destructive",
    input,
    output: deleted,
    labels: { ...WRITE_LABELS, critical: ["path", "recursive"], content: [] },
    target: ({ path }) => nameOf(kit.scope, path),
    async facts({ path }) {
      const facts = await pathFacts(kit, path, "change");
      if (facts.some((fact) => fact.kind === "deny")) return facts;
      try {
        const place = await kit.scope.locate(path, "change");
        const found = await kit.opener.atSpot(place, {}, (spot) =>
          survey(kit, spot, new AbortController().signal),
        );
        const all = found?.agentPlace === undefined ? facts : [...facts, agentFileFact()];
        if (found === undefined || !canKeep(found)) return all;
        return await withUndoable(kit, place.shown, { items: found.files + 1, bytes: found.bytes }, all);
      } catch (error) {
        return [...facts, ...denyFacts(error)];
      }
    },
    preview: ({ path, recursive }, signal) =>
      said(async () => {
        const place = await kit.scope.locate(path, "change");
        const found = await kit.opener.atSpot(place, {}, (spot) => surveyed(spot, recursive, signal));
        const forGood = canKeep(found) ? "" : " It cannot be taken back: it is too much to keep a copy.";
        const shown =
          found.kind === "file"
            ? goingShown(await peek(kit, place, limits.undoItemBytesMax), limits.deletedCharsMax)
            : { before: listed(found) };
        return {
          sentence: `Delete ${whatIs(place.shown, found)}.${forGood}`,
          ...shown,
          after: "",
          subject: place.shown,
          base: baseOf(place),
          undoable: canKeep(found),
        };
      }),
    handler: ({ path, recursive }, ctx) =>
      said(async () => {
        const key = keyName(ctx.idempotencyKey);
        const value = await changing(kit, path, "change", {}, (spot) => remove(spot, recursive, key, ctx));
        const back =
          value.kept === null ? " It cannot be taken back." : " A copy is kept: the owner can undo it.";
        return result(value, { text: `Deleted ${whatIs(value.path, value)}.${back}` });
      }),
    undo: (_, output, ctx) =>
      said(async () => {
        const { kept, path } = output;
        if (kept === null) {
          throw new FileProblem(
            "cannot-undo",
            `What ${path} held was too much to keep. It cannot be put back.`,
          );
        }
        const place = await kit.scope.locate(path, "change");
        const options = { key: keyName(ctx.idempotencyKey), fillIn: false };
        const files = await kit.turns([place.shown], () => restoreTree(kit, place, kept, options));
        return result({ path, files }, { text: `Put ${path} back.` });
      }),
    reconcile: ({ path, recursive }, idempotencyKey) =>
      settled(async () => {
        const intention = await kit.undo.intention(keyName(idempotencyKey));
        if (intention?.thing === undefined) return "did-not-happen";
        const there = await thingAt(kit, await kit.scope.locate(path, "change"));
        if (there === undefined) return "happened";
        // A folder that is still there may have lost a part of what was in it.
        return there === intention.thing && !recursive ? "did-not-happen" : "unknown";
      }),
  });
}

function whatIs(shown: string, found: Pick<Survey, "kind" | "files" | "folders" | "bytes">): string {
  if (found.kind === "file") return `${shown} (${sizeInWords(found.bytes)})`;
  if (found.files + found.folders === 0) return `the empty folder ${shown}`;
  return `the folder ${shown} with ${inside(found)} in it (${sizeInWords(found.bytes)})`;
}

function listed(found: Survey): string {
  const more = found.files + found.folders - found.names.length;
  const rest = more > 0 ? [`and ${more} more`] : [];
  const held = found.files + found.folders > 0 ? [heldInWords(found)] : [];
  return [...found.names.map(nameInWords), ...rest, ...held].join("\n");
}
