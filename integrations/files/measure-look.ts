/**
 * Searches and lists a folder with the tools, and prints milliseconds as JSON: node measure-look.ts <folder> <rounds>
 */
import { directDocuments } from "@elwood/sdk/documents/direct-documents";
import type { ToolContext } from "@elwood/sdk/tool";
import { filesTools } from "./index.ts";

const [folder = "", rounds = "5"] = process.argv.slice(2);
const tools = filesTools({
  roots: [{ path: folder, write: false }],
  denied: [],
  undoDir: `${folder}-undo`,
  documents: directDocuments(),
});
const context: ToolContext = {
  callId: "call",
  session: "ses_1",
  idempotencyKey: "key",
  signal: new AbortController().signal,
  progress: () => undefined,
  fetch: () => Promise.reject(new Error("no file tool reaches the web")),
  secrets: {},
};

async function timed(action: string, input: object): Promise<number> {
  const tool = tools.find(({ id }) => id === `files.file.${action}`)!;
  const begun = performance.now();
  await tool.handler({ path: folder, hidden: false, ...input }, context);
  return performance.now() - begun;
}

const taken = { search: [] as number[], list: [] as number[] };
for (let i = 0; i < Number(rounds); i++) {
  taken.search.push(await timed("search", { query: "a needle in it", regex: false, caseSensitive: false }));
  taken.list.push(await timed("list", { depth: 1, glob: "*-77.md" }));
}
process.stdout.write(`${JSON.stringify(taken)}\n`);
