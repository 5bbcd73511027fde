import { isRepairNote } from "./repair-note.ts";
import { anthropic, ANTHROPIC_ROUTE, startAnthropic } from "./anthropic-server.ts";

/** Calls of a model, one after the other: each a tool's id and its input. */
export type CallScript = readonly (readonly [tool: string, input: unknown])[];

/** A loopback model that is many: each name plays its own script, whatever the message says. */
export interface ScriptedAnthropic extends AsyncDisposable {
  readonly url: string;
  /** Answers the model's name, such as `script-3`. */
  play(calls: CallScript): string;
  /** What the model was shown last, as JSON. */
  lastShown(): string;
  /** The names of the tools that it was offered last. */
  lastTools(): readonly string[];
}

interface Asked {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly name: string }[];
}

export async function startScriptedAnthropic(): Promise<ScriptedAnthropic> {
  const scripts = new Map<string, CallScript>();
  const server = await startAnthropic();
  server.always(ANTHROPIC_ROUTE, (exchange) => {
    // The loopback server has checked that the body is a request of the Messages API.
    const { model, messages } = exchange.request.body as Asked;
    const begun = messages.findLastIndex(
      ({ content, role }) => role === "user" && !isResult(content) && !isRepairNote(content),
    );
    const lap = messages.slice(begun).filter(({ role }) => role === "assistant").length;
    const [tool, input] = scripts.get(model)?.[lap] ?? [];
    const answer =
      tool === undefined
        ? anthropic.reply("That is all.")
        : anthropic.tools([{ name: tool.replaceAll(".", "__"), input, id: `toolu_${model}_${lap}` }]);
    return answer(exchange);
  });
  return {
    url: server.url,
    play(calls) {
      const name = `script-${scripts.size}`;
      scripts.set(name, calls);
      return name;
    },
    lastShown: () => JSON.stringify(server.last(ANTHROPIC_ROUTE).body),
    lastTools: () => ((server.last(ANTHROPIC_ROUTE).body as Asked).tools ?? []).map(({ name }) => name),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

function isResult(content: unknown): boolean {
  return Array.isArray(content) && content.some((block: { type?: string }) => block.type === "tool_result");
}
