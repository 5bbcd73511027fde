import { toWireName } from "@elwood/core/model";
import { anthropic, ANTHROPIC_ROUTE, startAnthropic } from "./anthropic-server.ts";
import type { Answer } from "./loopback-server.ts";

/** What the model does for one message: calls, lap by lap, then words; then other words where it is asked to mend them. */
export interface LyingScript {
  readonly laps?: readonly (readonly { readonly tool: string; readonly input: unknown }[])[];
  readonly says: string | Answer;
  readonly mends?: string;
}

interface Body {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

export interface LyingModel {
  readonly url: string;
  /** Answers the name that a message has to hold for its run to follow the script. */
  add(script: LyingScript): string;
  /** How often it was asked with these words in the request. */
  asked(words: string): number;
  close(): Promise<void>;
}

/** A loopback model that says whatever it is told to, true or not, and says it again when it is asked to mend it. */
export async function startLyingModel(): Promise<LyingModel> {
  const server = await startAnthropic();
  const scripts: LyingScript[] = [];
  // The loopback server has checked that the body is a request of the Messages API.
  server.always(ANTHROPIC_ROUTE, (exchange) => answerTo(scripts, exchange.request.body as Body)(exchange));
  return {
    url: server.url,
    add: (script) => `script-${scripts.push(script) - 1}`,
    asked: (words) => server.requests.filter(({ body }) => JSON.stringify(body).includes(words)).length,
    close: () => server.close(),
  };
}

function answerTo(scripts: readonly LyingScript[], { messages }: Body): Answer {
  const at = messages.findLastIndex(
    ({ role, content }) => role === "user" && NAME.test(JSON.stringify(content)),
  );
  const name = NAME.exec(JSON.stringify(messages[at]?.content))?.[1];
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
    calls.map(({ tool, input }, i) => ({ name: toWireName(tool), input, id: `toolu_${name}x${lap}x${i}` })),
  );
}

const NAME = /script-(\d+)/;
