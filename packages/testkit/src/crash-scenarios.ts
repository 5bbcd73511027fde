import { setTimeout } from "node:timers/promises";
import type { WireApproval } from "@elwood/core/protocol/approval-shapes";
import type { GatewayClient } from "@elwood/sdk/client";

export interface PlannedCall {
  readonly toolId: string;
  readonly input: unknown;
}

/** Something a person and a model do together while a gateway dies under them. */
export interface CrashScenario {
  readonly name: string;
  /** What the owner writes, where it matters. */
  readonly message?: string;
  /** What the model asks for, answer by answer, before it is done. */
  readonly laps: readonly (readonly PlannedCall[])[];
  /** A first answer that says more than was done, and what the model asks for once it is told. */
  readonly repaired?: { readonly draft: string; readonly laps: readonly (readonly PlannedCall[])[] };
  readonly sessions?: number;
  /**
   * What happens in Telegram, where `decide` is not asked: the owner writes there; or another system sends
   * something to a webhook whose reply goes there; or the owner writes elsewhere, and is told there that a
   * call waits.
   */
  readonly telegram?: "message" | "webhook" | "notified";
  /** How much faster than ours its time passes. */
  readonly speed?: number;
  /**
   * Nobody writes: a job is run, whose words the message is. With `rehearsed` it is rehearsed before,
   * and the first call that was listed is allowed.
   */
  readonly job?: { readonly rehearsed: boolean };
  /** Lines of `config.yaml`. */
  readonly config?: string;
  /** What the owner does about something that waits; asked again after a restart, from another client. */
  decide(client: GatewayClient, waiting: WireApproval): Promise<unknown>;
  /** Once the runs have ended; asked again after a restart. */
  afterwards?(client: GatewayClient, runId: string): Promise<unknown>;
  /** Effects by tool, once everything has run out. A call that is unknown may have had its effect or not. */
  readonly effects: Readonly<Record<string, number>>;
}

/** Looks like a real one, so that it is taken out of everything but the vault. */
export const CANARY = `ghp_${"crash0Canary".repeat(3)}`;

/** A secret has to come from the environment, where the process finds it. */
export const HOOK_SECRET = "${CRASH_HOOK_SECRET}";

const call = (toolId: string, text: string, more: object = {}): PlannedCall => ({
  toolId,
  input: { text, ...more },
});

const approve = (client: GatewayClient, { approvalId }: WireApproval) =>
  client.call("exec.approve", { approvalId });
const deny = (client: GatewayClient, { approvalId }: WireApproval) =>
  client.call("exec.deny", { approvalId, reason: "not now" });
const nothing = () => Promise.resolve();

/** Each of its calls is made whatever became of the one before, so that all can be counted. */
const program = (source: string): PlannedCall => ({ toolId: "program.code.run", input: { source } });

const ONE_BY_ONE = `
  const a = await tools.crash.note.write({ text: "a" });
  const b = await tools.crash.doc.write({ text: "b", key: "${CANARY}" });
  const c = await tools.crash.note.write({ text: "c" });
  return [a, b, c].map((each) => each.ok);`;

const SIDE_BY_SIDE = `
  const note = must(await tools.crash.note.read({ text: "n" }));
  const all = await Promise.all(["a", "b", "c"].map((text) => tools.crash.doc.write({ text })));
  return [note, all.map((each) => each.ok)];`;

const ALLOWED = ["crash.note.write", "crash.mail.send", "crash.pay.send", "crash.slow.do"];

/** What every scenario is configured with. */
export const CRASH_CONFIG = `policy:
  rules:
${ALLOWED.map((tool) => `    - { tool: ${tool}, decision: allow }`).join("\n")}
`;

