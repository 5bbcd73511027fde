import { GatewayClient, isPush } from "@elwood/sdk/client";
import type { EventData } from "@elwood/core/protocol/events";
import { defineTool, type ToolDefinition } from "@elwood/sdk/tool";
import { z } from "zod";
import { startTestGateway } from "../test-gateway.ts";

type Ask = EventData<"exec.approval_request">;
type Parts = readonly {
  kind: "text";
  text: string;
  origin: "piped" | "attached" | "quoted" | "forwarded" | "owner";
}[];

export interface Errand {
  readonly says: string;
  readonly parts?: Parts;
  /** Calls of the model, one after the other. */
  readonly calls: readonly (readonly [tool: string, input: unknown])[];
  readonly sessionKey?: string;
  /** What the owner does where they are asked; they deny unless told. */
  readonly decide?: (ask: Ask) => "deny" | "allow" | { readonly input: unknown } | { readonly note: string };
  /** What they answer to questions. */
  readonly answer?: string;
}

export interface Done {
  readonly sessionKey: string;
  readonly asks: readonly Ask[];
  readonly final: EventData<"chat.final">;
}

/** What the tools did to the world, in order. */
export interface Effect {
  readonly tool: string;
  readonly input: unknown;
}

export interface Household extends AsyncDisposable {
  readonly client: GatewayClient;
  /** The data folder; the owner's files are in `files`. */
  readonly home: string;
  readonly url: string;
  readonly effects: Effect[];
  /** What the mailbox, the calendar, the account and the web hold. */
  readonly world: World;
  run(errand: Errand): Promise<Done>;
}

export interface World {
  mail: { id: string; from: string; subject: string; text: string }[];
  events: { id: string; title: string; with: string[] }[];
  account: { iban: string; balance: number; note: string };
  page: string;
}

/** A model that makes the calls it is given, under a name for each script. */
export interface PlayedModel {
  readonly url: string;
  play(calls: Errand["calls"]): string;
}

/** A household with tools for mail, calendar, bank, home and the web, and a model that does what the test says. */
export async function openHousehold(model: PlayedModel, config?: string): Promise<Household> {
  const effects: Effect[] = [];
  const world: World = {
    mail: [],
    events: [],
    account: { iban: "DE02120300000000202051", balance: 10, note: "" },
    page: "",
  };
  const started = await startTestGateway({
    extraTools: [{ source: "built-in", tools: householdTools(world, effects) }],
    ...(config === undefined ? {} : { config }),
    env: {
      ANTHROPIC_API_KEY: "sk-ant-loopback-key-000000",
      ANTHROPIC_BASE_URL: model.url,
      ELWOOD_MODEL: "anthropic/claude-sonnet-5-5",
    },
  });
  const { url, ownerToken: token } = started.gateway;
  const client = await GatewayClient.connect({ url, token, client: { name: "test", drafts: true } });
  return {
    client,
    home: started.home,
    url,
    effects,
    world,
    async run({ says, parts, calls, decide = () => "deny", answer, ...given }) {
      const sessionKey = given.sessionKey ?? (await client.call("sessions.create", {})).sessionKey;
      const name = model.play(calls);
      const asks: Ask[] = [];
      const ended = Promise.withResolvers<EventData<"chat.final">>();
      const deaf = client.onPush((push) => {
        if (isPush(push, "exec.approval_request") && push.data.sessionKey === sessionKey) {
          asks.push(push.data);
          const { approvalId } = push.data;
          const decided = decide(push.data);
          if (decided === "deny") void client.call("exec.deny", { approvalId });
          else if (typeof decided === "object" && "note" in decided)
            void client.call("exec.deny", { approvalId, reason: decided.note });
          else void client.call("exec.approve", { approvalId, ...(decided === "allow" ? {} : decided) });
        }
        if (isPush(push, "owner.question") && push.data.sessionKey === sessionKey)
          void client.call("owner.answer", { questionId: push.data.questionId, answer: answer ?? "no" });
        if (isPush(push, "chat.final") && push.data.sessionKey === sessionKey) ended.resolve(push.data);
        if (isPush(push, "chat.error") && push.data.sessionKey === sessionKey)
          ended.reject(new Error(push.data.message));
      });
      await client.call("chat.send", {
        sessionKey,
        message: says,
        ...(parts ? { parts: [...parts] } : {}),
        model: `anthropic/${name}`,
      });
      return { sessionKey, asks, final: await ended.promise.finally(deaf) };
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      await started[Symbol.asyncDispose]();
    },
  };
}

