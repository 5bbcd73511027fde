import { constants } from "node:fs";
import { mkdir, open, rmdir } from "node:fs/promises";
import { defineTool, result, type CallFact, type ToolDefinition } from "@elwood/sdk/tool";
import { z } from "zod";
import { removeIfThere } from "./atomic-write.ts";
import { contentShown, goingShown } from "./change-preview.ts";
import { peek, thingAt, putContent, readCurrent, removeMadeFolders } from "./content-change.ts";
import { countInWords, sizeInWords } from "./file-content.ts";
import { FileProblem, problemOf } from "./file-problem.ts";
import {
  agentFileFact,
  keyFileFact,
  denyFacts,
  type FilesKit,
  halfDone,
  keyName,
  pathFacts,
  refuseStopped,
  said,
  settled,
  withUndoableAt,
} from "./kit.ts";
import { WRITE_LABELS } from "./labels.ts";
import { pathNames, pathSpelling } from "./path-names.ts";
import type { Spot } from "./safe-open.ts";
import { baseOf, identityOf, nameOf, type Place, thingOf } from "./scope.ts";
import { walkTree } from "./tree.ts";
import { heldInWords, survey, type Survey } from "./tree-survey.ts";

const moved = z.strictObject({
  from: z.string(),
  to: z.string(),
  /** What was moved, told from all else. */
  thing: z.string(),
  /** Hash of the content that `to` had before; null if there was nothing. */
  replaced: z.string().nullable(),
  madeFolders: z.array(z.string()),
  /** Of a file. */
  bytes: z.number().optional(),
});

interface MoveCall {
  readonly key: string;
  readonly overwrite: boolean;
  readonly signal: AbortSignal;
  readonly promised: boolean;
}

