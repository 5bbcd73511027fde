import { execFile } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { HandsPart } from "./hands.ts";
import { quantile } from "./processes.ts";

const MEASURE = fileURLToPath(new URL("../apps/gateway/bench/page-cost.ts", import.meta.url));
const ROUNDS = 30;
const PARAGRAPHS = 60;

/** What fetching a page costs through the guarded client, and making readable text of it, against a bare fetch of the same page. */
export async function measure(): Promise<HandsPart> {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(article());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [MEASURE, site, String(ROUNDS)]);
    const taken = JSON.parse(stdout) as Record<"bare" | "guarded" | "readable", number[]>;
    const figures = {
      bareMs: quantile(taken.bare, 0.5),
      guardedMs: quantile(taken.guarded, 0.5),
      readableMs: quantile(taken.readable, 0.5),
      pageBytes: article().length,
    };
    const baseline = `bare fetch ${figures.bareMs.toFixed(1)} ms`;
    return {
      name: "page",
      figures,
      rows: [
        {
          what: "page: fetch through the guarded client (p50)",
          value: `${figures.guardedMs.toFixed(1)} ms`,
          baseline,
        },
        {
          what: "page: fetch and readable text (p50)",
          value: `${figures.readableMs.toFixed(1)} ms`,
          baseline,
        },
      ],
    };
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

function article(): string {
  const paragraph = (n: number) =>
    `<p>Paragraph ${n}: a plain sentence with <a href="/more/${n}">a link</a>, some <b>weight</b>, and enough words to be taken for an article by a reader.</p>`;
  const menu = Array.from({ length: 40 }, (_, n) => `<li><a href="/menu/${n}">Entry ${n}</a></li>`).join("");
  const body = Array.from({ length: PARAGRAPHS }, (_, n) => paragraph(n)).join("\n");
  return `<!doctype html><html lang="en"><head><title>An article</title></head><body><nav><ul>${menu}</ul></nav><article><h1>An article</h1>${body}</article></body></html>`;
}
