/**
 * Opens and reads a page of a loopback site with the real browser tools, cold and warm, and
 * prints what it measured as JSON. Started by `npm run bench -- hands`, which cannot reach
 * into the gateway itself:
 *
 *   node browser-cost.ts <site> <browser> <colds> <warms>
 */
import { readdirSync, readFileSync } from "node:fs";
import type { ToolContext } from "@elwood/sdk/tool";
import { openBrowser } from "../src/browser/open-browser.ts";
import { systemClock } from "@elwood/platform/system";
import { systemDialer } from "../src/web/system-dialer.ts";

const [site = "", executable = "", colds = "3", warms = "10"] = process.argv.slice(2);
const measured = { coldMs: [] as number[], warmMs: [] as number[], memoryMb: 0 };
for (let round = 0; round < Number(colds); round++) {
  const { openAndRead, tools } = await browser();
  measured.coldMs.push(await timed(openAndRead));
  if (round === Number(colds) - 1) {
    for (let warm = 0; warm < Number(warms); warm++) measured.warmMs.push(await timed(openAndRead));
    measured.memoryMb = memoryOfChildren() / 1024 / 1024;
  }
  await tools.close();
}
process.stdout.write(JSON.stringify(measured));

async function browser() {
  const root = process.getuid?.() === 0;
  const tools = await openBrowser({
    home: "/nowhere",
    setting: { executable, sandbox: !root, idleMinutes: 10, memoryMb: 4_000 },
    dialer: async () =>
      systemDialer({ allowedOrigins: [site], ownPorts: () => [], ownHosts: [], ownOrigins: [] }),
    clock: systemClock,
    environment: process.env,
    root,
  });
  const ctx: ToolContext = {
    callId: "c",
    session: "s",
    idempotencyKey: "k",
    signal: new AbortController().signal,
    progress: () => undefined,
    fetch: () => Promise.reject(new Error("not here")),
    secrets: {},
  };
  const run = async (id: string, input: object) =>
    tools.tools.find((tool) => tool.id === id)?.handler(input, ctx);
  const openAndRead = async () => {
    await run("browser.page.open", { url: `${site}/` });
    await run("browser.page.read", { offset: 1 });
  };
  return { openAndRead, tools };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** What the browser's processes, which are all that descends from this one, hold for themselves. */
function memoryOfChildren(): number {
  const held = new Map<number, { readonly parent: number; readonly bytes: number }>();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const status = readFileSync(`/proc/${pid}/status`, "utf8");
      const number = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0);
      held.set(Number(pid), { parent: number("PPid"), bytes: number("RssAnon") * 1024 });
    } catch {
      continue; // gone meanwhile
    }
  }
  const below = (pid: number): number =>
    [...held].reduce(
      (sum, [child, { parent, bytes }]) => (parent === pid ? sum + bytes + below(child) : sum),
      0,
    );
  return below(process.pid);
}
