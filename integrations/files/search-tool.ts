import { documentKind } from "@elwood/sdk/documents/read-document";
import { defineTool, result, type ToolDefinition } from "@elwood/sdk/tool";
import { z } from "zod";
import { peek } from "./content-change.ts";
import { countInWords, textOf } from "./file-content.ts";
import { FileProblem } from "./file-problem.ts";
import { type FilesKit, nameInWords, pathFacts, said } from "./kit.ts";
import { READ_LABELS } from "./labels.ts";
import { lookThrough, type Looked } from "./look-through.ts";
import { pathOf } from "./scope.ts";

export function searchTool(kit: FilesKit): ToolDefinition {
  const { limits } = kit;
  const input = z.strictObject({
    query: z.string().min(1).max(limits.searchPatternCharsMax),
    path: z.string().min(1).default(".").describe(kit.pathWords),
    regex: z.boolean().default(false),
    caseSensitive: z.boolean().default(false),
    glob: z.string().max(limits.searchPatternCharsMax).optional().describe("Such as *.md"),
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
        const search = {
          pattern: { query, regex, caseSensitive },
          // Who was asked about a folder of keys allowed all that is in it.
          keys: kit.scope.holdsKeys(place),
          fileBytesMax: limits.searchFileBytesMax,
          bytesMax: limits.searchBytesMax,
          lineCharsMax: limits.searchLineCharsMax,
        };
        const looked = await lookThrough(
          kit,
          place,
          {
            search,
            hidden,
            ignoring: !hidden,
            depthMax: limits.pathDepthMax,
            entriesMax: limits.searchMatchesMax,
            visitedMax: limits.lookedEntriesMax,
            ...(glob !== undefined && { glob }),
          },
          ctx.signal,
        );
        const matches = looked.matches.map(({ names, line, text }) => ({
          path: pathOf(place, names.map(nameInWords).join("/")),
          line,
          text,
        }));
        const complete = looked.complete && looked.large === 0;
        const value = { path: place.shown, matches, filesSearched: looked.searched, complete };
        const whole = await smallFiles(kit, matches);
        return result(value, { text: inWords(value, looked, whole), truncated: !complete });
      }),
  });
}

function inWords(
  found: {
    path: string;
    matches: readonly { path: string; line: number; text: string }[];
    filesSearched: number;
  },
  { complete: all, large: skippedLarge, ignored }: Looked,
  whole: readonly { readonly path: string; readonly text: string }[],
): string {
  const lines = found.matches.map(({ path, line, text }) => `${path}:${line}: ${text}`);
  const large =
    skippedLarge === 0
      ? ""
      : ` ${countInWords(skippedLarge, "large file was", "large files were")} not searched.`;
  const left = ignored === 0 ? "" : ` Left out by .gitignore: ${ignored}; hidden searches them too.`;
  const more = all ? "" : " The search stopped before its end; narrow it.";
  const count = countInWords(found.matches.length, "line");
  const files = countInWords(found.filesSearched, "file");
  const texts = whole.map(({ path, text }) => `== ${path}, all of it\n${text.trimEnd()}`);
  return [...lines, `[${count} in ${files}.${large}${left}${more}]`, ...texts].join("\n");
}

const WHOLE_FILES_MAX = 3;
const WHOLE_BYTES_MAX = 1_500;

/** Where little was found, in small files, they are shown whole: they would be read next. */
async function smallFiles(
  kit: FilesKit,
  matches: readonly { readonly path: string }[],
): Promise<{ readonly path: string; readonly text: string }[]> {
  const paths = [...new Set(matches.map(({ path }) => path))];
  if (paths.length > WHOLE_FILES_MAX) return [];
  const whole: { readonly path: string; readonly text: string }[] = [];
  for (const path of paths) {
    try {
      const bytes = await peek(kit, await kit.scope.locate(path, "read"), WHOLE_BYTES_MAX);
      const text = bytes && textOf(bytes);
      // The source of a document is nothing to read.
      if (text !== undefined && documentKind(bytes!, path) === undefined) whole.push({ path, text });
    } catch (error) {
      // Too large, or gone meanwhile: the lines that were found are told all the same.
      if (!(error instanceof FileProblem)) throw error;
    }
  }
  return whole;
}
