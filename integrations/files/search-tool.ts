import { defineTool, result, type ToolDefinition } from "@elwood/sdk/tool";
import { z } from "zod";
import { countInWords, readWhole, textOf } from "./file-content.ts";
import { errorCode, FileProblem, isMissing } from "./file-problem.ts";
import { matchesGlob } from "./glob.ts";
import { type FilesKit, nameInWords, pathFacts, said } from "./kit.ts";
import { READ_LABELS } from "./labels.ts";
import { startLineSearch } from "./line-search.ts";
import type { OpenFile } from "./safe-open.ts";
import { walkTree, type TreeEntry } from "./tree.ts";

export function searchTool(kit: FilesKit): ToolDefinition {
  const { limits } = kit;
  const input = z.strictObject({
    query: z.string().min(1).max(limits.searchPatternCharsMax),
    path: z.string().min(1).default(".").describe(kit.pathWords),
    regex: z.boolean().default(false),
    caseSensitive: z.boolean().default(false),
    glob: z.string().max(limits.searchPatternCharsMax).optional().describe("Which files, such as *.md"),
    hidden: z.boolean().default(false),
  });
  const output = z.strictObject({
    path: z.string(),
    matches: z.array(z.strictObject({ path: z.string(), line: z.number(), text: z.string() })),
    filesSearched: z.number(),
    complete: z.boolean(),
  });
  return defineTool({
    id: "files.file.search",
    description: "Finds lines in the text files under a folder.",
    risk: "read",
    input,
    output,
    labels: { ...READ_LABELS, critical: ["path", "query"] },
    idempotent: true,
    target: ({ path, query }) => `"${query}" in ${path}`,
    facts: ({ path }) => pathFacts(kit, path, "read"),
    handler: ({ query, path, regex, caseSensitive, glob, hidden }, ctx) =>
      said(async () => {
        const place = await kit.scope.locate(path, "read");
        // Who was asked about a folder of keys allowed all that is in it.
        const isAllowed = kit.scope.holdsKeys(place);
        const time = AbortSignal.timeout(limits.searchMs);
        const search = startLineSearch(
          { query, regex, caseSensitive },
          limits.searchLineCharsMax,
          AbortSignal.any([ctx.signal, time]),
        );
        const matches: { path: string; line: number; text: string }[] = [];
        let filesSearched = 0;
        let bytesLeft = limits.searchBytesMax;
        let skippedLarge = 0;
        try {
          const visit = async (entry: TreeEntry) => {
            if (!hidden && entry.name.startsWith(".")) return "skip";
            if (entry.hidden || entry.kind !== "file") return "go-on";
            if (!isAllowed && kit.scope.holdsKeys(entry.place)) return "go-on";
            if (glob !== undefined && !matchesGlob(glob, entry.names)) return "go-on";
            if (entry.stats.size > BigInt(limits.searchFileBytesMax)) {
              skippedLarge++;
              return "go-on";
            }
            if (time.aborted || bytesLeft <= 0) return "stop";
            const text = await textAt(entry);
            if (text === undefined) return "go-on";
            bytesLeft -= text.length;
            const found = await search.find(text, limits.searchMatchesMax - matches.length);
            if (found === undefined) return "stop";
            filesSearched++;
            const name = entry.names.map(nameInWords).join("/");
            for (const match of found) matches.push({ path: name, ...match });
            return matches.length >= limits.searchMatchesMax ? "stop" : "go-on";
          };
          const all = await kit.opener.inFolder(place, (folder) =>
            walkTree(kit, folder, place, { depthMax: limits.pathDepthMax, signal: ctx.signal, visit }),
          );
          ctx.signal.throwIfAborted();
          const complete = all && skippedLarge === 0;
          const value = { path: place.shown, matches, filesSearched, complete };
          return result(value, { text: inWords(value, all, skippedLarge), truncated: !complete });
        } finally {
          await search.close();
        }
      }),
  });

  /** Undefined for what is not text, went away meanwhile, or may not be opened. */
  async function textAt({ folder, name, place }: TreeEntry): Promise<string | undefined> {
    let file: OpenFile | undefined;
    try {
      file = await kit.opener.openFile({ folder, name, place });
      if (file === undefined) return undefined;
      return textOf(await readWhole(file, limits.searchFileBytesMax, place.shown));
    } catch (error) {
      if (error instanceof FileProblem || isMissing(error) || errorCode(error) === "EIO") return undefined;
      throw error;
    } finally {
      await file?.handle.close();
    }
  }
}

function inWords(
  found: {
    path: string;
    matches: readonly { path: string; line: number; text: string }[];
    filesSearched: number;
  },
  all: boolean,
  skippedLarge: number,
): string {
  const lines = found.matches.map(({ path, line, text }) => `${path}:${line}: ${text}`);
  const large =
    skippedLarge === 0
      ? ""
      : ` ${countInWords(skippedLarge, "large file was", "large files were")} not searched.`;
  const more = all ? "" : " The search stopped before its end; narrow it.";
  const count = countInWords(found.matches.length, "line");
  const files = countInWords(found.filesSearched, "file");
  return [...lines, `[${count} in ${files} of ${found.path}.${large}${more}]`].join("\n");
}
