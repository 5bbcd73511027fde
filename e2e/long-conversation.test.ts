import {
  anthropic,
  ANTHROPIC_ROUTE,
  startAnthropic,
  type AnthropicServer,
} from "@elwood/testkit/anthropic-server";
import { startGatewayProcess, temporaryHome, type GatewayProcess } from "@elwood/testkit/gateway-process";
import type { Answer } from "@elwood/testkit/loopback-server";
import { afterEach, describe, expect, test } from "vitest";
import { Wire } from "./conformance/wire.ts";
import { anthropicEnv, ask, ending, openSession, send } from "./conversation.ts";

/** What the loopback model takes at once, in its own count: four characters a token. */
const WINDOW = 40_000;
const OUTPUT_TOKENS = 200;
const TEST_MS_MAX = 120_000;

interface Asked {
  readonly system: unknown;
  readonly tools?: readonly { readonly name: string }[];
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

interface Model {
  readonly server: AnthropicServer;
  /** Sizes of all that was asked of it, in tokens, as far as it took them. */
  readonly sizes: number[];
  readonly asked: Asked[];
  refused: number;
  summaries: number;
  /** How the next summaries are answered; the generic one unless told. */
  summary: Answer | undefined;
}

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.stop();
});

/**
 * A model with a real window: it counts what it is sent, refuses what is too long, and knows
 * nothing but what it is shown. Asked for a thing it looks in its request, and where it does
 * not find it there, it searches.
 */
async function modelOf(window = WINDOW): Promise<Model> {
  const server = await startAnthropic();
  open.push({ stop: () => server.close() });
  const model: Model = { server, sizes: [], asked: [], refused: 0, summaries: 0, summary: undefined };
  server.always(ANTHROPIC_ROUTE, (exchange) => {
    const body = exchange.request.body as Asked;
    const tokens = Math.ceil(exchange.request.text.length / 4);
    const usage = { input_tokens: tokens, output_tokens: OUTPUT_TOKENS };
    if (tokens > window) {
      model.refused += 1;
      const message = `prompt is too long: ${tokens} tokens > ${window} maximum`;
      return anthropic.error(400, { type: "invalid_request_error", message })(exchange);
    }
    if (JSON.stringify(body.system).includes("You write the notes")) {
      model.summaries += 1;
      const whole = "## What the owner wants\nTo tell stories about the garden, one after the other.";
      return (model.summary ?? anthropic.reply(whole, { usage }))(exchange);
    }
    model.sizes.push(tokens);
    model.asked.push(body);
    return answerTo(body, usage)(exchange);
  });
  return model;
}

function answerTo(body: Asked, usage: { input_tokens: number; output_tokens: number }): Answer {
  const shown = JSON.stringify(body.messages);
  const last = JSON.stringify(body.messages.at(-1));
  const wanted = /What is the ([a-z ]+)\?/.exec(lastQuestion(body))?.[1];
  if (wanted === undefined) return anthropic.reply("A fine story about cats.", { usage });
  const found = new RegExp(`The ${wanted} is ([\\w-]+)`).exec(shown)?.[1];
  if (found !== undefined) return anthropic.reply(`It may be ${found}.`, { usage });
  const search = "memory__note__search";
  const searched = last.includes("tool_result");
  if (searched || !body.tools?.some(({ name }) => name === search)) {
    return anthropic.reply("I am not sure about that.", { usage });
  }
  return anthropic.tools([{ name: search, input: { query: wanted } }], { usage });
}

function lastQuestion({ messages }: Asked): string {
  const typed = messages.filter(
    ({ role, content }) => role === "user" && !JSON.stringify(content).includes("tool_result"),
  );
  const blocks = JSON.stringify(typed.at(-1)?.content ?? "");
  return blocks.slice(blocks.lastIndexOf("] "));
}

