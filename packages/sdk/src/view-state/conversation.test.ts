import { failure } from "@elwood/core/base/failure";
import type { WireMessage } from "@elwood/core/protocol/shapes";
import { expect, test } from "vitest";
import { RequestError, type Push } from "../client.ts";
import { Conversation, type TalkLink } from "./conversation.ts";
import { Outbox, type Entry, type SendLink } from "./outbox.ts";

const SESSION = {
  sessionKey: "ses_1",
  agentId: "main",
  title: "T",
  titledBy: "message",
  pinned: false,
  createdAt: 1,
  updatedAt: 1,
  messageCount: 2,
  preview: "",
};

test("C1: after a break the session is fetched anew and an unfinished run goes on where it stands", async () => {
  const gateway = new FakeGateway();
  gateway.messages = [said("run_1", "user", "Hello")];
  gateway.unfinished = ["run_1"];
  gateway.snapshots["run_1"] = { seq: 7, text: "Half", calls: [], status: "running" };
  const conversation = open("ses_1");
  await conversation.sync(gateway.link);
  conversation.push(delta("run_1", 7, "Half"));
  conversation.push(delta("run_1", 8, " and all"));
  expect(conversation.turns.value[0]?.text).toBe("Half and all");
  conversation.pause();
  gateway.snapshots["run_1"] = { seq: 9, text: "Half and all of it", calls: [], status: "running" };
  await conversation.sync(gateway.link);
  expect(conversation.turns.value).toHaveLength(1);
  expect(conversation.turns.value[0]?.text).toBe("Half and all of it");
});

test("a run that ended while its session was being fetched shows its reply at the next look", async () => {
  const gateway = new FakeGateway();
  gateway.messages = [said("run_1", "user", "Hello")];
  gateway.unfinished = ["run_1"];
  // It ended between the two requests, and what was pushed of it is gone already.
  gateway.snapshots["run_1"] = { seq: 0, text: "", calls: [], status: "done" };
  const conversation = open("ses_1");
  await conversation.sync(gateway.link);
  gateway.unfinished = [];
  gateway.messages = [said("run_1", "user", "Hello"), said("run_1", "assistant", "Hi.")];
  await conversation.sync(gateway.link);
  expect(conversation.turns.value[0]?.parts).toMatchObject([{ kind: "text", text: "Hi." }]);
});

test("C2: a turn that has ended is the very same after the session was fetched anew", async () => {
  const gateway = new FakeGateway();
  gateway.messages = [said("run_1", "user", "Hello"), said("run_1", "assistant", "Hi.")];
  const conversation = open("ses_1");
  await conversation.sync(gateway.link);
  const before = conversation.turns.value;
  await conversation.sync(gateway.link);
  expect(conversation.turns.value).toBe(before);
});

test("C3: what comes late for a session that was left changes nothing", async () => {
  const gateway = new FakeGateway();
  gateway.messages = [said("run_1", "user", "Hello")];
  const conversation = open("ses_1");
  const syncing = conversation.sync(gateway.link);
  conversation.leave();
  await syncing;
  expect(conversation.turns.value).toEqual([]);
});

test("a look that failed is tried again at the next turn of the clock, and says so no longer", async () => {
  const gateway = new FakeGateway();
  const conversation = open("ses_1");
  await conversation.sync(gateway.link);
  gateway.messages = [said("run_1", "user", "Hello"), said("run_1", "assistant", "Hi.")];
  gateway.fault = new RequestError(failure("STORAGE", "The disk is busy."));
  await conversation.sync(gateway.link);
  expect(conversation.problem.value).toBe("The disk is busy.");
  gateway.fault = undefined;
  await conversation.resumeSilent(gateway.link);
  expect(conversation.turns.value).toHaveLength(1);
  expect(conversation.problem.value).toBeUndefined();
  const asked = gateway.asked.length;
  await conversation.resumeSilent(gateway.link);
  expect(gateway.asked).toHaveLength(asked);
});

