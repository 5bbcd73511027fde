import { request } from "node:http";
import { Wire, type Frame } from "./wire.ts";

export interface Target {
  readonly url: string;
  readonly token: string;
}

export interface Check {
  readonly name: string;
  run(target: Target): Promise<void>;
}

/** What any client may rely on. Each check makes its own session and leaves it in the trash. */
export const CHECKS: readonly Check[] = [
  check("GET /health answers with status and uptime", async ({ url }) => {
    const { status, body } = await http(`${url}/health`);
    equal(status, 200);
    equal(body["status"], "ok");
    equal(typeof body["uptime"], "number");
  }),

  check("the first frame authenticates and is answered with hello", async ({ url, token }) => {
    const wire = await Wire.open(url);
    wire.send({ type: "auth", token });
    const { hello } = await wire.until((f) => f.type === "auth");
    for (const method of [
      "health.check",
      "agents.list",
      "sessions.create",
      "sessions.list",
      "sessions.get",
      "chat.send",
      "chat.history",
      "chat.abort",
    ]) {
      truthy(hello?.methods.includes(method), `hello lists ${method}`);
    }
    for (const event of ["chat.delta", "chat.final", "chat.error", "tool.progress"])
      truthy(hello?.events.includes(event), `hello lists ${event}`);
    await wire.close();
  }),

  check("a wrong token closes the connection with 1008", async ({ url }) => {
    const wire = await Wire.open(url);
    wire.send({ type: "auth", token: "not-the-token" });
    equal(await wire.closeCode(), 1008);
  }),

  check("before authentication only health.check is answered", async ({ url }) => {
    const wire = await Wire.open(url);
    truthy((await wire.ask("health.check")).result, "health.check is answered");
    const refused = await wire.ask("sessions.list");
    equal(refused.error?.code, -32001);
    equal(await wire.closeCode(), 1008);
  }),

  check("a foreign Origin and a foreign Host are refused", async ({ url }) => {
    await Wire.open(url, { origin: "http://evil.example" }).then(
      () => {
        throw new Error("a foreign Origin was let in");
      },
      (error: Error) => truthy(error.message.includes("403"), `refused with 403, not: ${error.message}`),
    );
    equal((await http(`${url}/health`, { host: "evil.example" })).status, 403);
  }),

  withSession("broken frames earn coded errors, and the connection lives on", async (wire) => {
    for (const [frame, code] of [
      ["{not json", -32700],
      [JSON.stringify({ id: 7, method: "health.check" }), -32600],
      [JSON.stringify(["an", "array"]), -32600],
      ["null", -32600],
    ] as const) {
      const seen = wire.frames.length;
      wire.send(frame);
      equal((await wire.until((f) => f.error !== undefined, seen)).error?.code, code);
    }
    const seen = wire.frames.length;
    wire.send(Buffer.from([0, 1, 2]));
    equal((await wire.until((f) => f.error !== undefined, seen)).error?.code, -32600);
    equal((await wire.ask("no.such.method")).error?.code, -32601);
    equal((await wire.ask("toString")).error?.code, -32601);
    const invalid = await wire.ask("chat.send", { sessionKey: 5 });
    equal(invalid.error?.code, -32602);
    equal(invalid.error?.data?.reason, "INVALID_INPUT");
    equal((await wire.ask("sessions.list", { limt: 5 })).error?.code, -32602);
    equal((await wire.ask("sessions.get", { sessionKey: "ses_none" })).error?.code, -32003);
    truthy((await wire.ask("health.check")).result, "the connection still answers");
  }),

  withSession("every method that reads answers in its shape", async (wire, sessionKey) => {
    const { agents } = (await wire.result("agents.list")) as { agents: { tools: string[] }[] };
    truthy(
      agents.every(({ tools }) => tools.length > 0),
      "an agent that may use all tools does not look like one that has none",
    );
    await wire.result("models.list");
    await wire.result("models.check", { model: "demo" });
    await wire.result("gateway.status");
    await wire.result("sessions.list");
    await wire.result("sessions.get", { sessionKey });
    await wire.result("chat.history", { sessionKey });
    await wire.result("runs.list", { sessionKey });
    await wire.result("sessions.search", { query: "conformance" });
    await wire.result("usage.summary", { days: 7 });
    await wire.result("attention.list");
    await wire.result("receipts.list", { after: 0, limit: 10 });
    await wire.result("receipts.checkpoints", { limit: 10 });
    for (const method of ["gateway.doctor", "gateway.logs", "config.show", "auth.detect"] as const) {
      const { result, error } = await wire.ask(method);
      truthy(
        result !== undefined || error?.data?.reason === "SCOPE_MISSING",
        `${method} answers, or wants admin`,
      );
    }
  }),

  withSession("what a run did is told call by call and minute by minute", async (wire, sessionKey) => {
    const { runId } = (await wire.result("chat.send", { sessionKey, message: "hello" })) as { runId: string };
    await finalOf(wire, runId);
    const { spans } = (await wire.result("runs.timeline", { runId })) as {
      spans: { kind: string; start: number; end?: number }[];
    };
    truthy(
      spans.some(({ kind }) => kind === "model"),
      "the model's time is told",
    );
    truthy(
      spans.every(({ start, end }) => end !== undefined && end >= start),
      "spans of a run that has ended have ends",
    );
    const { calls } = (await wire.result("calls.list", { runId })) as { calls: { callId: string }[] };
    for (const { callId } of calls) await wire.result("calls.get", { callId });
    const { files } = (await wire.result("sessions.files", { sessionKey })) as { files: unknown[] };
    truthy(Array.isArray(files), "its files are told");
    equal((await wire.ask("calls.get", { callId: "call_none" })).error?.code, -32003);
    equal((await wire.ask("runs.timeline", { runId: "run_none" })).error?.code, -32003);
  }),

  withSession("memory is looked into, and forgets what was said", async (wire, sessionKey) => {
    const { runId } = (await wire.result("chat.send", {
      sessionKey,
      message: "My conformance word is quagmire",
    })) as {
      runId: string;
    };
    await finalOf(wire, runId);
    await wire.result("memory.list");
    await wire.result("memory.status");
    await wire.result("memory.search", { query: "conformance quagmire" });
    await wire.result("memory.recalled", { runId });
    equal((await wire.ask("memory.show", { key: "no-such-note" })).error?.code, -32003);
    const turn = { sessionKey, runId };
    const plan = await wire.ask("memory.forget", { turn, dryRun: true });
    if (plan.error?.data?.reason === "SCOPE_MISSING") return;
    const { done, total } = plan.result as { done: boolean; total: number };
    equal(done, false);
    truthy(total > 0, "the plan counts what would go");
    equal((await wire.ask("memory.forget", { word: "quagmire" })).error?.code, -32602);
    await wire.result("memory.forget", { turn });
    const { messages } = (await wire.result("chat.history", { sessionKey })) as { messages: unknown[] };
    truthy(messages.length > 0, "the messages keep their places");
    truthy(!JSON.stringify(messages).includes("quagmire"), "and have lost their words");
  }),

  withSession(
    "another answer and other words are versions in the place of the first",
    async (wire, sessionKey) => {
      const { runId } = (await wire.result("chat.send", { sessionKey, message: "hello" })) as {
        runId: string;
      };
      await finalOf(wire, runId);
      const again = (await wire.result("chat.retry", { runId })) as { runId: string };
      await finalOf(wire, again.runId);
      const other = (await wire.result("chat.edit", { runId: again.runId, message: "good day" })) as {
        runId: string;
      };
      await finalOf(wire, other.runId);
      const shown = async () => {
        const { messages } = (await wire.result("chat.history", { sessionKey })) as {
          messages: { runId: string; role: string }[];
        };
        return messages.filter(({ role }) => role === "user").map((message) => message.runId);
      };
      equal(JSON.stringify(await shown()), JSON.stringify([other.runId]));
      await wire.result("sessions.version", { runId });
      equal(JSON.stringify(await shown()), JSON.stringify([runId]));
      const { versions } = (await wire.result("sessions.get", { sessionKey })) as {
        versions: { runId: string; of: string[] }[];
      };
      equal(JSON.stringify(versions[0]?.of), JSON.stringify([runId, again.runId, other.runId]));
      equal((await wire.ask("chat.retry", { runId: "run_none" })).error?.code, -32003);
      equal((await wire.ask("sessions.version", { runId: "run_none" })).error?.code, -32003);
    },
  ),

  withSession("a fork holds what was said up to a run, and grows apart", async (wire, sessionKey) => {
    const said = async (message: string) => {
      const { runId } = (await wire.result("chat.send", { sessionKey, message })) as { runId: string };
      await finalOf(wire, runId);
      return runId;
    };
    await said("hello");
    const runId = await said("hello again");
    const fork = (await wire.result("sessions.fork", { sessionKey, runId, include: false })) as {
      sessionKey: string;
      session: { forkedFrom?: { sessionKey: string; runId: string } };
    };
    equal(fork.session.forkedFrom?.sessionKey, sessionKey);
    equal(fork.session.forkedFrom?.runId, runId);
    const { messages } = (await wire.result("chat.history", { sessionKey: fork.sessionKey })) as {
      messages: unknown[];
    };
    equal(messages.length, 2);
    equal(
      (await wire.ask("sessions.fork", { sessionKey, runId: "run_none", include: true })).error?.code,
      -32003,
    );
    await wire.result("sessions.delete", { sessionKey: fork.sessionKey });
  }),

  withSession(
    "chat.send is answered before its pushes, which are numbered without a gap and end with chat.final",
    async (wire, sessionKey) => {
      const { runId } = (await wire.result("chat.send", { sessionKey, message: "hello" })) as {
        runId: string;
      };
      const final = await finalOf(wire, runId);
      const acknowledged = wire.frames.findIndex(
        (f) => (f.result as { runId?: string } | undefined)?.runId === runId,
      );
      const pushes = wire.pushesOf(runId);
      truthy(acknowledged < wire.frames.indexOf(pushes[0]!), "the acknowledgement came first");
      const numbers = pushes.map((p) => p.data!["seq"] as number);
      numbers
        .slice(1)
        .forEach((seq, i) => truthy(seq === numbers[i]! + 1, `seq rises by one (${numbers[i]} → ${seq})`));
      equal(pushes.at(-1)!.event, "chat.final");
      const streamed = pushes
        .filter((p) => p.event === "chat.delta")
        .reduce((text, p) => (p.data!["reset"] ? "" : text) + String(p.data!["text"]), "");
      equal(streamed.trim(), String(final.data!["text"]).trim());
      truthy(
        typeof (final.data!["usage"] as { inputTokens?: number }).inputTokens === "number",
        "usage has inputTokens",
      );
      truthy(typeof final.data!["evidence"] === "string", "the reply carries its evidence");
      const segments = final.data!["segments"] as { by: string; text: string }[];
      const answer = segments.filter(({ by }) => by === "model").map(({ text }) => text);
      equal(answer.join("").trim(), String(final.data!["text"]).trim());
    },
  ),

  withSession(
    "history holds what was said, oldest first, with role and content",
    async (wire, sessionKey) => {
      const { runId } = (await wire.result("chat.send", { sessionKey, message: "hello" })) as {
        runId: string;
      };
      const final = await finalOf(wire, runId);
      const { messages } = (await wire.result("chat.history", { sessionKey })) as {
        messages: { role: string; content: string }[];
      };
      equal(messages.map((m) => m.role).join(), "user,assistant");
      equal(messages[0]!.content, "hello");
      equal(messages[1]!.content, String(final.data!["text"]).trim());
    },
  ),

  withSession(
    "the same idempotency key sends once; with other words it is a conflict",
    async (wire, sessionKey) => {
      const message = { sessionKey, message: "hello", idempotencyKey: "conformance-1" };
      const first = (await wire.result("chat.send", message)) as { runId: string };
      const second = (await wire.result("chat.send", message)) as { runId: string; repeated?: boolean };
      equal(second.runId, first.runId);
      equal(second.repeated, true);
      equal((await wire.ask("chat.send", { ...message, message: "other" })).error?.code, -32004);
      await finalOf(wire, first.runId);
      const { messages } = (await wire.result("chat.history", { sessionKey })) as { messages: unknown[] };
      equal(messages.length, 2);
    },
  ),

  check(
    "another connection resumes a run: snapshot plus what follows is the whole answer",
    async (target) => {
      await usingSession(target, async (wire, sessionKey) => {
        const { runId } = (await wire.result("chat.send", {
          sessionKey,
          message: "tell me a long story",
        })) as { runId: string };
        await wire.until((f) => f.event === "chat.delta" && f.data?.["runId"] === runId);
        const other = await Wire.authenticated(target.url, target.token, {
          name: "conformance-2",
          drafts: true,
        });
        const { snapshot, seq } = (await other.result("chat.resume", { runId, afterSeq: 0 })) as {
          snapshot: { text: string };
          seq: number;
        };
        const final = snapshot["final" as keyof typeof snapshot] ? undefined : await finalOf(other, runId);
        if (final) {
          const after = other.pushesOf(runId).filter((p) => (p.data!["seq"] as number) > seq);
          equal(after.length, other.pushesOf(runId).length);
          const text = after
            .filter((p) => p.event === "chat.delta")
            .reduce((all, p) => (p.data!["reset"] ? "" : all) + String(p.data!["text"]), snapshot.text);
          equal(text.trim(), String(final.data!["text"]).trim());
        }
        await other.close();
        await finalOf(wire, runId);
      });
    },
  ),

  withSession(
    "a run that has ended is resumed to its ending, and cannot be stopped",
    async (wire, sessionKey) => {
      const { runId } = (await wire.result("chat.send", { sessionKey, message: "hello" })) as {
        runId: string;
      };
      const final = await finalOf(wire, runId);
      const { snapshot } = (await wire.result("chat.resume", { runId })) as {
        snapshot: { status: string; text: string };
      };
      equal(snapshot.status, "done");
      equal(snapshot.text, final.data!["text"]);
      equal(((await wire.result("chat.abort", { runId })) as { ok: boolean }).ok, false);
      equal((await wire.ask("chat.abort", { runId: "run_none" })).error?.code, -32003);
    },
  ),

  withSession(
    "sessions are renamed, pinned, searched, exported, deleted and brought back",
    async (wire, sessionKey) => {
      const { runId } = (await wire.result("chat.send", { sessionKey, message: "hello zephyranthes" })) as {
        runId: string;
      };
      await finalOf(wire, runId);
      await wire.result("sessions.rename", { sessionKey, title: "Conformance renamed" });
      await wire.result("sessions.pin", { sessionKey, pinned: true });
      for (const archived of [true, false]) await wire.result("sessions.archive", { sessionKey, archived });
      for (const folder of ["Conformance", null]) await wire.result("sessions.move", { sessionKey, folder });
      await wire.result("sessions.configure", { sessionKey, model: null, temperature: 0.5, pins: [runId] });
      const { hits } = (await wire.result("sessions.search", { query: "zephyranthes" })) as {
        hits: { session: { sessionKey: string } }[];
      };
      truthy(
        hits.some((h) => h.session.sessionKey === sessionKey),
        "search finds what was said",
      );
      const markdown = (await wire.result("sessions.export", { sessionKey, format: "markdown" })) as {
        content: string;
      };
      truthy(markdown.content.includes("zephyranthes"), "the Markdown export holds the message");
      const json = (await wire.result("sessions.export", { sessionKey, format: "json" })) as {
        content: string;
      };
      equal((JSON.parse(json.content) as { format: string }).format, "elwood.session");
      await wire.result("sessions.delete", { sessionKey });
      equal((await wire.ask("sessions.get", { sessionKey })).error?.code, -32003);
      await wire.result("sessions.restore", { sessionKey });
      await wire.result("sessions.get", { sessionKey });
    },
  ),
];

