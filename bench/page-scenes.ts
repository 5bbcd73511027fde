import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

/** What the page is measured with: a long answer, a long conversation, and a page with nothing on it. */

const PARAGRAPH =
  "A paragraph with *some* emphasis, a [link](https://example.com/), `code` in the line and words enough to fill two lines of a screen that is not too wide for reading.";
const KINDS = [
  (i: number) => `## Part ${i}`,
  () => PARAGRAPH,
  (i: number) => `- one thing of part ${i}\n- another thing, which is **longer** than the first\n- a third`,
  (i: number) =>
    `\`\`\`ts\nexport function part${i}(given: number): number {\n  return given * ${i};\n}\n\`\`\``,
  () => PARAGRAPH,
  (i: number) => `| name | value |\n| --- | ---: |\n| part | ${i} |\n| other | ${i * 2} |`,
];

/** Markdown of all kinds, at least so long. */
export function longMarkdown(chars: number): string {
  let text = "";
  for (let i = 0; text.length < chars; i++) text += `${KINDS[i % KINDS.length]!(i)}\n\n`;
  return text.trimEnd();
}

/** Writes the one transcript of a state directory anew, as if it had been talked in for long. */
export function lengthen(home: string, turns: number): void {
  const folder = join(home, "sessions/default");
  const file = join(folder, readdirSync(folder).find((name) => name.endsWith(".jsonl")) ?? "");
  const [asked, said] = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const many = Array.from({ length: turns }, (_, i) => {
    const run = `run_${String(i).padStart(26, "0")}`;
    const answer = `Answer ${i}.\n\n${PARAGRAPH}\n\n- one thing\n- another`;
    return [
      { ...asked, id: `msg_q${i}`, run, i: 0, n: 2, blocks: [{ type: "text", text: `Question ${i}` }] },
      { ...said, id: `msg_a${i}`, run, i: 1, n: 2, blocks: [{ type: "text", text: answer }] },
    ];
  });
  const lines = many.flat().map((line) => `${JSON.stringify(line)}\n`);
  writeFileSync(file, lines.join(""));
}

export interface EmptySite extends AsyncDisposable {
  readonly url: string;
}

/** One line of HTML and nothing else: as fast as a page on this machine can be. */
export async function emptySite(): Promise<EmptySite> {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end("<!doctype html><html lang=en><title>empty</title><p>Nothing.");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