export function moveTool(kit: FilesKit): ToolDefinition {
  const { limits, opener } = kit;
  const input = z.strictObject({
    from: z.string().min(1).describe(kit.pathWords),
    to: z.string().min(1).describe(kit.pathWords),
    overwrite: z.boolean().default(false),
  });

  async function places(call: { from: string; to: string }): Promise<{ from: Place; to: Place }> {
    return {
      from: await kit.scope.locate(call.from, "change"),
      to: await kit.scope.locate(call.to, "change"),
    };
  }

  /** What is inside of a folder may belong to an agent where it is, or where it goes. */
  async function insideFacts(call: { from: string; to: string }): Promise<CallFact[]> {
    try {
      const { from, to } = await places(call);
      const elsewhere = (names: readonly string[]) => ({ ...to, names: [...to.names, ...names] });
      const found = await opener.atSpot(from, {}, (spot) =>
        survey(kit, spot, new AbortController().signal, { elsewhere }),
      );
      return [
        ...(found?.agentPlace === undefined ? [] : [agentFileFact()]),
        ...(found?.keyPlace === undefined ? [] : [keyFileFact(found.keyPlace)]),
      ];
    } catch (error) {
      return denyFacts(error);
    }
  }

  async function move(call: { from: string; to: string }, how: MoveCall): Promise<z.infer<typeof moved>> {
    const { from, to } = await places(call);
    if (`${to.shown}/`.startsWith(`${from.shown}/`)) {
      throw new FileProblem("bad-path", `${from.shown} cannot be moved into itself.`);
    }
    const made: string[] = [];
    const done = kit.turns([from.shown, to.shown], () =>
      opener.atSpot(from, {}, (source) =>
        opener.atSpot(to, { makeFolders: made }, (target) => moveSpot(source, target, made, how)),
      ),
    );
    return done.catch(async (error: unknown) => {
      await removeMadeFolders(kit, made);
      throw error;
    });
  }

  async function moveSpot(source: Spot, target: Spot, madeFolders: string[], how: MoveCall) {
    const shown = source.place.shown;
    await survey(kit, source, how.signal);
    const stats = await opener.look(source);
    if (stats === undefined) throw new FileProblem("not-found", `${shown} does not exist.`);
    const there = await opener.look(target);
    const sameThing = there !== undefined && identityOf(there) === identityOf(stats);
    let replaced: string | null = null;
    if (there !== undefined && !sameThing) {
      if (!how.overwrite || there.isDirectory() || stats.isDirectory()) throw taken(target.place.shown);
      const current = await readCurrent(kit, target, limits.undoItemBytesMax);
      replaced =
        current === undefined
          ? null
          : ((await kit.undo.keep(current.bytes, { promised: how.promised })) ?? null);
    }
    await kit.undo.note(how.key, { v: 1, thing: thingOf(stats) });
    refuseStopped(how.signal);
    const claimed = there === undefined;
    if (claimed) await claim(target, stats.isDirectory());
    try {
      await kit.disk.rename(source.folder.at(source.name), target.folder.at(target.name));
    } catch (error) {
      if (claimed) await unclaim(target, stats.isDirectory());
      throw problemOf(error, target.place.shown);
    }
    await kit.disk.sync(target.folder.handle);
    await kit.disk.sync(source.folder.handle);
    const arrived = await opener.look(target).catch(() => undefined);
    const thing = thingOf(arrived ?? stats);
    const bytes = stats.isFile() ? { bytes: Number(stats.size) } : {};
    return { from: shown, to: target.place.shown, thing, replaced, madeFolders, ...bytes };
  }

  /**
   * What would come to lie where it tells Elwood who it is or what it can do: such a file is
   * shown as if it were written there. undefined where it goes elsewhere, or holds keys.
   */
  async function brought(from: Place, to: Place, found: Survey, signal: AbortSignal) {
    const isAgentPlace = await kit.scope.agentPlaces();
    const shownOf = async (place: Place) => {
      if (kit.scope.holdsKeys(place)) return undefined;
      try {
        return contentShown(await peek(kit, place, limits.undoItemBytesMax), limits.previewCharsMax);
      } catch (error) {
        if (error instanceof FileProblem && error.code === "too-large") return undefined;
        throw error;
      }
    };
    if (found.kind === "file") return isAgentPlace(to) ? shownOf(from) : undefined;
    const parts: string[] = [];
    let chars = 0;
    let left = 0;
    await opener.inFolder(from, (folder) =>
      walkTree(kit, folder, from, {
        depthMax: limits.pathDepthMax,
        signal,
        visit: async (entry) => {
          if (entry.kind !== "file") return "go-on";
          if (!isAgentPlace({ ...to, names: [...to.names, ...entry.names] })) return "go-on";
          const text = chars < limits.previewCharsMax ? await shownOf(entry.place) : undefined;
          if (text === undefined) left += 1;
          else parts.push(`${entry.names.join("/")}:\n${text}`);
          chars += text?.length ?? 0;
          return "go-on";
        },
      }),
    );
    if (parts.length === 0) return undefined;
    const rest = left === 0 ? [] : [`(and ${countInWords(left, "more file")} that cannot be shown here)`];
    return [heldInWords(found), ...parts, ...rest].join("\n\n");
  }

  return defineTool({
    id: "files.file.move",
    description:
      "Moves or renames a file or a folder; to is its whole new path. Replaces nothing unless overwrite is set.",
    risk: "write",
    input,
    output: moved,
    labels: { ...WRITE_LABELS, critical: ["from", "to", "overwrite"], content: [] },
    target: async ({ from, to }) => `${await nameOf(kit.scope, from)} to ${await nameOf(kit.scope, to)}`,
    facts: async (call) =>
      withUndoableAt(kit, call.to, [
        ...(await pathFacts(kit, call.from, "change")),
        ...(await pathFacts(kit, call.to, "change")),
        ...(await insideFacts(call)),
      ]),
    names: ({ from, to }) => pathNames(kit, { from, to }),
    spelling: ({ from, to }) => pathSpelling(kit, { from, to }),
    preview: (call, signal) =>
      said(async () => {
        const { from, to } = await places(call);
        const found = await opener.atSpot(from, {}, (spot) => survey(kit, spot, signal));
        if (found === undefined) throw new FileProblem("not-found", `${from.shown} does not exist.`);
        const what =
          found.kind === "file"
            ? from.shown
            : `${from.shown} with ${countInWords(found.files, "file")} in it`;
        const there = await thingAt(kit, to);
        if (there !== undefined && !call.overwrite) throw taken(to.shown);
        const current =
          there === undefined
            ? undefined
            : await opener.atSpot(to, {}, (spot) => readCurrent(kit, spot, limits.undoItemBytesMax));
        // What the folder holds belongs to what is approved; it goes along unchanged.
        const held = found.kind === "folder" ? `\n${heldInWords(found)}` : "";
        const content = await brought(from, to, found, signal);
        return {
          sentence:
            current === undefined
              ? `Move ${what} to ${to.shown}.`
              : `Move ${what} over ${to.shown}, which is replaced.`,
          ...(content !== undefined
            ? {
                before: contentShown(current?.bytes, limits.previewCharsMax),
                after: content,
                creates: current === undefined,
              }
            : {
                ...(current === undefined
                  ? { before: `${from.shown}${held}` }
                  : goingShown(current.bytes, limits.deletedCharsMax)),
                after: `${to.shown}${held}`,
              }),
          subject: from.shown,
          base: baseOf(from),
          undoable: true,
        };
      }),
    handler: ({ from, to, overwrite }, ctx) =>
      said(async () => {
        const key = keyName(ctx.idempotencyKey);
        const value = await move(
          { from, to },
          { key, overwrite, signal: ctx.signal, promised: ctx.undoPromised === true },
        );
        const size = value.bytes === undefined ? "" : ` (${sizeInWords(value.bytes)})`;
        return result(value, { text: `Moved ${value.from} to ${value.to}${size}.` });
      }),
    undo: (_, output, ctx) =>
      said(async () => {
        if ((await thingAt(kit, await kit.scope.locate(output.to, "change"))) !== output.thing) {
          throw new FileProblem(
            "cannot-undo",
            `${output.to} is no longer what was moved there. It was left as it is.`,
          );
        }
        const replaced = output.replaced === null ? undefined : await kit.undo.get(output.replaced);
        if (output.replaced !== null && replaced === undefined) {
          throw new FileProblem(
            "cannot-undo",
            `What ${output.to} held before is no longer kept, so this can no longer be taken back. Nothing was moved.`,
          );
        }
        const key = keyName(ctx.idempotencyKey);
        await move(
          { from: output.to, to: output.from },
          { key, overwrite: false, signal: ctx.signal, promised: false },
        );
        if (replaced !== undefined) {
          await putContent(kit, output.to, replaced, key).catch((error: unknown) => {
            throw halfDone(
              `${output.from} is back, but what ${output.to} held before could not be put back.`,
              error,
            );
          });
        }
        await removeMadeFolders(kit, output.madeFolders);
        return result({ path: output.from }, { text: `Moved ${output.to} back to ${output.from}.` });
      }),
    reconcile: (call, idempotencyKey) =>
      settled(async () => {
        const intention = await kit.undo.intention(keyName(idempotencyKey));
        if (intention?.thing === undefined) return "did-not-happen";
        const { from, to } = await places(call);
        if ((await thingAt(kit, to)) === intention.thing) return "happened";
        return (await thingAt(kit, from)) === intention.thing ? "did-not-happen" : "unknown";
      }),
  });
}

/**
 * Takes the new name before the move, so that the move replaces only what is ours: the system's
 * own rename would silently replace a file that somebody put there a moment ago.
 */
async function claim(target: Spot, folder: boolean): Promise<void> {
  const path = target.folder.at(target.name);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  try {
    if (folder) await mkdir(path);
    else await (await open(path, flags, 0o600)).close();
  } catch (error) {
    throw problemOf(error, target.place.shown);
  }
}

async function unclaim(target: Spot, folder: boolean): Promise<void> {
  const path = target.folder.at(target.name);
  if (folder) await rmdir(path);
  else await removeIfThere(path);
}

function taken(shown: string): FileProblem {
  return new FileProblem(
    "exists",
    `${shown} exists already. Nothing was moved. Choose another name, or set overwrite for a file.`,
  );
}
