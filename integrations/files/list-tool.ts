import { defineTool, result, type ToolDefinition } from "@elwood/sdk/tool";
import { z } from "zod";
import { countInWords, sizeInWords } from "./file-content.ts";
import { type FilesKit, nameInWords, pathFacts, saidOf } from "./kit.ts";
import { READ_LABELS } from "./labels.ts";
import { byNames, lookThrough, type Looked } from "./look-through.ts";
import type { FoundEntry } from "./look.ts";
import { nameOf, pathOf, type Place } from "./scope.ts";

const entryShape = z.strictObject({
  /** As the other file tools take it. */
  path: z.string(),
  /** Below the folder that was listed. */
  name: z.string(),
  kind: z.enum(["file", "folder", "link", "other", "protected"]),
  bytes: z.number().optional(),
  modified: z.string().optional(),
});
type Entry = z.infer<typeof entryShape>;

export function listTool(kit: FilesKit): ToolDefinition {
  const { limits } = kit;
  const input = z.strictObject({
    path: z.string().min(1).default(".").describe(kit.pathWords),
    depth: z.int().min(1).max(limits.pathDepthMax).default(1),
    hidden: z.boolean().default(false),
    glob: z.string().max(limits.searchPatternCharsMax).optional(),
  });
  const output = z.strictObject({
    path: z.string(),
    entries: z.array(entryShape),
    files: z.number(),
    folders: z.number(),
    /** Names that begin with a dot and were left out. */
    leftOut: z.number(),
    complete: z.boolean(),
  });
  return defineTool({
    id: "files.file.list",
    description: "Lists a folder, or with glob what fits below it.",
    risk: "read",
    input,
    output,
    labels: READ_LABELS,
    idempotent: true,
    target: async ({ path, glob }) => {
      const folder = await nameOf(kit.scope, path);
      return glob === undefined ? folder : `${glob} in ${folder}`;
    },
    facts: ({ path }) => pathFacts(kit, path, "read", "names"),
    handler: ({ path, depth, hidden, glob }, ctx) =>
      saidOf(kit, path, async () => {
        const place = await kit.scope.locate(path, "read");
        // Of a folder that is named, all is listed; what is deeper, or looked for, as a search would find it.
        const looks = glob !== undefined || depth > 1;
        const looked = await lookThrough(
          kit,
          place,
          {
            hidden,
            ignoring: looks && !hidden,
            depthMax: glob === undefined ? depth : Math.max(depth, limits.pathDepthMax),
            entriesMax: limits.listEntriesMax,
            visitedMax: limits.lookedEntriesMax,
            ...(glob !== undefined && { glob }),
          },
          ctx.signal,
        );
        const found = looked.entries.toSorted((a, b) => byNames(a.names, b.names));
        const entries = found.map((entry) => described(kit, place, entry));
        const count = (kind: Entry["kind"]) => entries.filter((entry) => entry.kind === kind).length;
        const value = {
          path: place.shown,
          entries,
          files: count("file"),
          folders: count("folder"),
          leftOut: looked.leftOut + looked.ignored,
          complete: looked.complete,
        };
        return result(value, {
          // Of a look below a folder, what is hidden somewhere is no answer to what was asked.
          text: inWords(
            value,
            found.map(shownName),
            looks && entries.length > 0 ? { ...looked, leftOut: 0 } : looked,
          ),
          truncated: !looked.complete,
        });
      }),
  });
}

function described(
  { localTime }: FilesKit,
  place: Place,
  { names, kind, bytes, modified }: FoundEntry,
): Entry {
  return {
    path: pathOf(place, shownName({ names })),
    name: nameInWords(names.at(-1) ?? ""),
    kind,
    ...(bytes !== undefined && { bytes }),
    ...(modified !== undefined && { modified: localTime(modified) }),
  };
}

/** Below the folder that is listed. */
function shownName({ names }: Pick<FoundEntry, "names">): string {
  return names.map(nameInWords).join("/");
}

const MARKS: Readonly<Record<Entry["kind"], string>> = {
  file: "",
  folder: "/",
  link: " (a link, not followed)",
  other: " (not a file)",
  protected: " (protected)",
};

function inWords(
  list: {
    path: string;
    entries: readonly Entry[];
    files: number;
    folders: number;
    complete: boolean;
  },
  names: readonly string[],
  { leftOut, ignored }: Looked,
): string {
  const lines = list.entries.map(({ kind, bytes, modified }, i) => {
    const size = bytes === undefined ? "" : `  ${sizeInWords(bytes)}`;
    return `${names[i]}${MARKS[kind]}${size}${modified === undefined ? "" : `  ${modified.slice(0, 16).replace("T", " ")}`}`;
  });
  const more = list.complete ? "" : " There is more; list a deeper folder.";
  const dots =
    (leftOut === 0 ? "" : ` ${leftOut} hidden left out.`) +
    (ignored === 0 ? "" : ` ${ignored} left out by .gitignore; hidden lists them too.`);
  const held = `${countInWords(list.files, "file")}, ${countInWords(list.folders, "folder")}`;
  return [...lines, `[${list.path}: ${held}.${dots}${more}]`].join("\n");
}