test("a stop that was pressed while the gateway was away is said again for that run", async () => {
  const gateway = new FakeGateway();
  gateway.messages = [said("run_1", "user", "Hello")];
  gateway.unfinished = ["run_1"];
  gateway.snapshots["run_1"] = { seq: 1, text: "", calls: [], status: "running" };
  const conversation = open("ses_1");
  await conversation.sync(gateway.link);
  conversation.unfinished!.stopAsked = true;
  await conversation.sync(gateway.link);
  expect(gateway.asked.filter(([method]) => method === "chat.abort")).toEqual([
    ["chat.abort", { runId: "run_1" }],
  ]);
});

test("O1: a message whose answer was lost is sent again under the same key; O2: in the order they were written", async () => {
  const sent: [string, string][] = [];
  let lose = true;
  const link = fakeLink(async (method, params) => {
    if (method === "sessions.create") return { sessionKey: "ses_9" };
    const { message, idempotencyKey } = params as { message: string; idempotencyKey: string };
    sent.push([message, idempotencyKey]);
    if (lose) throw new RequestError(failure("NETWORK", "gone"), true);
    return { runId: `run_${message}` };
  });
  const accepted: string[] = [];
  const outbox = new Outbox(
    {
      mayGo: () => true,
      created: () => {},
      accepted: (entry) => accepted.push(`${entry.sessionKey} ${entry.text}`),
      refused: () => {},
      changed: () => {},
    },
    { read: () => undefined, write: () => {} },
  );
  outbox.add("new:1", { text: "one", files: [] });
  outbox.add("new:1", { text: "two", files: [] });
  await outbox.flush(link);
  lose = false;
  await outbox.flush(link);
  expect(accepted).toEqual(["ses_9 one", "ses_9 two"]);
  expect(sent.map(([message]) => message)).toEqual(["one", "one", "two"]);
  expect(sent[0]?.[1]).toBe(sent[1]?.[1]);
  expect(outbox.entries).toEqual([]);
});

test("a message waits for the answer before it, and can be taken back until it is sent", async () => {
  let busy = true;
  const sent: string[] = [];
  const link = fakeLink(async (_method, params) => {
    sent.push((params as { message: string }).message);
    return { runId: "run_1" };
  });
  const outbox = new Outbox(
    {
      mayGo: () => !busy,
      created: () => {},
      accepted: () => {},
      refused: () => {},
      changed: () => {},
    },
    { read: () => undefined, write: () => {} },
  );
  const first = outbox.add("ses_1", { text: "one", files: [] }) as Entry;
  outbox.add("ses_1", { text: "two", files: [] });
  await outbox.flush(link);
  expect(sent).toEqual([]);
  expect(outbox.takeBack(first)).toBe(true);
  busy = false;
  await outbox.flush(link);
  expect(sent).toEqual(["two"]);
  expect(outbox.takeBack(first)).toBe(false);
});

test("a message that the gateway refuses leaves the outbox and is handed back", async () => {
  const refused: string[] = [];
  const outbox = new Outbox(
    {
      mayGo: () => true,
      created: () => {},
      accepted: () => {},
      refused: (entry, why) => refused.push(`${entry.text}: ${why}`),
      changed: () => {},
    },
    { read: () => undefined, write: () => {} },
  );
  outbox.add("ses_1", { text: "one", files: [] });
  await outbox.flush(
    fakeLink(async () => {
      throw new RequestError(failure("QUEUE_FULL", "Too many wait."));
    }),
  );
  expect(refused).toEqual(["one: Too many wait."]);
  expect(outbox.entries).toEqual([]);
});