function check(name: string, run: (target: Target) => Promise<void>): Check {
  return { name, run };
}

function withSession(name: string, run: (wire: Wire, sessionKey: string) => Promise<void>): Check {
  return { name, run: (target) => usingSession(target, run) };
}

async function usingSession(
  target: Target,
  run: (wire: Wire, sessionKey: string) => Promise<void>,
): Promise<void> {
  const wire = await Wire.authenticated(target.url, target.token, { name: "conformance", drafts: true });
  const { sessionKey } = (await wire.result("sessions.create", { title: "conformance" })) as {
    sessionKey: string;
  };
  try {
    await run(wire, sessionKey);
  } finally {
    await wire.ask("sessions.delete", { sessionKey });
    await wire.close();
  }
}

async function finalOf(wire: Wire, runId: string): Promise<Frame> {
  const end = await wire.until(
    (f) => (f.event === "chat.final" || f.event === "chat.error") && f.data?.["runId"] === runId,
  );
  if (end.event === "chat.error") throw new Error(`the run failed: ${String(end.data?.["message"])}`);
  return end;
}

function http(
  url: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers, agent: false }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          body: JSON.parse(text || "{}") as Record<string, unknown>,
        }),
      );
    });
    sent.on("error", reject);
    sent.end();
  });
}

function equal(found: unknown, wanted: unknown): void {
  if (!Object.is(found, wanted))
    throw new Error(`expected ${JSON.stringify(wanted)}, found ${JSON.stringify(found)}`);
}

function truthy(value: unknown, what: string): void {
  if (!value) throw new Error(`not so: ${what}`);
}
