import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { BenchReport } from "./main.ts";
import { cpuSeconds, descendant, freePort, pssMb, quantile, startAndTime, stop } from "./processes.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const LAUNCHER = join(ROOT, "apps/cli/bin/elwood.mjs");
const ROUNDS = 9;
const TOKENS_PER_SECOND = 200;
const TOKENS = 2_000;
const PROMPT_MS_MAX = 300;
const CPU_MAX = 0.15;
const MEMORY_MB_MAX = 90;
/** The upper edge of the box. */
const BOX = "─".repeat(80);
const SHOWN_MS_MAX = 60_000;

/**
 * The chat in a terminal of its own (`script` makes one), beside a running gateway: how long until
 * the box is there, beside what `node -e 0` takes; what it costs while an answer comes at 200
 * tokens a second; what it writes.
 */
export async function bench(): Promise<BenchReport> {
  const home = mkdtempSync(join(tmpdir(), "elwood-bench-"));
  const model = await steadyModel();
  const port = await freePort();
  const env = {
    ...process.env,
    CI: "1",
    TERM: "xterm-256color",
    ELWOOD_HOME: home,
    ELWOOD_SESSION_TITLES: "off",
    ELWOOD_MODEL: "anthropic/claude-sonnet-5-5",
    ANTHROPIC_API_KEY: "bench-key-not-a-secret",
    ANTHROPIC_BASE_URL: model.url,
  };
  const args = [LAUNCHER, "up", "--no-open", "--port", String(port)];
  const { child: gateway } = await startAndTime("node", args, `http://127.0.0.1:${port}/readyz`, env);
  try {
    const floor: number[] = [];
    const prompt: number[] = [];
    // Round 0 warms the disk cache and compiled code; it does not count.
    for (let round = 0; round <= ROUNDS; round++) {
      const bare = await inTerminal("node -e 0", env).ended();
      const chat = inTerminal(`node ${LAUNCHER} chat`, env);
      const shown = await chat.shows(BOX);
      await chat.shows("lists commands");
      chat.type("\u0004");
      await chat.ended();
      if (round > 0) {
        floor.push(bare);
        prompt.push(shown);
      }
    }
    return report(quantile(floor, 0.5), quantile(prompt, 0.5), await streaming(env));
  } finally {
    await stop(gateway);
    await model.close();
    rmSync(home, { recursive: true, force: true });
  }
}

interface Streamed {
  readonly seconds: number;
  readonly cpu: number;
  readonly memoryMb: number;
  readonly bytes: number;
  readonly frames: number;
}

async function streaming(env: NodeJS.ProcessEnv): Promise<Streamed> {
  const chat = inTerminal(`node ${LAUNCHER} chat`, env);
  await chat.shows("lists commands");
  const pid = descendant(chat.pid, (line) => line.includes("chat") && !line.startsWith("script"));
  // The shell of `script` is in between.
  const node = descendant(pid, (line) => line.startsWith("node") || line.includes("/node "));
  const before = { cpu: cpuSeconds(node), output: chat.output().length };
  const began = performance.now();
  for (const key of "write") chat.type(key);
  chat.type("\r");
  await chat.shows(`word${TOKENS - 1}`);
  const seconds = (performance.now() - began) / 1000;
  const cpu = cpuSeconds(node) - before.cpu;
  const memoryMb = pssMb(node);
  const written = chat.output().slice(before.output);
  chat.type("\u0003");
  chat.type("\u0003");
  await chat.ended();
  return {
    seconds,
    cpu: cpu / seconds,
    memoryMb,
    bytes: Buffer.byteLength(written),
    frames: written.split("\u001b[?2026h").length - 1,
  };
}

function report(floorMs: number, promptMs: number, streamed: Streamed): BenchReport {
  const { seconds, cpu, memoryMb, bytes, frames } = streamed;
  const own = promptMs - floorMs;
  return {
    name: "terminal",
    floorMs,
    promptMs,
    streamed,
    rows: [
      {
        what: "box shown, beyond node -e 0",
        value: `${promptMs.toFixed(0)} ms`,
        baseline: `${floorMs.toFixed(0)} ms`,
        reach: `${own.toFixed(0)} of ≤ ${PROMPT_MS_MAX} ms`,
        ok: own <= PROMPT_MS_MAX,
      },
      {
        what: `CPU at ${TOKENS_PER_SECOND} tokens/s (${(TOKENS / seconds).toFixed(0)} came)`,
        value: `${(cpu * 100).toFixed(1)} % of a core`,
        reach: `≤ ${CPU_MAX * 100} %`,
        ok: cpu <= CPU_MAX,
      },
      {
        what: "memory after it (PSS)",
        value: `${memoryMb.toFixed(0)} MB`,
        reach: `≤ ${MEMORY_MB_MAX} MB`,
        ok: memoryMb <= MEMORY_MB_MAX,
      },
      {
        what: "bytes for a frame",
        value: (bytes / Math.max(1, frames)).toFixed(0),
        baseline: `${frames} frames`,
      },
    ],
  };
}

interface InTerminal {
  readonly pid: number;
  type(keys: string): void;
  output(): string;
  /** Milliseconds from the start until it shows this. */
  shows(words: string): Promise<number>;
  /** Milliseconds until it ended. */
  ended(): Promise<number>;
}

function inTerminal(command: string, env: NodeJS.ProcessEnv): InTerminal {
  const began = performance.now();
  const child: ChildProcess = spawn(
    "script",
    ["-qfec", `stty cols 100 rows 30; exec ${command}`, "/dev/null"],
    {
      env,
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  const over = once(child, "exit").then(() => performance.now() - began);
  let output = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (output += text));
  return {
    pid: child.pid ?? 0,
    type: (keys) => child.stdin?.write(keys),
    output: () => output,
    async shows(words) {
      while (!output.includes(words)) {
        if (performance.now() - began > SHOWN_MS_MAX || child.exitCode !== null)
          throw new Error(`“${words}” was not shown:\n${output.slice(-2000)}`);
        await wait(1);
      }
      return performance.now() - began;
    },
    ended: () => over,
  };
}

/** A model that writes at an even pace, over the Anthropic wire. */
async function steadyModel(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server: Server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const send = (event: { type: string; [field: string]: unknown }) =>
        response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      const usage = { input_tokens: 100, output_tokens: 1 };
      const message = { id: "msg_bench", type: "message", role: "assistant", model: "m", content: [], usage };
      send({ type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null } });
      send({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
      const began = performance.now();
      let sent = 0;
      const timer = setInterval(() => {
        const due = Math.min(TOKENS, Math.floor(((performance.now() - began) / 1000) * TOKENS_PER_SECOND));
        for (; sent < due; sent++) {
          const text = `word${sent}${sent % 40 === 39 ? "\n\n" : " "}`;
          send({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
        }
        if (sent < TOKENS) return;
        clearInterval(timer);
        send({ type: "content_block_stop", index: 0 });
        send({ type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage });
        send({ type: "message_stop" });
        response.end();
      }, 5);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