async function gatewayOf(
  model: Model,
  options: { home?: string; window?: number } = {},
): Promise<GatewayProcess> {
  const config = `contextWindows:\n  - { match: "anthropic/*", tokens: ${options.window ?? WINDOW} }\n`;
  const home = options.home === undefined ? {} : { home: options.home };
  const gateway = await startGatewayProcess({ env: anthropicEnv(model.server), config, ...home });
  open.push({ stop: () => gateway.kill() });
  return gateway;
}

async function wireOf(gateway: GatewayProcess): Promise<Wire> {
  return Wire.authenticated(gateway.url, gateway.token);
}

/** About so many tokens of nothing in particular. */
function story(tokens: number): string {
  return `Story: ${"the cat slept under the green tree while it rained on us and ".repeat(Math.ceil(tokens / 15))}`;
}

async function talk(wire: Wire, sessionKey: string, tokens: number, each = 6_000): Promise<number> {
  let said = 0;
  for (; said < tokens; said += each) {
    const end = await ask(wire, sessionKey, story(each));
    expect(end.event).toBe("chat.final");
  }
  return said;
}

type Compactions = {
  compactions: {
    id: string;
    kind: string;
    active: boolean;
    undone: boolean;
    messages?: number;
    sha256?: string;
  }[];
};

