import { isPush, GatewayClient, type Push } from "@elwood/sdk/client";
import { defineTool, ToolError, type ToolDefinition } from "@elwood/sdk/tool";
import type { EventData } from "@elwood/core/protocol/events";
import { z } from "zod";
import { startTestGateway } from "../test-gateway.ts";

/** A model that says what it is told to; tests bring it along. */
export interface Liar<Script> {
  readonly url: string;
  add(script: Script): string;
  close(): Promise<void>;
}

export interface LyingScene<Script> extends AsyncDisposable {
  readonly client: GatewayClient;
  readonly plain: GatewayClient;
  readonly home: string;
  /** What was pushed to the two clients. */
  readonly pushes: { readonly drafts: readonly Push[]; readonly plain: readonly Push[] };
  /** Sends a message whose run follows the script. */
  begin(
    script: Script,
    message?: string,
    by?: GatewayClient,
    session?: string,
  ): Promise<{ runId: string; sessionKey: string }>;
  ended(runId: string): Promise<EventData<"chat.final"> | EventData<"chat.error">>;
  tell(
    script: Script,
    message?: string,
    by?: GatewayClient,
    session?: string,
  ): Promise<{
    reply: EventData<"chat.final"> | EventData<"chat.error">;
    runId: string;
    sessionKey: string;
  }>;
}

/** A gateway with tools that end as their input says, and a model that says whatever the test has it say. */
export async function lyingScene<Script>(model: Liar<Script>, config = ALLOWED): Promise<LyingScene<Script>> {
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
  const scene: LyingScene<Script> = {
    client,
    plain,
    home: started.home,
    pushes,
    async begin(script, message = "Remind me tomorrow at 9 to call the bank.", by = client, session) {
      const sessionKey = session ?? (await by.call("sessions.create", {})).sessionKey;
      const parts = [{ kind: "text" as const, text: model.add(script), origin: "piped" as const }];
      return { sessionKey, ...(await by.call("chat.send", { sessionKey, message, parts })) };
    },
    async ended(runId) {
      return endings.get(runId) ?? new Promise((resolve) => waiting.set(runId, resolve));
    },
    async tell(script, message, by, session) {
      const begun = await scene.begin(script, message, by, session);
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