export const CRASH_SCENARIOS: readonly CrashScenario[] = [
  {
    name: "allowed write",
    laps: [[call("crash.note.write", "a")]],
    decide: nothing,
    effects: { "crash.note.write": 1 },
  },
  {
    name: "asked and approved",
    laps: [[call("crash.doc.write", "a", { key: CANARY })]],
    decide: approve,
    effects: { "crash.doc.write": 1 },
  },
  { name: "asked and denied", laps: [[call("crash.file.remove", "a")]], decide: deny, effects: {} },
  {
    name: "edited approval",
    laps: [[call("crash.doc.write", "a")]],
    decide: (client, { approvalId }) =>
      client.call("exec.approve", { approvalId, input: { text: "edited" } }),
    effects: { "crash.doc.write": 1 },
  },
  {
    name: "parallel calls",
    laps: [[call("crash.note.write", "a"), call("crash.doc.write", "b"), call("crash.note.read", "c")]],
    decide: approve,
    effects: { "crash.note.write": 1, "crash.doc.write": 1 },
  },
  {
    name: "repaired reply",
    message: "Send the note a to Anna and save document b in my files.",
    laps: [],
    repaired: {
      draft: "I've sent the note to Anna and saved the document.",
      laps: [[call("crash.note.write", "a")], [call("crash.doc.write", "b")]],
    },
    decide: approve,
    effects: { "crash.note.write": 1, "crash.doc.write": 1 },
  },
  {
    name: "telegram message",
    telegram: "message",
    laps: [[call("crash.doc.write", "a")]],
    decide: nothing,
    effects: { "crash.doc.write": 1 },
  },
  {
    name: "webhook to telegram",
    telegram: "webhook",
    config: `hooks:
  ci: { secret: "${HOOK_SECRET}", message: "A build ended.", target: "telegram:100" }
`,
    laps: [[call("crash.doc.write", "a")]],
    decide: nothing,
    effects: { "crash.doc.write": 1 },
  },
  {
    name: "notified in telegram",
    telegram: "notified",
    speed: 20,
    config: 'notify: { targets: ["telegram:100"] }\n',
    laps: [[call("crash.doc.write", "a")]],
    decide: nothing,
    effects: { "crash.doc.write": 1 },
  },
  {
    name: "job that asks",
    job: { rehearsed: false },
    laps: [[call("crash.note.read", "n")], [call("crash.doc.write", "a", { key: CANARY })]],
    decide: approve,
    effects: { "crash.doc.write": 1 },
  },
  {
    name: "job with a permission",
    job: { rehearsed: true },
    laps: [[call("crash.doc.write", "a")], [call("crash.doc.write", "b")]],
    decide: approve,
    effects: { "crash.doc.write": 2 },
  },
  {
    name: "owner question",
    laps: [[{ toolId: "owner.question.ask", input: { question: "Which day?" } }]],
    decide: (client, { approvalId }) =>
      client.call("owner.answer", { questionId: approvalId, answer: "Tuesday" }),
    effects: {},
  },
  {
    name: "reconcile",
    laps: [[call("crash.pay.send", "a")]],
    decide: nothing,
    effects: { "crash.pay.send": 1 },
  },
  {
    name: "idempotent",
    laps: [[call("crash.mail.send", "a")]],
    decide: nothing,
    effects: { "crash.mail.send": 1 },
  },
  {
    name: "expired",
    laps: [[call("crash.doc.write", "a")]],
    config: "  approvalExpiryHours: 0.00003\n",
    decide: nothing,
    effects: {},
  },
  {
    name: "abort while waiting",
    laps: [[call("crash.doc.write", "a"), { toolId: "owner.question.ask", input: { question: "Which?" } }]],
    decide: (client, { runId }) => client.call("chat.abort", { runId }),
    effects: {},
  },
  {
    name: "hanging tool",
    laps: [[call("crash.slow.do", "a")]],
    decide: nothing,
    effects: { "crash.slow.do": 1 },
  },
  {
    name: "granted for a while",
    laps: [[call("crash.doc.write", "a")], [call("crash.doc.write", "b")]],
    decide: (client, { approvalId, decisions }) =>
      client.call("exec.approve", {
        approvalId,
        ...(decisions.includes("window")
          ? { decision: "window", window: { minutes: 5, scope: "tool" } }
          : {}),
      }),
    effects: { "crash.doc.write": 2 },
  },
  {
    name: "undone",
    laps: [[call("crash.note.write", "a")]],
    decide: nothing,
    async afterwards(client, runId) {
      const { activity } = await client.call("runs.activity", { runId });
      const done = activity.find((each) => each.status === "succeeded" && !each.undone && !each.undoes);
      if (done) await client.call("calls.undo", { callId: done.callId });
    },
    effects: { "crash.note.write": 2 },
  },
  {
    name: "another version",
    laps: [[call("crash.note.write", "a")]],
    decide: nothing,
    async afterwards(client, runId) {
      const { runId: other } = await client.call("chat.retry", { runId, idempotencyKey: "again" });
      for (;;) {
        const { run } = await client.call("runs.get", { runId: other });
        if (run.endedAt !== undefined) break;
        await setTimeout(20);
      }
      const { run } = await client.call("runs.get", { runId });
      await client.call("sessions.version", { runId });
      const { messages } = await client.call("chat.history", { sessionKey: run.sessionKey });
      // One version is shown whole, and nothing of the other.
      if (messages.length === 0 || messages.some((message) => message.runId !== runId))
        throw new Error("what is shown is not the version that was chosen");
    },
    effects: { "crash.note.write": 2 },
  },
  {
    name: "two sessions",
    sessions: 2,
    laps: [[call("crash.note.write", "a"), call("crash.doc.write", "b")]],
    decide: approve,
    effects: { "crash.note.write": 2, "crash.doc.write": 2 },
  },
  {
    name: "program that asks in the middle",
    laps: [[program(ONE_BY_ONE)]],
    decide: approve,
    effects: { "crash.note.write": 2, "crash.doc.write": 1 },
  },
  {
    name: "program with a plan",
    laps: [[program(SIDE_BY_SIDE)]],
    decide: approve,
    effects: { "crash.doc.write": 3 },
  },
];
