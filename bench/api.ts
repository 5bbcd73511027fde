import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, createServer, request as ask, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { BenchOptions, BenchReport, BenchRow } from "./main.ts";
import { descendant, freePort, pssMb, quantile, startAndTime, stop } from "./processes.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const WARM_UP = 100;
const ROUNDS = 5;
const ALONE_PER_ROUND = 60;
const TOGETHER_PER_ROUND = 400;
const AT_ONCE = 16;
const ADDED_MS_MAX = 8;
const RATE_SHARE_MIN = 1 / 3;

const STREAMS = 1_000;
/** Of these, one in ten reads nothing at all, and one in ten of those is sent more than any buffer takes. */
const SILENT_EVERY = 10;
const ENDLESS_EVERY = 100;
/** So many are opened at a time. Nothing is streamed until all are open. */
const OPENED_AT_ONCE = 50;
const STREAM_PIECES = 400;
const PIECE = "word ".repeat(200);
const STREAMED_MB_MAX = 150;
const SETTLE_MS = 2_000;

/**
 * What Elwood costs a program that uses it as its model: `/v1/chat/completions` against a bare proxy that
 * commits one row for each request, by turns in the same run, with a model that answers at once. Then a thousand
 * streams side by side, some of which nobody reads: each brings 400 KB, a few never end, and none of it may be held
 * for long.
 */
export async function bench(_args: readonly string[], options: BenchOptions): Promise<BenchReport> {
  const folder = mkdtempSync(join(tmpdir(), "elwood-bench-"));
  const streams = Number(options["scale"] ?? STREAMS);
  const model = await startModel();
  const home = join(folder, "home");
  mkdirSync(home, { mode: 0o700 });
  const provider = { here: { baseUrl: `${model.url}/v1` } };
  writeFileSync(
    join(home, "bench.yaml"),
    JSON.stringify({
      api: { openai: true },
      browser: { enabled: false },
      providers: provider,
      actions: { helper: { model: "here/local-1" } },
    }),
  );
  const [port, proxyPort] = [await freePort(), await freePort()];
  const proxy = await startAndTime(
    "node",
    [join(ROOT, "bench/api-proxy.mjs"), String(proxyPort), join(folder, "proxy.db"), model.url],
    `http://127.0.0.1:${proxyPort}/`,
    process.env,
  );
  const gateway = await startAndTime(
    "node",
    [
      join(ROOT, "apps/cli/bin/elwood.mjs"),
      "--config",
      join(home, "bench.yaml"),
      "up",
      "--no-open",
      "--port",
      String(port),
    ],
    `http://127.0.0.1:${port}/readyz`,
    { ...process.env, CI: "1", ELWOOD_HOME: home },
  );
  try {
    const token = readFileSync(join(home, "keys/owner-token"), "utf8").trim();
    const sides = { elwood: { port, token }, bare: { port: proxyPort, token } };
    const measured = {
      elwood: { ms: [] as number[], rate: [] as number[] },
      bare: { ms: [] as number[], rate: [] as number[] },
    };
    for (const name of ["elwood", "bare"] as const) await together(sides[name], WARM_UP);
    for (let round = 0; round < ROUNDS; round++)
      for (const name of ["elwood", "bare"] as const) {
        for (let i = 0; i < ALONE_PER_ROUND; i++) measured[name].ms.push(await timed(sides[name]));
        measured[name].rate.push(await together(sides[name], TOGETHER_PER_ROUND));
      }
    const pid = descendant(gateway.child.pid!, (line) => line.includes(" up ")) || gateway.child.pid!;
    const memory = await streamed(sides.elwood, streams, pid, () => model.go());
    return report(measured, memory, streams);
  } finally {
    await stop(gateway.child);
    await stop(proxy.child);
    await model.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Side {
  readonly port: number;
  readonly token: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 2_000 });

function post({ port, token }: Side, body: object, path = "/v1/chat/completions"): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = ask({ host: "127.0.0.1", port, path, method: "POST", agent }, (response) =>
      resolve(response),
    );
    request.setHeader("content-type", "application/json");
    request.setHeader("authorization", `Bearer ${token}`);
    request.on("error", reject);
    request.end(JSON.stringify(body));
  });
}

const QUESTION = { model: "helper", messages: [{ role: "user", content: "hello" }] };

const LONG = "stream me";
const ENDLESS = "stream me for ever";

