import { toWireName } from "@elwood/core/model/model";
import { anthropic, ANTHROPIC_ROUTE, startAnthropic } from "./anthropic-server.ts";
import type { Answer } from "./loopback-server.ts";
import { isRepairNote } from "./repair-note.ts";

type Lap = readonly { readonly tool: string; readonly input: unknown }[];

/**
 * What the model does for one message: calls, lap by lap, then words; and where it is told what does
 * not fit, calls and words once more. Unless told, it then says the same again.
 */
export interface LyingScript {
  readonly laps?: readonly Lap[];
  readonly says: string | Answer;
  readonly mends?: { readonly laps?: readonly Lap[]; readonly says: string | Answer };
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
  lastRequest(): Readonly<Record<string, unknown>>;
  /** How many notes about its answers the run of this script was shown at once. */
  told(script: LyingScript): number;
  close(): Promise<void>;
}

/** A loopback model that says whatever it is told to, true or not, and by default says it again when it is told so. */
export async function startLyingModel(): Promise<LyingModel> {
  const server = await startAnthropic();
  const scripts: LyingScript[] = [];
  const told = new Map<LyingScript, number>();
  server.always(ANTHROPIC_ROUTE, (exchange) => {
    // The loopback server has checked that the body is a request of the Messages API.
    const body = exchange.request.body as Body;
    const found = scriptIn(scripts, body);
    if (!found) return anthropic.reply("Nothing was planned for this.")(exchange);
    const notes = body.messages.filter(({ content }) => isRepairNote(content)).length;
    told.set(found.script, Math.max(notes, told.get(found.script) ?? 0));
    return answerTo(found, body)(exchange);
  });
  return {
    url: server.url,
    add: (script) => `script-${scripts.push(script) - 1}`,
    asked: (words) => server.requests.filter(({ body }) => JSON.stringify(body).includes(words)).length,
    told: (script) => told.get(script) ?? 0,
    lastRequest: () => server.requests.at(-1)?.body as Record<string, unknown>,
    close: () => server.close(),
  };
}

interface Found {
  readonly script: LyingScript;
  readonly name: string;
  /** Where the message stands that named it. */
  readonly at: number;
}

function scriptIn(scripts: readonly LyingScript[], { messages }: Body): Found | undefined {
  const at = messages.findLastIndex(
    ({ role, content }) => role === "user" && NAME.test(JSON.stringify(content)),
  );
  const name = NAME.exec(JSON.stringify(messages[at]?.content))?.[1];
  const script = scripts[Number(name)];
  return script && name !== undefined ? { script, name, at } : undefined;
}

function answerTo({ script, name, at }: Found, { messages }: Body): Answer {
  const since = messages.slice(at);
  const told = since.findLastIndex(({ role, content }) => role === "user" && isRepairNote(content));
  const { laps = [], says } = told < 0 ? script : (script.mends ?? { says: script.says });
  const lap = since
    .slice(told + 1)
    .filter(
      ({ role, content }) => role === "assistant" && JSON.stringify(content).includes('"tool_use"'),
    ).length;
  const calls = laps[lap];
  if (!calls) return typeof says === "string" ? anthropic.reply(says) : says;
  const part = told < 0 ? "" : "m";
  return anthropic.tools(
    calls.map(({ tool, input }, i) => ({
      name: toWireName(tool),
      input,
      id: `toolu_${name}x${part}${lap}x${i}`,
    })),
  );
}

const NAME = /script-(\d+)/;