describe("EL-5: over the socket, against a model with a real window", () => {
  test(
    "a conversation of ten times the window goes on; what was planted early is known late, or found",
    async () => {
      const model = await modelOf();
      const wire = await wireOf(await gatewayOf(model));
      const sessionKey = await openSession(wire);
      await ask(wire, sessionKey, "The code of the shed is KX-7741. Never tell the neighbours.");
      await ask(wire, sessionKey, "Story: The flower of my grandmother is peony and she loved it.");
      const said = await talk(wire, sessionKey, WINDOW * 10);
      expect(said).toBeGreaterThanOrEqual(WINDOW * 10);

      expect((await ask(wire, sessionKey, "What is the code of the shed?")).data).toMatchObject({
        text: expect.stringContaining("KX-7741"),
      });
      const shown = JSON.stringify(model.asked.at(-1)!.messages);
      expect(shown).toContain("Never tell the neighbours.");
      expect(shown).not.toContain("peony");
      if (model.asked.at(-1)!.tools!.some(({ name }) => name === "memory__note__search")) {
        expect((await ask(wire, sessionKey, "What is the flower of my grandmother?")).data).toMatchObject({
          text: expect.stringContaining("peony"),
        });
      }
      expect(model.refused).toBe(0);
      expect(Math.max(...model.sizes)).toBeLessThanOrEqual(WINDOW);
      expect(model.summaries).toBeGreaterThan(5);
      process.stdout.write(
        `${model.sizes.length} questions, ${model.summaries} summaries, largest request ${Math.max(...model.sizes)} of ${WINDOW} tokens\n`,
      );

      const { compactions } = (await wire.result("sessions.compactions", { sessionKey })) as Compactions;
      expect(compactions.filter(({ active, kind }) => active && kind === "summary")).toHaveLength(1);
      const { messages } = (await wire.result("sessions.get", { sessionKey })) as {
        messages: { origin: string; content: string }[];
      };
      const typed = messages.filter(({ origin }) => origin === "owner");
      expect(typed[0]!.content).toBe("The code of the shed is KX-7741. Never tell the neighbours.");
      expect(typed.length).toBe(model.sizes.length - countCalls(model));
      await wire.close();
    },
    TEST_MS_MAX,
  );

  test(
    "where the summary fails the conversation is kept, the owner is told, and it ends honestly when it no longer fits",
    async () => {
      const model = await modelOf();
      model.summary = anthropic.error(400, { message: "no" });
      const wire = await wireOf(await gatewayOf(model));
      const sessionKey = await openSession(wire);
      let end = await ask(wire, sessionKey, "The code of the shed is KX-7741.");
      let turns = 1;
      for (; end.event === "chat.final" && turns < 40; turns++)
        end = await ask(wire, sessionKey, story(4_000));
      expect(end).toMatchObject({ event: "chat.error", data: { code: "CONTEXT_FULL" } });
      expect(model.refused).toBe(0);
      const { messages } = (await wire.result("sessions.get", { sessionKey })) as {
        messages: { content: string; origin: string }[];
      };
      expect(messages.filter(({ origin }) => origin === "owner")).toHaveLength(turns);
      expect(messages.map(({ content }) => content).join("\n")).toContain(
        "could not be summed up for the model",
      );
      expect(model.summaries).toBeLessThan(turns / 2);

      model.summary = undefined;
      expect((await ask(wire, sessionKey, "What is the code of the shed?")).data).toMatchObject({
        text: expect.stringContaining("KX-7741"),
      });
      await wire.close();
    },
    TEST_MS_MAX,
  );

  test(
    "a window that is smaller than we were told is found out by its refusal, and the same message is answered",
    async () => {
      const model = await modelOf(WINDOW / 2);
      const wire = await wireOf(await gatewayOf(model, { window: WINDOW * 4 }));
      const sessionKey = await openSession(wire);
      await ask(wire, sessionKey, "The code of the shed is KX-7741.");
      await talk(wire, sessionKey, WINDOW, 2_000);
      expect(model.refused).toBeGreaterThan(0);
      expect(model.summaries).toBeGreaterThan(0);
      expect((await ask(wire, sessionKey, "What is the code of the shed?")).data).toMatchObject({
        text: expect.stringContaining("KX-7741"),
      });
      await wire.close();
    },
    TEST_MS_MAX,
  );

  test(
    "killed while it sums up, it goes on after the restart with nothing lost; and the owner takes the summary back",
    async () => {
      const home = temporaryHome();
      open.push({ stop: async () => home.remove() });
      const model = await modelOf();
      const reached = Promise.withResolvers<void>();
      model.summary = async (exchange) => {
        reached.resolve();
        await exchange.gone;
      };
      const first = await gatewayOf(model, { home: home.path });
      const wire = await wireOf(first);
      const sessionKey = await openSession(wire);
      await ask(wire, sessionKey, "The code of the shed is KX-7741.");
      let runId = "";
      let turns = 1;
      for (; turns < 40; turns++) {
        runId = await send(wire, sessionKey, story(4_000));
        const stuck = await Promise.race([
          ending(wire, runId).then(() => false),
          reached.promise.then(() => true),
        ]);
        if (stuck) break;
      }
      await first.kill();
      model.summary = undefined;

      const second = await gatewayOf(model, { home: home.path });
      const back = await wireOf(second);
      await back.result("chat.resume", { runId });
      for (let i = 0; i < 200; i++) {
        const { run } = (await back.result("runs.get", { runId })) as { run: { status: string } };
        if (run.status === "done") break;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      const { messages } = (await back.result("sessions.get", { sessionKey })) as {
        messages: { content: string; origin: string }[];
      };
      expect(messages.filter(({ origin }) => origin === "owner")).toHaveLength(turns + 1);
      const before = (await back.result("sessions.compactions", { sessionKey })) as Compactions;
      expect(before.compactions).toMatchObject([{ kind: "summary", active: true, undone: false }]);

      const undo = (await back.result("sessions.uncompact", { sessionKey })) as { runId: string };
      expect((await ending(back, undo.runId)).data).toMatchObject({
        text: expect.stringContaining("Taken back"),
      });
      const after = (await back.result("sessions.compactions", { sessionKey })) as Compactions;
      expect(after.compactions).toMatchObject([{ active: false, undone: true }]);
      await ask(back, sessionKey, "What is the code of the shed?");
      expect(JSON.stringify(model.asked.at(-1)!.messages)).not.toContain("Elwood's summary");
      const refusal = await back.ask("sessions.uncompact", { sessionKey });
      expect(refusal.error?.data?.reason).toBe("NOT_FOUND");
      await back.close();
    },
    TEST_MS_MAX,
  );
});

/** Questions that followed a result within one run. */
function countCalls({ asked }: Model): number {
  return asked.filter(({ messages }) => JSON.stringify(messages.at(-1)).includes("tool_result")).length;
}