test("live = reload: a version that is put in the place of turns is shown as to whoever comes later", async () => {
  const gateway = new FakeGateway();
  const first = [said("run_1", "user", "Hello"), said("run_1", "assistant", "Hi.")];
  const second = [said("run_2", "user", "And?"), said("run_2", "assistant", "Nothing.")];
  gateway.messages = [...first, ...second];
  const live = open("ses_1");
  await live.sync(gateway.link);
  const kept = live.turns.value[0];

  const again = [said("run_3", "user", "Hello"), said("run_3", "assistant", "Good day.")];
  gateway.messages = again;
  gateway.versions = {
    versions: [{ runId: "run_3", of: ["run_1", "run_3"], effects: ["run_1"] }],
    hidden: ["run_1", "run_2"],
  };
  await live.sync(gateway.link);
  const later = open("ses_1");
  await later.sync(gateway.link);
  const shown = (conversation: Conversation) =>
    conversation.turns.value.map(({ runId, parts, versions }) => ({ runId, parts, versions }));
  expect(shown(live)).toEqual(shown(later));
  expect(shown(live)).toMatchObject([
    { runId: "run_3", versions: { of: ["run_1", "run_3"], effects: ["run_1"] } },
  ]);
  // Runs that are not shown stand among those that are asked for.
  const asked = gateway.asked.filter(([method]) => method === "runs.list").at(-1);
  expect(asked?.[1]).toMatchObject({ limit: 13 });

  gateway.messages = [...first, ...second];
  gateway.versions = { versions: [{ runId: "run_1", of: ["run_1", "run_3"] }], hidden: ["run_3"] };
  await live.sync(gateway.link);
  expect(live.turns.value.map(({ runId }) => runId)).toEqual(["run_1", "run_2"]);
  expect(live.turns.value[0]?.versions).toEqual({ of: ["run_1", "run_3"], effects: [] });
  expect(live.turns.value[0]).not.toBe(kept);
});

test("of a long session the newest turns are there first, and stay the same when the others come", async () => {
  const gateway = new FakeGateway();
  gateway.messages = ["run_1", "run_2", "run_3"].map((runId) => said(runId, "user", runId));
  const long = open("ses_1", { newest: 2 });
  const states: [whole: boolean, turns: string[]][] = [];
  let first: unknown;
  long.turns.subscribe((turns) => {
    first ??= turns[0];
    states.push([long.whole, turns.map(({ runId }) => runId ?? "")]);
  });
  await long.sync(gateway.link);
  expect(states).toEqual([
    [false, ["run_2", "run_3"]],
    [true, ["run_1", "run_2", "run_3"]],
  ]);
  expect(long.turns.value[1]).toBe(first);
  const asked = () =>
    gateway.asked.filter(([method]) => method === "sessions.get").map(([, params]) => params);
  expect(asked()).toEqual([{ sessionKey: "ses_1", last: 2 }, { sessionKey: "ses_1" }]);

  // It is long no more than once.
  await long.sync(gateway.link);
  expect(asked().at(-1)).toEqual({ sessionKey: "ses_1" });
  const short = open("ses_1", { newest: 3 });
  await short.sync(gateway.link);
  expect([short.whole, asked().length]).toEqual([true, 4]);
});

function open(sessionKey: string, more: { newest?: number } = {}): Conversation {
  const listener = {
    announce: () => {},
    changed: () => {},
    stopped: () => {},
    now: () => 0,
  };
  return new Conversation(sessionKey, listener, more);
}

/** As much of a gateway as a conversation asks for. */
class FakeGateway {
  messages: WireMessage[] = [];
  unfinished: string[] = [];
  versions: { versions?: { runId: string; of: string[]; effects?: string[] }[]; hidden?: string[] } = {};
  snapshots: Record<string, unknown> = {};
  asked: [string, unknown][] = [];
  fault: RequestError | undefined;
  readonly link: TalkLink = fakeLink(async (method, params) => {
    this.asked.push([method, params]);
    if (this.fault) throw this.fault;
    if (method === "sessions.get") {
      const { last = Infinity } = params as { last?: number };
      const earlier = Math.max(0, this.messages.length - last);
      return {
        session: SESSION,
        messages: this.messages.slice(earlier),
        ...(earlier > 0 ? { earlier } : {}),
        runs: this.unfinished.map((runId) => ({ runId })),
        damage: [],
        ...this.versions,
      };
    }
    if (method === "runs.list") return { runs: [] };
    if (method === "chat.resume")
      return { snapshot: this.snapshots[(params as { runId: string }).runId], seq: 0 };
    return { ok: true };
  });
}

function fakeLink(answer: (method: string, params: unknown) => Promise<unknown>): TalkLink & SendLink {
  return { call: answer as unknown as TalkLink["call"] };
}

function said(runId: string, role: "user" | "assistant", text: string): WireMessage {
  const origin = role === "user" ? "owner" : "model";
  return {
    id: `${runId}-${role}`,
    runId,
    ts: 1,
    role,
    origin,
    content: text,
    blocks: [{ type: "text", text }],
  };
}

function delta(runId: string, seq: number, text: string): Push {
  return { event: "chat.delta", data: { runId, seq, text } };
}
