import { err, ok } from "@elwood/core/base/result";
import { ownToolKind, WORST_LABELS, type Preview, type Risk } from "@elwood/core/tool/tool";
import type { Verdict } from "@elwood/core/policy/policy";
import type { HandlerContext, RegisteredTool } from "@elwood/runtime/ports/gate-ports";

/** What the tools of a simulation may do: each is one way in which a real one can behave. */
export interface ToolWorld {
  /** 0 to 1, from the seed. */
  readonly chance: () => number;
  /** Leaves a mark outside, which no crash takes back. */
  readonly effect: (
    toolId: string,
    input: unknown,
    context: Pick<HandlerContext, "callId" | "idempotencyKey">,
  ) => Promise<void>;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly happened: (key: string) => boolean;
  /** What a preview shows as "before"; changes now and then. */
  readonly version: () => string;
  /** A handler begins: what the owner was shown must still be so. */
  readonly begin: (callId: string) => Promise<void>;
}

export interface SimulatedTool {
  readonly tool: RegisteredTool;
  readonly verdict: Verdict;
}

export const SECRET = /secret-\d+/g;

export function simulatedTools(world: ToolWorld): SimulatedTool[] {
  const { chance, effect, sleep } = world;
  const pause = () => sleep(chance() < 0.5 ? 0 : Math.floor(chance() * 3_000));
  const acts =
    (id: string): RegisteredTool["handle"] =>
    async (input, context) => {
      await world.begin(context.callId);
      await pause();
      await effect(id, input, context);
      await pause();
      return ok({ value: { done: id } });
    };
  /** Now and then it acts only after its time is over. */
  const slowly =
    (id: string): RegisteredTool["handle"] =>
    async (input, context) => {
      if (chance() < 0.3) await sleep(TOOL_TIMEOUT_MS + 5_000);
      return acts(id)(input, context);
    };
  return [
    made("sim.note.read", "read", ALLOW, async () => {
      await pause();
      return ok({ value: { note: "n" } });
    }),
    made("sim.note.write", "write", ASK, acts("sim.note.write")),
    made("sim.free.write", "write", ALLOW, acts("sim.free.write")),
    made("sim.file.remove", "destructive", ASK_ALWAYS, acts("sim.file.remove")),
    made("sim.secret.send", "write", ASK, acts("sim.secret.send")),
    made("sim.mail.send", "write", ASK, acts("sim.mail.send"), { idempotent: true }),
    made("sim.sync.push", "write", ALLOW, acts("sim.sync.push"), { idempotent: true }),
    made("sim.pay.send", "write", ALLOW, slowly("sim.pay.send"), {
      reconcile: async (_input, key) =>
        chance() < 0.3 ? "unknown" : world.happened(key) ? "happened" : "did-not-happen",
    }),
    made("sim.shown.write", "write", ASK, acts("sim.shown.write"), {
      preview: async (): Promise<Preview> => ({
        sentence: "Write it",
        before: world.version(),
        after: "new",
      }),
    }),
    made("sim.undo.do", "write", ALLOW, acts("sim.undo.do"), {
      undo: (input, _out, context) => acts("sim.undo.do")(input, context),
    }),
    made("sim.fails.do", "write", ALLOW, async () => {
      await pause();
      return err({ code: "no", message: "It was refused there.", retryable: false });
    }),
    made("sim.breaks.do", "write", ALLOW, async (input, context) => {
      if (chance() < 0.5) await effect("sim.breaks.do", input, context);
      throw new Error("socket hang up");
    }),
    made("sim.hangs.do", "write", ALLOW, async (input, context) => {
      if (chance() < 0.5) await effect("sim.hangs.do", input, context);
      await sleep(HOUR_MS, chance() < 0.5 ? context.signal : undefined);
      throw new Error("stopped");
    }),
    made("owner.question.ask", "read", ALLOW, async () =>
      err({ code: "never", message: "never", retryable: false }),
    ),
  ];
}

/** May be made again with the same key; what they do twice counts once. */
export const IDEMPOTENT: ReadonlySet<string> = new Set(["sim.mail.send", "sim.sync.push"]);

const HOUR_MS = 3_600_000;
const TOOL_TIMEOUT_MS = 30_000;
const ALLOW: Verdict = { decision: "allow", rule: "owner.allow", layer: 6, reason: "allowed" };
const ASK: Verdict = { decision: "ask", rule: "mode.strict", layer: 5, reason: "writes ask" };
const ASK_ALWAYS: Verdict = { decision: "ask", rule: "ask.destructive", layer: 3, reason: "destroys" };

function made(
  id: string,
  risk: Risk,
  verdict: Verdict,
  handle: RegisteredTool["handle"],
  { idempotent = false, ...more }: Partial<RegisteredTool> & { idempotent?: boolean } = {},
): SimulatedTool {
  const contract = {
    id,
    description: "",
    risk,
    labels: { ...WORST_LABELS, egress: "none" as const },
    requiresApproval: false,
    idempotent,
    canPreview: more.preview !== undefined,
    canUndo: more.undo !== undefined,
    canReconcile: more.reconcile !== undefined,
    timeoutMs: TOOL_TIMEOUT_MS,
    input: {},
    output: {},
  };
  const tool: RegisteredTool = {
    contract,
    kind: ownToolKind(id),
    contractHash: `hash-of-${id}`,
    parseInput: (input) =>
      typeof input === "object" && input !== null && "bad" in input ? err("bad is not allowed") : ok(input),
    parseOutput: (value) => ok(value),
    facts: async () => [],
    target: () => "it",
    handle,
    ...more,
  };
  return { tool, verdict };
}
