import { FailureError } from "@elwood/core/base/failure";
import type { MethodResult } from "@elwood/core/protocol/results";
import type { GatewayClient } from "@elwood/sdk/client";

/** So many servers are asked what they offer. */
const SERVERS_MAX = 20;
/** What a server offers is asked for again after this time. */
const OFFERED_FOR_MS = 30_000;

export interface OfferedResource {
  readonly server: string;
  readonly uri: string;
  readonly name: string;
}

export type OfferedPrompt = MethodResult<"mcp.prompts">["prompts"][number];

/** What running MCP servers offer for a message, for completion. A server that does not answer offers nothing. */
export class McpOffers {
  readonly #client: Pick<GatewayClient, "call">;
  readonly #resources: () => Promise<readonly OfferedResource[]>;
  readonly #prompts: () => Promise<readonly OfferedPrompt[]>;

  constructor(client: Pick<GatewayClient, "call">, now: () => number) {
    this.#client = client;
    this.#resources = keptFor(OFFERED_FOR_MS, now, () =>
      this.#ofEach(async (server) => {
        const { resources } = await client.call("mcp.resources", { name: server });
        return resources.filter(({ uri }) => /^\S+$/.test(uri)).map((each) => ({ ...each, server }));
      }),
    );
    this.#prompts = keptFor(OFFERED_FOR_MS, now, () =>
      this.#ofEach(async (server) => {
        const { prompts } = await client.call("mcp.prompts", { name: server });
        return prompts.filter(({ name }) => /^\S+$/.test(name));
      }),
    );
  }

  resources(): Promise<readonly OfferedResource[]> {
    return this.#resources();
  }

  prompts(): Promise<readonly OfferedPrompt[]> {
    return this.#prompts();
  }

  async #ofEach<T>(offered: (server: string) => Promise<readonly T[]>): Promise<readonly T[]> {
    const servers = await orNothing(async () => (await this.#client.call("mcp.list", {})).servers);
    const running = servers.filter(({ state }) => state === "running").slice(0, SERVERS_MAX);
    const all = await Promise.all(running.map(({ name }) => orNothing(() => offered(name))));
    return all.flat();
  }
}

/** Whoever completes a word gets what there is; a request that fails is told where somebody makes it. */
async function orNothing<T>(ask: () => Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    return [];
  }
}

function keptFor<T>(ms: number, now: () => number, ask: () => Promise<T>): () => Promise<T> {
  let kept: { readonly at: number; readonly answer: Promise<T> } | undefined;
  return () => {
    if (!kept || now() - kept.at > ms) kept = { at: now(), answer: ask() };
    return kept.answer;
  };
}

/** `/wiki:review who=Ann`: the prompt of a server that a line names. */
export function readPromptLine(
  line: string,
): { readonly server: string; readonly prompt: string; readonly words: string } | undefined {
  const [, server, prompt, words = ""] =
    /^\/([A-Za-z0-9][A-Za-z0-9_-]{0,63}):([^\s/]\S*)(?:\s+([^]*))?$/.exec(line) ?? [];
  return server === undefined || prompt === undefined ? undefined : { server, prompt, words: words.trim() };
}

/** Arguments by their names, `who=Ann what="the plan"`; all of the words where the prompt takes one argument. */
export function promptArguments(words: string, { arguments: taken }: OfferedPrompt): Record<string, string> {
  const [only] = taken;
  const named = [...words.matchAll(/(?:^|\s)([\w-]+)=(?:"([^"]*)"|(\S*))/g)].filter(([, name]) =>
    taken.some((each) => each.name === name),
  );
  if (only && taken.length === 1 && named.length === 0) return words === "" ? {} : { [only.name]: words };
  return Object.fromEntries(named.map(([, name = "", quoted, plain = ""]) => [name, quoted ?? plain]));
}