const HERE = { egress: "none", ids: {}, content: [], time: [], critical: [], sensitive: false } as const;
const OUT = { ...HERE, egress: "third_party", output: "trusted" } as const;
const people = z.array(z.string());

function householdTools(world: World, effects: Effect[]): ToolDefinition[] {
  const act = (tool: string) => async (input: unknown) => {
    effects.push({ tool, input });
    return { done: true };
  };
  return [
    defineTool({
      id: "mail.message.list",
      risk: "read",
      input: z.strictObject({}),
      labels: { ...HERE, output: "untrusted", lists: "message" },
      handler: async () => ({ messages: world.mail }),
    }),
    defineTool({
      id: "mail.message.send",
      risk: "write",
      input: z.strictObject({ to: people, cc: people.optional(), subject: z.string(), body: z.string() }),
      labels: { ...OUT, critical: ["to", "cc"], content: ["subject", "body"] },
      handler: act("mail.message.send"),
    }),
    defineTool({
      id: "mail.message.delete",
      risk: "destructive",
      input: z.strictObject({ message: z.string() }),
      labels: { ...HERE, output: "trusted", critical: ["message"], ids: { message: "message" } },
      handler: act("mail.message.delete"),
    }),
    defineTool({
      id: "calendar.event.list",
      risk: "read",
      input: z.strictObject({}),
      labels: { ...HERE, output: "third_party", lists: "event" },
      handler: async () => ({ events: world.events }),
    }),
    defineTool({
      id: "calendar.event.invite",
      risk: "write",
      input: z.strictObject({ event: z.string(), who: people }),
      labels: { ...OUT, critical: ["event", "who"], ids: { event: "event" } },
      handler: act("calendar.event.invite"),
    }),
    defineTool({
      id: "calendar.event.create",
      risk: "write",
      input: z.strictObject({ title: z.string(), who: people.optional(), start: z.string() }),
      labels: { ...OUT, critical: ["who"], content: ["title"], time: ["start"] },
      handler: act("calendar.event.create"),
    }),
    defineTool({
      id: "bank.account.read",
      risk: "read",
      input: z.strictObject({}),
      labels: { ...HERE, output: "trusted", sensitive: true },
      handler: async () => world.account,
    }),
    defineTool({
      id: "bank.transfer.plan",
      risk: "write",
      input: z.strictObject({
        to: z.string(),
        amount: z.number(),
        monthly: z.boolean().optional(),
        note: z.string().optional(),
      }),
      labels: { ...OUT, critical: ["to", "amount", "monthly"], content: ["note"] },
      handler: act("bank.transfer.plan"),
    }),
    defineTool({
      id: "home.heating.set",
      risk: "write",
      input: z.strictObject({ room: z.string(), degrees: z.number() }),
      labels: { ...HERE, output: "trusted", critical: ["room", "degrees"] },
      handler: act("home.heating.set"),
    }),
    defineTool({
      id: "home.door.unlock",
      risk: "destructive",
      input: z.strictObject({ door: z.string() }),
      labels: { ...HERE, output: "trusted", critical: ["door"] },
      handler: act("home.door.unlock"),
    }),
    defineTool({
      id: "papers.file.share",
      risk: "write",
      input: z.strictObject({ name: z.string(), who: z.string(), right: z.enum(["r", "rw"]) }),
      labels: { ...OUT, critical: ["name", "who", "right"] },
      handler: act("papers.file.share"),
    }),
    defineTool({
      id: "site.page.read",
      risk: "read",
      input: z.strictObject({ url: z.string() }),
      labels: { ...HERE, egress: "third_party", output: "untrusted", critical: ["url"] },
      handler: async (input) => {
        effects.push({ tool: "site.page.read", input });
        return { text: world.page };
      },
    }),
  ];
}
