import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { EventData } from "@elwood/core/protocol/events";
import type { WireApproval } from "@elwood/core/protocol/approval-shapes";
import {
  startGatewayProcess,
  temporaryHome,
  type GatewayProcess,
  type GatewayProcessOptions,
} from "@elwood/testkit/gateway-process";
import { Wire, type Frame } from "./conformance/wire.ts";
import { anthropicEnv, ending, openSession, send } from "./conversation.ts";
import { PlannedModel, type PlannedCall } from "./planned-model.ts";

export type Asked = EventData<"exec.approval_request">;
export type Resolved = EventData<"exec.approval_resolved">;
export type Final = EventData<"chat.final">;

/** A gateway on a folder that outlives it, a model that calls what the test says, and the owner's client. */
export interface Scene extends AsyncDisposable {
  readonly home: string;
  readonly model: PlannedModel;
  readonly gateway: GatewayProcess;
  /** The client that sends the messages. */
  readonly owner: Wire;
  /** Another client of the owner's. */
  other(name?: string): Promise<Wire>;
  /** Every client there was, for looking through all that they heard. */
  readonly wires: readonly Wire[];
  kill(): Promise<void>;
  /** Takes the same folder up again; `owner` is a new connection then. */
  restart(options?: GatewayProcessOptions): Promise<void>;
}

export async function actScene(options: GatewayProcessOptions & { demo?: boolean } = {}): Promise<Scene> {
  const { demo, ...rest } = options;
  const folder = temporaryHome();
  const model = await PlannedModel.start();
  const wires: Wire[] = [];
  const start = (more: GatewayProcessOptions = {}) =>
    startGatewayProcess({
      home: folder.path,
      ...rest,
      ...more,
      env: { ...(demo ? {} : anthropicEnv(model.server)), ...rest.env, ...more.env },
    });
  const connect = async (name: string) => {
    const wire = await Wire.authenticated(gateway.url, gateway.token, { name, drafts: true });
    wires.push(wire);
    return wire;
  };
  let gateway = await start();
  let owner = await connect("first");
  return {
    home: folder.path,
    model,
    wires,
    get gateway() {
      return gateway;
    },
    get owner() {
      return owner;
    },
    other: (name = "second") => connect(name),
    kill: () => gateway.kill(),
    async restart(more) {
      gateway = await start(more);
      owner = await connect("after");
    },
    async [Symbol.asyncDispose]() {
      await gateway.kill();
      await model.server.close();
      folder.remove();
    },
  };
}

export interface Begun {
  readonly runId: string;
  readonly sessionKey: string;
  /** What the model was told of the calls, once it was. */
  readonly told: () => string[];
}

/** Sends a message whose run makes these calls at once, and answers the run. */
export async function runCalls(
  scene: Scene,
  calls: readonly PlannedCall[],
  options: { sessionKey?: string; wire?: Wire; reply?: string; ask?: string } = {},
): Promise<Begun> {
  const { wire = scene.owner } = options;
  const sessionKey = options.sessionKey ?? (await openSession(wire));
  const words = `${options.ask ?? ""} ${scene.model.plan([calls], options.reply)}`.trim();
  const runId = await send(wire, sessionKey, words);
  return { runId, sessionKey, told: () => scene.model.resultsOf(words) };
}

export const DELETE = (path: string): PlannedCall => ({ tool: "files.file.delete", input: { path } });
export const READ = (path: string): PlannedCall => ({ tool: "files.file.read", input: { path } });
export const WRITE = (path: string, content: string): PlannedCall => ({
  tool: "files.file.write",
  input: { path, content },
});

/** The question that a run asks; `nth` counts the questions that this client heard of it. */
export async function asked(wire: Wire, runId: string, nth = 0): Promise<Asked> {
  const of = (f: Frame) => f.event === "exec.approval_request" && f.data?.["runId"] === runId;
  await wire.until(() => wire.frames.filter(of).length > nth);
  return wire.frames.filter(of)[nth]!.data as unknown as Asked;
}

