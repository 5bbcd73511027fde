import { defineTool, result, type ToolDefinition } from "@elwood/sdk/tool";
import { z } from "zod";
import { countInWords, sizeInWords } from "./file-content.ts";
import { type FilesKit, nameInWords, pathFacts, saidOf } from "./kit.ts";
import { READ_LABELS } from "./labels.ts";
import { walkTree, type TreeEntry } from "./tree.ts";
import { nameOf } from "./scope.ts";

const entryShape = z.strictObject({
  path: z.string(),
  kind: z.enum(["file", "folder", "link", "other", "protected"]),
  bytes: z.number().optional(),
  modified: z.string().optional(),
});
type Entry = z.infer<typeof entryShape>;

export function listTool(kit: FilesKit): ToolDefinition {
  const { limits } = kit;
  const input = z.strictObject({
    path: z.string().min(1).default(".").describe(kit.pathWords),
    depth: z.int().min(1).max(limits.listDepthMax).default(1),
    hidden: z.boolean().default(false),
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
    description: "Lists what is in a folder, with sizes and times.",
    risk: "read",
    input,
    output,
    labels: READ_LABELS,
    idempotent: true,
    target: ({ path }) => nameOf(kit.scope, path),
    facts: ({ path }) => pathFacts(kit, path, "read", "names"),
    handler: ({ path, depth, hidden }, ctx) =>
      saidOf(kit, path, async () => {
        const place = await kit.scope.locate(path, "read");
        const entries: Entry[] = [];
        let leftOut = 0;
        const complete = await kit.opener.inFolder(place, (folder) =>
          walkTree(kit, folder, place, {
            depthMax: depth,
            signal: ctx.signal,
            visit: async (entry) => {
              if (!hidden && entry.name.startsWith(".")) {
                leftOut++;
                return "skip";
              }
              if (entries.length >= limits.listEntriesMax) return "stop";
              entries.push(described(entry));
              return "go-on";
            },
          }),
        );
        const count = (kind: Entry["kind"]) => entries.filter((entry) => entry.kind === kind).length;
        const value = {
          path: place.shown,
          entries,
          files: count("file"),
          folders: count("folder"),
          leftOut,
          complete,
        };
        return result(value, { text: inWords(value), truncated: !complete });
      }),
  });
}

function described(entry: TreeEntry): Entry {
  const path = entry.names.map(nameInWords).join("/");
  if (entry.hidden) return { path, kind: "protected" };
  const modified = new Date(Number(entry.stats.mtimeMs)).toISOString();
  return entry.kind === "file"
    ? { path, kind: "file", bytes: Number(entry.stats.size), modified }
    : { path, kind: entry.kind, modified };
}

const MARKS: Readonly<Record<Entry["kind"], string>> = {
  file: "",
  folder: "/",
  link: " (a link, not followed)",
  other: " (not a file)",
  protected: " (protected)",
};

function inWords(list: {
  path: string;
  entries: readonly Entry[];
  files: number;
  folders: number;
  leftOut: number;
  complete: boolean;
}): string {
  const lines = list.entries.map(({ path, kind, bytes, modified }) => {
    const size = bytes === undefined ? "" : `  ${sizeInWords(bytes)}`;
    return `${path}${MARKS[kind]}${size}${modified === undefined ? "" : `  ${modified.slice(0, 16)}Z`}`;
  });
  const more = list.complete ? "" : " There is more; list a deeper folder.";
  const dots = list.leftOut === 0 ? "" : ` ${list.leftOut} hidden left out.`;
  const held = `${countInWords(list.files, "file")}, ${countInWords(list.folders, "folder")}`;
  return [...lines, `[${list.path}: ${held}.${dots}${more}]`].join("\n");
}
