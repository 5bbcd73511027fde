import type { AnthropicServer } from "@elwood/testkit/anthropic-server";
import type { Frame, Wire } from "./conformance/wire.ts";

/** The few things that nearly every test says to a gateway. */

/** The environment of a gateway that talks to a loopback Anthropic. */
export function anthropicEnv(server: AnthropicServer): Record<string, string> {
  return {
    ANTHROPIC_API_KEY: "sk-ant-loopback-key-000000",
    ANTHROPIC_BASE_URL: server.url,
    ELWOOD_MODEL: "anthropic/claude-sonnet-5-5",
  };
}

export async function openSession(wire: Wire): Promise<string> {
  return ((await wire.result("sessions.create")) as { sessionKey: string }).sessionKey;
}

/** Sends a message and answers the id of its run, once the gateway has acknowledged it. */
export async function send(
  wire: Wire,
  sessionKey: string,
  message: string,
  more: Record<string, unknown> = {},
): Promise<string> {
  return ((await wire.result("chat.send", { sessionKey, message, ...more })) as { runId: string }).runId;
}

/** The push with which a run ends: `chat.final` or `chat.error`. */
export function ending(wire: Wire, runId: string): Promise<Frame> {
  return wire.until(
    (f) => (f.event === "chat.final" || f.event === "chat.error") && f.data?.["runId"] === runId,
  );
}

/** Sends a message and waits for its ending. */
export async function ask(wire: Wire, sessionKey: string, message: string): Promise<Frame> {
  return ending(wire, await send(wire, sessionKey, message));
}

export async function contentsOf(wire: Wire, sessionKey: string): Promise<string[]> {
  const { messages } = (await wire.result("chat.history", { sessionKey })) as {
    messages: { content: string }[];
  };
  return messages.map((m) => m.content);
}

/** The answer as a client that shows drafts would have put it together from the pushes of a run. */
export function streamedText(pushes: readonly Frame[]): string {
  return pushes
    .filter((f) => f.event === "chat.delta")
    .reduce((text, { data }) => (data!["reset"] ? "" : text) + String(data!["text"]), "");
}
