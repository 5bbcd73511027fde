import { join } from "node:path";
import { METHODS, type MethodName, type MethodParams } from "@elwood/core/protocol/methods";
import { RESULTS, type MethodResult } from "@elwood/core/protocol/results";
import type { EventData } from "@elwood/core/protocol/events";
import { GatewayClient, isPush } from "@elwood/sdk/client";
import type { Gateway } from "../../src/gateway.ts";
import { startTestGateway } from "../test-gateway.ts";

type Options = Parameters<typeof startTestGateway>[0];
type Ask = EventData<"exec.approval_request">;

export interface Scene extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly client: GatewayClient;
  readonly home: string;
  /** The owner's files, which the file tools work on. */
  readonly files: string;
  /** Over the socket; what comes back is held against the method's schema. */
  call<M extends MethodName>(method: M, params: MethodParams<M>): Promise<MethodResult<M>>;
  /** Says something to a model that makes these calls, and waits for the end. */
  run(scenario: {
    readonly says?: string;
    readonly parts?: NonNullable<MethodParams<"chat.send">["parts"]>;
    readonly calls?: CallScript;
    readonly sessionKey?: string;
    /** As another version of this run, in these words or in the same. */
    readonly instead?: { readonly runId: string; readonly message?: string };
    /** Another client than the owner's. */
    readonly sender?: GatewayClient;
    readonly decide?: (ask: Ask) => "deny" | "allow" | "wait" | { readonly input: unknown };
  }): Promise<{ readonly sessionKey: string; readonly runId: string; readonly asks: readonly Ask[] }>;
}

type CallScript = readonly (readonly [tool: string, input: unknown])[];

/** A model that makes the calls it is given, under a name for each script. */
export interface PlayedModel {
  readonly url: string;
  play(calls: CallScript): string;
}

/** A whole gateway, and the owner's client. */
export async function openScene(model: PlayedModel, options: Options = {}): Promise<Scene> {
  const started = await startTestGateway({
    ...options,
    env: {
      ANTHROPIC_API_KEY: "sk-ant-loopback-key-000000",
      ANTHROPIC_BASE_URL: model.url,
      ELWOOD_MODEL: "anthropic/claude-sonnet-5-5",
      ...options?.env,
    },
  });
  const { gateway, home } = started;
  const { url, ownerToken: token } = gateway;
  const client = await GatewayClient.connect({ url, token, client: { name: "test", drafts: true } });
  return {
    gateway,
    client,
    home,
    files: join(home, "files"),
    async call(method, params) {
      METHODS[method].params().parse(params);
      // The two maps share their keys, which is more than the compiler can follow.
      return RESULTS[method].parse(await client.call(method, params)) as never;
    },
    async run({ says = "please", calls = [], decide = () => "deny", sender = client, ...given }) {
      const sessionKey = given.sessionKey ?? (await client.call("sessions.create", {})).sessionKey;
      const asks: Ask[] = [];
      const ended = Promise.withResolvers<void>();
      const deaf = client.onPush((push) => {
        if (isPush(push, "exec.approval_request") && push.data.sessionKey === sessionKey) {
          asks.push(push.data);
          const { approvalId } = push.data;
          const decided = decide(push.data);
          if (decided === "wait") ended.resolve();
          else if (decided === "deny") void client.call("exec.deny", { approvalId });
          else void client.call("exec.approve", { approvalId, ...(decided === "allow" ? {} : decided) });
        }
      });
      const deafToEnds = sender.onPush((push) => {
        if (isPush(push, "chat.final") && push.data.sessionKey === sessionKey) ended.resolve();
        if (isPush(push, "chat.error") && push.data.sessionKey === sessionKey) ended.resolve();
      });
      const parts = given.parts ? { parts: given.parts } : {};
      const asked = { sessionKey, model: `anthropic/${model.play(calls)}` };
      const { instead } = given;
      const message = instead?.message;
      const { runId } = !instead
        ? await sender.call("chat.send", { ...asked, message: says, ...parts })
        : message === undefined
          ? await sender.call("chat.retry", { ...asked, runId: instead.runId })
          : await sender.call("chat.edit", { ...asked, runId: instead.runId, message, ...parts });
      await ended.promise.finally(() => [deaf(), deafToEnds()]);
      return { sessionKey, runId, asks };
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      await started[Symbol.asyncDispose]();
    },
  };
}
