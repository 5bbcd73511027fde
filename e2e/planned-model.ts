import {
  anthropic,
  ANTHROPIC_ROUTE,
  startAnthropic,
  type AnthropicServer,
} from "@elwood/testkit/anthropic-server";

import { isRepairNote } from "@elwood/testkit/repair-note";

export interface PlannedCall {
  readonly tool: string;
  readonly input?: unknown;
  /** Arguments as the model wrote them, which may be no JSON. */
  readonly json?: string;
}

interface Plan {
  readonly laps: readonly (readonly PlannedCall[])[];
  readonly reply: string;
}

interface Asked {
  readonly messages: {
    role: string;
    content: string | { type: string; text?: string; content?: unknown }[];
  }[];
}

/**
 * A loopback model that does what the message it answers was planned for. Unlike a queue of
 * answers it may be asked by several runs at once, in any order, before and after a restart.
 */
export class PlannedModel {
  readonly server: AnthropicServer;
  readonly #plans: Plan[] = [];

  private constructor(server: AnthropicServer) {
    this.server = server;
  }

  static async start(): Promise<PlannedModel> {
    const model = new PlannedModel(await startAnthropic());
    model.server.always(ANTHROPIC_ROUTE, (exchange) => {
      // The loopback server has checked that the body is a request of the Messages API.
      const { messages } = exchange.request.body as Asked;
      const answer = model.#answerTo(messages);
      return answer(exchange);
    });
    return model;
  }

  /** Answers the words to send; the run they begin makes these calls, lap by lap, and then says the reply. */
  plan(laps: Plan["laps"], reply = "I have seen what came of it."): string {
    this.#plans.push({ laps, reply });
    return `Please do plan-${this.#plans.length - 1}.`;
  }

  /** What the model was told of its calls, in the last request of the run that these words began. */
  resultsOf(words: string): string[] {
    const request = this.server.requests.findLast((r) => {
      const body = r.body as Asked | undefined;
      return body?.messages !== undefined && planIn(body.messages)?.name === planName(words);
    });
    const last = (request?.body as Asked | undefined)?.messages.at(-1)?.content;
    return (typeof last === "string" || last === undefined ? [] : last)
      .filter((block) => block.type === "tool_result")
      .map(({ content }) =>
        Array.isArray(content)
          ? content.map((part: { text?: string }) => part.text ?? "").join("")
          : String(content),
      );
  }

  #answerTo(messages: Asked["messages"]) {
    const found = planIn(messages);
    const plan = found && this.#plans[Number(found.name.slice(5))];
    if (!found || !plan) return anthropic.reply("Nothing was planned for this.");
    const calls = plan.laps[found.lap];
    if (!calls) return anthropic.reply(plan.reply);
    return anthropic.tools(
      calls.map(({ tool, ...call }, i) => ({
        name: tool.replaceAll(".", "__"),
        ...call,
        id: `toolu_${found.name}_${found.lap}_${i}`,
      })),
    );
  }
}

/** The plan that the last message with words in it names, and how often the model has answered it so far. */
function planIn(messages: Asked["messages"]): { name: string; lap: number } | undefined {
  const at = messages.findLastIndex(
    ({ role, content }) =>
      role === "user" &&
      (typeof content === "string" || content.some((block) => block.type === "text")) &&
      !isRepairNote(content),
  );
  const name = planName(JSON.stringify(messages[at]?.content ?? ""));
  return name === undefined
    ? undefined
    : { name, lap: messages.slice(at).filter((m) => m.role === "assistant").length };
}

function planName(text: string): string | undefined {
  return /plan-\d+/.exec(text)?.[0];
}
