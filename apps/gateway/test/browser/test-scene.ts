import { connect as openSocket, createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import type { CallFact, Preview, ToolAnswer, ToolContext, ToolDefinition } from "@elwood/sdk/tool";
import { readOrigin } from "@elwood/core/net/web-address";
import type { Clock } from "@elwood/runtime/ports/ports";
import { makeGuardedDialer } from "../../src/web/guarded-dialer.ts";
import { systemClock } from "@elwood/platform/system";
import { openBrowser } from "../../src/browser/open-browser.ts";

/** The browser that tests drive; where the variable is not set, they are skipped. */
export const TEST_BROWSER = process.env["ELWOOD_TEST_BROWSER"];

export interface BrowserScene extends AsyncDisposable {
  readonly tools: readonly ToolDefinition[];
  /** Addresses that were really dialled, `host:port`. */
  readonly dialled: string[];
  /** Names that were looked up. */
  readonly lookedUp: string[];
  readonly folder: string;
  progress: string[];
  run(action: string, input: object, session?: string): Promise<ToolAnswer>;
  /** As the gate does it: looks, then acts. */
  approved(action: string, input: object, session?: string): Promise<ToolAnswer>;
  preview(action: string, input: object, session?: string): Promise<Preview>;
  facts(action: string, input: object, session?: string): Promise<readonly CallFact[]>;
}

export interface SceneOptions {
  readonly allowed: readonly string[];
  readonly ownPorts?: readonly number[];
  /** What names lead to; all others are unknown. */
  readonly names?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly sandbox?: boolean;
  readonly memoryMb?: number;
  readonly idleMinutes?: number;
  readonly limits?: Readonly<Record<string, number>>;
}

/** The real tools and proxy over a real browser; only the resolver is a table, and nothing private is dialled. */
export async function browserScene(options: SceneOptions): Promise<BrowserScene> {
  const folder = mkdtempSync(join(tmpdir(), "elwood-scene-"));
  const dialled: string[] = [];
  const lookedUp: string[] = [];
  const dialer = makeGuardedDialer({
    rules: () => ({
      allowedOrigins: options.allowed.flatMap((each) => readOrigin(each) ?? []),
      ownPorts: options.ownPorts ?? [],
      ownHosts: ["gateway.example"],
      ownOrigins: [],
      ownAddresses: [],
    }),
    resolve: async (name) => {
      lookedUp.push(name);
      const address = options.names?.[name];
      if (address === undefined) throw new Error("unknown");
      return [address];
    },
    connect: (address, port) => {
      dialled.push(`${address}:${port}`);
      const { promise, resolve, reject } = Promise.withResolvers<ReturnType<typeof openSocket>>();
      const socket = openSocket({ host: address, port });
      socket.once("connect", () => resolve(socket));
      socket.once("error", reject);
      return promise;
    },
  });
  const browser = await openBrowser({
    home: "/nowhere",
    setting: {
      executable: TEST_BROWSER,
      sandbox: options.sandbox ?? process.getuid?.() !== 0,
      idleMinutes: options.idleMinutes ?? 10,
      memoryMb: options.memoryMb ?? 4_000,
    },
    dialer: async () => dialer,
    clock: options.clock ?? systemClock,
    environment: { PATH: process.env["PATH"], ELWOOD_TOKEN: "planted" },
    root: process.getuid?.() === 0,
    saveUnder: () => folder,
    ...(options.limits && { limits: options.limits }),
  });
  const tool = (action: string) => {
    const id = action.includes(".") ? `browser.${action}` : `browser.page.${action}`;
    const found = browser.tools.find((each) => each.id === id);
    if (!found) throw new Error(`there is no ${id}`);
    return found;
  };
  const parse = (action: string, input: object): unknown => {
    const schema = tool(action).input as unknown as { parse(value: unknown): unknown };
    return schema.parse(input);
  };
  const scene: BrowserScene = {
    tools: browser.tools,
    dialled,
    lookedUp,
    folder,
    progress: [],
    run: async (action, input, session = "s1") => {
      const ctx: ToolContext = {
        callId: "c1",
        session,
        idempotencyKey: "k1",
        signal: AbortSignal.timeout(60_000),
        progress: (line) => void scene.progress.push(line),
        fetch: () => Promise.reject(new Error("no fetch here")),
        secrets: {},
      };
      return (await tool(action).handler(parse(action, input), ctx)) as ToolAnswer;
    },
    approved: async (action, input, session) => {
      await scene.preview(action, input, session);
      return scene.run(action, input, session);
    },
    preview: async (action, input, session = "s1") =>
      tool(action).preview!(parse(action, input), AbortSignal.timeout(60_000), { session }),
    facts: async (action, input, session = "s1") =>
      (await tool(action).facts?.(parse(action, input), { session })) ?? [],
    [Symbol.asyncDispose]: async () => {
      await browser.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return scene;
}

/** A server that must never hear from anybody: it plays the gateway, or a machine of the private network. */
export interface Decoy extends AsyncDisposable {
  readonly port: number;
  /** Connections, with the first bytes that came. */
  readonly heard: string[];
}

export async function decoy(host = "127.0.0.1"): Promise<Decoy> {
  const heard: string[] = [];
  const server = createServer((socket) => {
    const at = heard.push("(connected)") - 1;
    socket.on("error", () => socket.destroy());
    socket.once("data", (bytes) => {
      heard[at] = bytes.toString("latin1").slice(0, 1_000);
      socket.end("HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: *\r\nContent-Length: 6\r\n\r\nsecret");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    heard,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
