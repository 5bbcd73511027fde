import { isPush, GatewayClient, type Push } from "@elwood/sdk/client";
import { defineTool, ToolError, type ToolDefinition } from "@elwood/sdk/tool";
import { anthropic, ANTHROPIC_ROUTE, startAnthropic } from "@elwood/testkit/anthropic-server";
import type { Answer } from "@elwood/testkit/loopback-server";
import type { EventData } from "@elwood/core/protocol/events";
import { z } from "zod";
import { startTestGateway } from "../test-gateway.ts";

export interface Call {
  readonly tool: string;
  readonly input: unknown;
}

/** What the model does for one message: calls, lap by lap, then words; then other words where it is asked to mend them. */
export interface Script {
  readonly laps?: readonly (readonly Call[])[];
  readonly says: string | Answer;
  readonly mends?: string;
}

export interface LyingScene extends AsyncDisposable {
  readonly client: GatewayClient;
  readonly plain: GatewayClient;
  readonly home: string;
  /** Requests that the model got for a message, by the words in it. */
  asked(words: string): number;
  /** What was pushed to the two clients. */
  readonly pushes: { readonly drafts: readonly Push[]; readonly plain: readonly Push[] };
  /** Sends a message whose run follows the script. */
  begin(script: Script, message?: string, by?: GatewayClient): Promise<{ runId: string; sessionKey: string }>;
  ended(runId: string): Promise<EventData<"chat.final"> | EventData<"chat.error">>;
  tell(
    script: Script,
    message?: string,
    by?: GatewayClient,
  ): Promise<{
    reply: EventData<"chat.final"> | EventData<"chat.error">;
    runId: string;
    sessionKey: string;
  }>;
}

interface Body {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

/** A gateway with tools that end as their input says, and a model that says whatever the test has it say. */
export async function lyingScene(config = ALLOWED): Promise<LyingScene> {
  const model = await startAnthropic();
  const scripts: Script[] = [];
  model.always(ANTHROPIC_ROUTE, (exchange) => answerTo(exchange.request.body as Body)(exchange));

  function answerTo({ messages }: Body): Answer {
    const at = messages.findLastIndex(
      ({ role, content }) => role === "user" && /script-\d+/.test(JSON.stringify(content)),
    );
    const name = /script-(\d+)/.exec(JSON.stringify(messages[at]?.content))?.[1];
    const script = scripts[Number(name)];
    if (!script) return anthropic.reply("Nothing was planned for this.");
    const since = messages.slice(at);
    if (JSON.stringify(since.at(-1)).includes("Your reply was not sent"))
      return anthropic.reply(script.mends ?? (typeof script.says === "string" ? script.says : "Done!"));
    const lap = since.filter(
      ({ role, content }) => role === "assistant" && JSON.stringify(content).includes('"tool_use"'),
    ).length;
    const calls = script.laps?.[lap];
    if (!calls) return typeof script.says === "string" ? anthropic.reply(script.says) : script.says;
    return anthropic.tools(
      calls.map(({ tool, input }, i) => ({
        name: tool.replaceAll(".", "__"),
        input,
        id: `toolu_${name}x${lap}x${i}`,
      })),
    );
  }

  const started = await startTestGateway({
    config,
    env: {
      ANTHROPIC_API_KEY: "sk-ant-loopback-key-000000",
      ANTHROPIC_BASE_URL: model.url,
      ELWOOD_MODEL: "anthropic/claude-sonnet-5-5",
    },
    extraTools: [{ source: "built-in", tools: TOOLS }],
  });
  const connect = (drafts: boolean) =>
    GatewayClient.connect({
      url: started.gateway.url,
      token: started.gateway.ownerToken,
      client: { name: "test", drafts },
    });
  const [client, plain] = [await connect(true), await connect(false)];
  const pushes = { drafts: [] as Push[], plain: [] as Push[] };
  const waiting = new Map<string, (data: EventData<"chat.final"> | EventData<"chat.error">) => void>();
  const endings = new Map<string, EventData<"chat.final"> | EventData<"chat.error">>();
  const hear = (list: Push[]) => (push: Push) => {
    list.push(push);
    if (!isPush(push, "chat.final") && !isPush(push, "chat.error")) return;
    endings.set(push.data.runId, push.data);
    waiting.get(push.data.runId)?.(push.data);
  };
  client.onPush(hear(pushes.drafts));
  plain.onPush(hear(pushes.plain));
  const scene: LyingScene = {
    client,
    plain,
    home: started.home,
    pushes,
    asked: (words) => model.requests.filter(({ body }) => JSON.stringify(body).includes(words)).length,
    async begin(script, message = "Remind me tomorrow at 9 to call the bank.", by = client) {
      scripts.push(script);
      const { sessionKey } = await by.call("sessions.create", {});
      const parts = [
        { kind: "text" as const, text: `script-${scripts.length - 1}`, origin: "piped" as const },
      ];
      return { sessionKey, ...(await by.call("chat.send", { sessionKey, message, parts })) };
    },
    async ended(runId) {
      return endings.get(runId) ?? new Promise((resolve) => waiting.set(runId, resolve));
    },
    async tell(script, message, by) {
      const begun = await scene.begin(script, message, by);
      return { ...begun, reply: await scene.ended(begun.runId) };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([client.close(), plain.close()]);
      await started[Symbol.asyncDispose]();
      await model.close();
    },
  };
  return scene;
}

const rules = (decision: string) => `policy:
  rules:
    - { tool: reminder.item.create, decision: ${decision} }
    - { tool: mail.message.send, decision: allow }
    - { tool: bank.transfer.create, decision: deny }
`;
export const ALLOWED = rules("allow");
export const ASKED = rules("ask");
/** About a tenth of a second. */
export const EXPIRING = `${ASKED}  approvalExpiryHours: 0.00003\n`;

const input = z.strictObject({ what: z.string(), when: z.string().optional(), ends: z.string().optional() });

/** `ends`: how the handler ends; by default with success. */
const tool = (id: string): ToolDefinition =>
  defineTool({
    id,
    description: "Does as it is told.",
    risk: id.endsWith(".read") ? "read" : "write",
    labels: { egress: "none", output: "trusted", critical: ["what"], content: [] },
    input,
    async handler({ ends }) {
      if (ends === "failed") throw new ToolError("UPSTREAM", "The service said no.");
      if (ends === "unknown") throw new Error("the line went dead");
      return { ok: true };
    },
  });

export const TOOL_IDS = [
  "reminder.item.create",
  "mail.message.send",
  "bank.transfer.create",
  "note.page.read",
] as const;
const TOOLS = TOOL_IDS.map(tool);