async function timed(side: Side): Promise<number> {
  const began = performance.now();
  const response = await post(side, QUESTION);
  let text = "";
  for await (const piece of response) text += String(piece);
  if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${text.slice(0, 300)}`);
  return performance.now() - began;
}

/** Requests a second, with so many under way at once. */
async function together(side: Side, count: number): Promise<number> {
  const began = performance.now();
  let left = count;
  const worker = async () => {
    while (left-- > 0) await timed(side);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return (count / (performance.now() - began)) * 1_000;
}

interface Memory {
  readonly beforeMb: number;
  readonly mostMb: number;
  readonly afterMb: number;
  readonly whole: number;
}

/** All streams at once: readers read to the end, the others hang up once those are done. */
async function streamed(side: Side, count: number, pid: number, go: () => void): Promise<Memory> {
  const beforeMb = pssMb(pid);
  let mostMb = beforeMb;
  const watch = setInterval(() => (mostMb = Math.max(mostMb, pssMb(pid))), 200);
  const open: IncomingMessage[] = [];
  while (open.length < count) {
    const some = Math.min(OPENED_AT_ONCE, count - open.length);
    const asked = Array.from({ length: some }, (_, i) => {
      const content = (open.length + i) % ENDLESS_EVERY === 0 ? ENDLESS : LONG;
      return post(side, { model: "helper", messages: [{ role: "user", content }], stream: true });
    });
    open.push(...(await Promise.all(asked)));
  }
  const readers = open.filter((_, i) => i % SILENT_EVERY !== 0);
  const silent = open.filter((_, i) => i % SILENT_EVERY === 0);
  for (const response of silent) {
    response.pause();
    // It is hung up in the end, by us or by a gateway that waited long enough.
    response.on("error", () => undefined);
  }
  let whole = 0;
  const read = readers.map(async (response) => {
    let last = "";
    for await (const piece of response) last = String(piece);
    if (last.includes("[DONE]")) whole++;
  });
  go();
  await Promise.all(read);
  for (const response of silent) response.destroy();
  await wait(SETTLE_MS);
  clearInterval(watch);
  return { beforeMb, mostMb, afterMb: pssMb(pid), whole };
}

function report(
  { elwood, bare }: Readonly<Record<"elwood" | "bare", { readonly ms: number[]; readonly rate: number[] }>>,
  { beforeMb, mostMb, afterMb, whole }: Memory,
  streams: number,
): BenchReport {
  const added = quantile(elwood.ms, 0.5) - quantile(bare.ms, 0.5);
  const rate = quantile(elwood.rate, 0.5);
  const floor = quantile(bare.rate, 0.5);
  const readers = streams - Math.ceil(streams / SILENT_EVERY);
  const grown = mostMb - beforeMb;
  const rows: BenchRow[] = [
    {
      what: "added to a request, median",
      value: `${added.toFixed(1)} ms`,
      baseline: `bare proxy ${quantile(bare.ms, 0.5).toFixed(1)} ms`,
      reach: `≤ ${ADDED_MS_MAX} ms`,
      ok: added <= ADDED_MS_MAX,
    },
    {
      what: `requests a second, ${AT_ONCE} at once`,
      value: `${rate.toFixed(0)}, ${((rate / floor) * 100).toFixed(0)} %`,
      baseline: `bare proxy ${floor.toFixed(0)}`,
      reach: "≥ 33 %",
      ok: rate / floor >= RATE_SHARE_MIN,
    },
    {
      what: `${streams} streams at once, ${streams - readers} of them unread`,
      value: `${whole} read to their end`,
      reach: String(readers),
      ok: whole === readers,
    },
    {
      what: "memory for them, at most",
      value: `${grown.toFixed(0)} MB more, ${(afterMb - beforeMb).toFixed(0)} MB afterwards`,
      baseline: `they bring ${((streams * STREAM_PIECES * PIECE.length) / 1024 ** 2).toFixed(0)} MB`,
      reach: `≤ ${STREAMED_MB_MAX} MB`,
      ok: grown <= STREAMED_MB_MAX,
    },
  ];
  return { name: "api", rows, measured: { added, rate, floor, beforeMb, mostMb, afterMb } };
}

/** A model in OpenAI's format: a short answer at once, or, once it is let go, a long stream as fast as it is taken. */
async function startModel(): Promise<{ readonly url: string; go(): void; close(): Promise<void> }> {
  const letGo = Promise.withResolvers<void>();
  const head = { id: "c", object: "chat.completion.chunk", created: 0, model: "local-1" };
  const chunk = (delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const usage = { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 };
  const end = `${chunk({}, "stop")}data: ${JSON.stringify({ ...head, choices: [], usage })}\n\ndata: [DONE]\n\n`;
  const short = `${chunk({ role: "assistant", content: "A short answer." })}${end}`;
  const server: Server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const question = Buffer.concat(pieces);
      if (!question.includes(LONG)) {
        response.end(short);
        return;
      }
      let left = question.includes(ENDLESS) ? Number.POSITIVE_INFINITY : STREAM_PIECES;
      const piece = chunk({ content: PIECE });
      const go = () => {
        while (left-- > 0) if (!response.write(piece)) return;
        response.end(end);
      };
      response.on("drain", go);
      void letGo.promise.then(go);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    go: letGo.resolve,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
