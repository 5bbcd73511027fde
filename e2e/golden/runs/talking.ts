import { cut, gate } from "@elwood/testkit/answers";
import { anthropic } from "@elwood/testkit/anthropic-server";
import type { GoldenRun } from "../golden-run.ts";

const SOON = { "retry-after-ms": "20" };

/** Messages and their answers: no tool is called. */
export const TALKING: readonly GoldenRun[] = [
  {
    id: "chat-plain",
    about: "a message, its answer, and what the model was sent",
    async play(r) {
      const key = await r.session();
      const runId = await r.run(key, "What is the capital of Norway?", [{ text: "The capital is Oslo." }]);
      r.modelWasSent();
      await r.run(key, "And of Sweden?", [{ text: "That is **Stockholm**." }]);
      r.modelWasSent();
      await r.ask("chat.history", { sessionKey: key });
      await r.ask("runs.get", { runId });
      await r.ask("runs.activity", { runId });
      await r.ask("sessions.get", { sessionKey: key });
    },
  },
  {
    id: "chat-streamed",
    about: "an answer in pieces, each pushed before the next one comes",
    async play(r) {
      const pieces = ["First line.\n", "Second line, with `code`.\n", "And the third.\n"];
      const doors = pieces.map(() => gate());
      const key = await r.session();
      const runId = await r.send(key, "Count slowly.", [
        anthropic.stream([
          anthropic.start(),
          ...pieces.flatMap((text, index) => {
            const events = anthropic.block({ type: "text", text, pieces: [text] }, index);
            return [...events, { wait: doors[index]! }];
          }),
          ...anthropic.end(),
        ]),
      ]);
      for (const [index, door] of doors.entries()) {
        const text = () =>
          r.wire
            .pushesOf(runId)
            .filter((f) => f.event === "chat.delta")
            .reduce((whole, f) => whole + String(f.data?.["text"]), "");
        const due = pieces.slice(0, index + 1).join("");
        await r.wire.until(() => text().trim() === due.trim());
        r.step({ shownSoFar: text().trim() });
        door.open();
      }
      await r.ended(key, runId);
    },
  },
  {
    id: "chat-thinking",
    about: "a model that thinks before it answers",
    async play(r) {
      const key = await r.session();
      await r.run(key, "Is 91 prime?", [
        anthropic.message({
          content: [
            { type: "thinking", thinking: "91 is 7 times 13.", signature: "signed-by-loopback" },
            { type: "text", text: "No: 91 = 7 × 13." },
          ],
        }),
      ]);
    },
  },
  {
    id: "chat-same-key",
    about: "a message that is sent twice with one idempotency key begins one run",
    async play(r) {
      const key = await r.session();
      const runId = await r.send(key, "Only once.", [{ text: "Once." }], { idempotencyKey: "golden-1" });
      await r.ended(key, runId);
      await r.ask("chat.send", { sessionKey: key, message: "Only once.", idempotencyKey: "golden-1" });
      await r.ask("chat.send", { sessionKey: key, message: "Something else.", idempotencyKey: "golden-1" });
    },
  },
  {
    id: "chat-stopped",
    about: "a run that is stopped in the middle of its answer",
    async play(r) {
      const never = gate();
      const key = await r.session();
      const runId = await r.send(key, "Tell a long story.", [
        anthropic.stream([
          anthropic.start(),
          ...anthropic.block({ type: "text", text: "Once upon a time.", pieces: ["Once upon a time."] }, 0),
          { wait: never },
        ]),
      ]);
      await r.until("chat.delta", runId);
      await r.ask("chat.abort", { runId });
      await r.ended(key, runId);
      await r.ask("chat.abort", { runId });
      await r.ask("chat.history", { sessionKey: key });
    },
  },
  {
    id: "chat-reconnected",
    about: "a client that was away is given what it has missed, and then every push",
    async play(r) {
      const [first, second] = [gate(), gate()];
      const key = await r.session();
      const block = (text: string, index: number) =>
        anthropic.block({ type: "text", text, pieces: [text] }, index);
      const runId = await r.send(key, "Two parts, please.", [
        anthropic.stream([
          anthropic.start(),
          ...block("Part one. ", 0),
          { wait: first },
          ...block("Part two.", 1),
          { wait: second },
          ...anthropic.end(),
        ]),
      ]);
      const seen = await r.until("chat.delta", runId);
      await r.reconnect();
      const { snapshot } = (await r.wire.result("chat.resume", { runId, afterSeq: seen["seq"] })) as {
        snapshot: Record<string, unknown>;
      };
      const { seq: _, ...resumed } = snapshot;
      r.step({ resumed });
      first.open();
      await r.until("chat.delta", runId);
      second.open();
      await r.ended(key, runId);
      const after = (await r.wire.result("chat.resume", { runId }))["snapshot"] as Record<string, unknown>;
      const { seq: __, ...whole } = after;
      r.step({ resumedAfterItsEnd: whole });
    },
  },
  {
    id: "chat-attachment",
    about: "a text file and a picture that come with a message",
    async play(r) {
      const { url, token } = r.scene.gateway;
      const upload = async (body: Uint8Array<ArrayBuffer> | string, type: string) => {
        const response = await fetch(`${url}/blobs`, {
          method: "POST",
          headers: { authorization: `Bearer ${token}`, "content-type": type },
          body,
        });
        const answer = (await response.json()) as { blobId: string };
        r.step({ upload: type, status: response.status, answer });
        return answer.blobId;
      };
      const text = await upload("milk\nbread\n", "text/plain");
      const dot = Buffer.from(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
        "base64",
      );
      const picture = await upload(new Uint8Array(dot), "image/png");
      const key = await r.session();
      const runId = await r.send(key, "What is in these?", [{ text: "A shopping list and one dot." }], {
        parts: [
          { kind: "blob", blobId: text, name: "list.txt", origin: "attached" },
          { kind: "blob", blobId: picture, name: "dot.png", origin: "attached" },
          { kind: "text", text: "Somebody else wrote this.", origin: "forwarded" },
        ],
      });
      await r.ended(key, runId);
      r.modelWasSent();
      await r.ask("sessions.files", { sessionKey: key });
      await r.ask("chat.send", {
        sessionKey: key,
        message: "And this?",
        parts: [{ kind: "blob", blobId: "blob_none", origin: "attached" }],
      });
    },
  },
  {
    id: "provider-recovers",
    about: "an overloaded model, a broken connection and a torn stream are tried again",
    async play(r) {
      const faults = [
        anthropic.error(529, { headers: SOON }),
        cut(),
        anthropic.stream([
          anthropic.start(),
          ...anthropic.block({ type: "text", text: "Wrong ", pieces: ["Wrong "] }, 0),
          anthropic.errorEvent("overloaded_error"),
        ]),
      ];
      const key = await r.session();
      for (const fault of faults) await r.run(key, "Try.", [fault, anthropic.reply("Right.")]);
    },
  },
  {
    id: "provider-fails",
    about: "a key that is refused, a request that is refused, and a model that declines",
    async play(r) {
      const key = await r.session();
      const answers = [
        anthropic.error(401),
        anthropic.error(400, { message: "messages: too strange" }),
        anthropic.message({ content: [], stop: "refusal" }),
        anthropic.reply("It was cut", { stop: "max_tokens" }),
      ];
      for (const answer of answers) await r.run(key, "Try.", [answer]);
      await r.ask("chat.history", { sessionKey: key });
    },
  },
  {
    id: "frames-refused",
    about: "what is wrong with a request is told, and the connection goes on",
    async play(r) {
      const key = await r.session();
      for (const [method, params] of [
        ["no.such.method", {}],
        ["chat.send", {}],
        ["chat.send", { sessionKey: key, message: "x", sesionKey: "y" }],
        ["chat.send", { sessionKey: "ses_00000000000000000000000000", message: "x" }],
        ["chat.send", { sessionKey: key, message: 7 }],
        ["chat.send", { sessionKey: key, message: "x", model: "nobody/nothing" }],
        ["sessions.get", { sessionKey: "../../etc" }],
        ["sessions.list", { limit: 0 }],
        ["exec.approve", { approvalId: "apr_00000000000000000000000000" }],
        ["owner.answer", { questionId: "apr_00000000000000000000000000", answer: "x" }],
        ["calls.undo", { callId: "call_00000000000000000000000000" }],
        ["runs.get", { runId: "run_00000000000000000000000000" }],
        ["policy.explain", { toolId: "no.such.tool" }],
        ["config.show", { surprise: true }],
      ] as const)
        await r.ask(method, params);
      for (const frame of ["{", "[]", "null", '{"id":"x"}', '{"id":7,"method":"health.check"}']) {
        const seen = r.wire.frames.length;
        r.wire.send(frame);
        const { id, error } = await r.wire.until((f) => f.error !== undefined, seen);
        r.step({ sent: frame, id, error });
      }
      await r.ask("health.check");
    },
  },
];