export async function resolved(wire: Wire, approvalId: string): Promise<Resolved> {
  const found = await wire.until(
    (f) => f.event === "exec.approval_resolved" && f.data?.["approvalId"] === approvalId,
  );
  return found.data as unknown as Resolved;
}

/** How a run ended, whose answer must have come. */
export async function finalOf(wire: Wire, runId: string): Promise<Final> {
  const end = await ending(wire, runId);
  if (end.event !== "chat.final") throw new Error(`the run failed: ${String(end.data?.["message"])}`);
  return end.data as unknown as Final;
}

/** The number in its session of the first call that a run made. */
export function citeOf({ activity }: Final): string {
  return (activity[0] as { readonly cite: string }).cite;
}

/** The evidence of a reply that made calls: at most three lines, and beside them where the log stood. */
export function evidenceOf({ evidence, log }: Pick<Final, "evidence" | "log">): string {
  if (evidence.split("\n").length > 3) throw new Error(`the evidence is too long: ${evidence}`);
  if (!log || log.size < 1 || !/^[0-9a-f]{64}$/u.test(log.root)) throw new Error("the reply names no log");
  return evidence;
}

/** What Elwood itself says in a reply. */
export function ownOf({ segments }: Pick<Final, "segments">): string[] {
  return segments.filter(({ by }) => by === "gateway").map(({ text }) => text);
}

/** The statements of a reply that have their tick, and the calls they cite. */
export function tickedIn({ segments }: Pick<Final, "segments">): (readonly [string, ...string[]])[] {
  return segments
    .filter(({ verified }) => verified === "supported")
    .map(({ text, cites = [] }) => [text.trim(), ...cites] as const);
}

export async function pendingOf(wire: Wire): Promise<WireApproval[]> {
  return ((await wire.result("approvals.list", { status: "pending" })) as { approvals: WireApproval[] })
    .approvals;
}

export interface StoredReceipt {
  readonly type: string;
  readonly runId: string;
  readonly callId: string | null;
  readonly actor: string;
  readonly surface: string;
  readonly payload: Record<string, unknown>;
}

/** Receipts as they lie in the database, oldest first; read beside the running gateway, by nobody's leave but the file's. */
export function receiptsIn(home: string, of: { runId?: string; type?: string } = {}): StoredReceipt[] {
  const database = new DatabaseSync(join(home, "elwood.db"), { readOnly: true });
  try {
    const rows = database
      .prepare("SELECT run_id, call_id, type, actor, surface, payload FROM receipts ORDER BY seq")
      .all();
    return rows
      .map((row) => ({
        type: String(row["type"]),
        runId: String(row["run_id"]),
        callId: row["call_id"] === null ? null : String(row["call_id"]),
        actor: String(row["actor"]),
        surface: String(row["surface"]),
        payload: JSON.parse(String(row["payload"])) as Record<string, unknown>,
      }))
      .filter((r) => (of.runId === undefined || r.runId === of.runId) && (!of.type || r.type === of.type));
  } finally {
    database.close();
  }
}

/** The text that a receipt commits to, as long as it was not erased. */
export function textBehind(home: string, commit: unknown): string | undefined {
  const database = new DatabaseSync(join(home, "elwood.db"), { readOnly: true });
  try {
    const row = database.prepare("SELECT value FROM bodies WHERE commitment = ?").get(String(commit));
    return row === undefined ? undefined : String(JSON.parse(String(row["value"])));
  } finally {
    database.close();
  }
}

/** The trail of a run's calls, by the last word of each receipt's type. */
export function trail(home: string, runId: string): string[] {
  return receiptsIn(home, { runId })
    .filter((r) => r.callId !== null)
    .map((r) => r.type.replace("tool.call.", ""));
}

/** A file in the folder that the tools work in. */
export function fileIn(home: string, name: string) {
  const path = join(home, "files", name);
  return {
    path,
    put: (text: string) => writeFileSync(path, text),
    get text() {
      return existsSync(path) ? readFileSync(path, "utf8") : undefined;
    },
  };
}
