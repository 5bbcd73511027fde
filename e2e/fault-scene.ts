import type { Answer } from "@elwood/testkit/loopback-server";
import { anthropic, startAnthropic, type AnthropicServer } from "@elwood/testkit/anthropic-server";
import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import { RESPONSES_ROUTE, startOpenai } from "@elwood/testkit/openai-server";
import { responses } from "@elwood/testkit/responses-wire";
import { expect } from "vitest";
import { Wire, type Frame } from "./conformance/wire.ts";
import { anthropicEnv, ask, contentsOf, ending, openSession, send } from "./conversation.ts";

export interface Played {
  /** The run's last push. */
  readonly ending: Frame;
  readonly data: Record<string, unknown>;
  readonly pushes: readonly Frame[];
  readonly sessionKey: string;
}

/** A gateway with a provider that misbehaves as scripted, and another that never does. */
export interface FaultScene {
  readonly server: AnthropicServer;
  readonly gateway: GatewayProcess;
  readonly wire: Wire;
  /**
   * Has the provider misbehave in one session, while another session with the other
   * provider is answered; then goes on in the first as if nothing had happened.
   */
  play(...answers: Answer[]): Promise<Played>;
  /** Ends the scene; throws where the gateway asked for something else, or logged an error. */
  close(): Promise<void>;
}

export async function faultScene(): Promise<FaultScene> {
  const [server, other] = await Promise.all([startAnthropic(), startOpenai()]);
  other.always(RESPONSES_ROUTE, responses.reply("Undisturbed."));
  const openai = { OPENAI_API_KEY: "sk-loopback-0000000000000000", OPENAI_BASE_URL: other.baseUrl };
  const gateway = await startGatewayProcess({ env: { ...anthropicEnv(server), ...openai } });
  const client = { name: "test", drafts: true };
  const wire = await Wire.authenticated(gateway.url, gateway.token, client);
  const bystander = await Wire.authenticated(gateway.url, gateway.token, client);

  return {
    server,
    gateway,
    wire,
    async play(...answers) {
      server.will(...answers);
      const [sessionKey, elsewhere] = [await openSession(wire), await openSession(bystander)];
      const runId = await send(wire, sessionKey, "go");
      const meanwhile = await send(bystander, elsewhere, "meanwhile", { model: "openai/gpt-5.5" });
      expect((await ending(bystander, meanwhile)).data).toMatchObject({ text: "Undisturbed." });
      const end = await ending(wire, runId);
      const pushes = wire.pushesOf(runId);

      server.will(anthropic.reply("Still here."));
      expect((await ask(wire, sessionKey, "and now?")).data).toMatchObject({ text: "Still here." });
      expect((await contentsOf(wire, sessionKey)).at(-1)).toBe("Still here.");
      return { ending: end, data: end.data!, pushes, sessionKey };
    },
    async close() {
      const { stdout } = gateway.output();
      await gateway.kill();
      await Promise.all([server.close(), other.close()]);
      server.assertDone();
      other.assertDone();
      expect(stdout.match(/^.*"level":"ERROR".*$/gm)).toBeNull();
      expect(stdout).not.toMatch(/\bat .*\.ts:\d+/);
    },
  };
}

/** The first events of a text answer: enough to have said `text`, too little to be whole. */
export function begun(text: string): string[] {
  return anthropic.events({ content: [{ type: "text", text, pieces: [text] }] }).slice(0, 4);
}
