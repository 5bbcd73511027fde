import { get } from "node:http";
import { text } from "node:stream/consumers";
import { z } from "zod";

const ollamaTags = z.object({ models: z.array(z.object({ name: z.string() })) });
const modelList = z.object({ data: z.array(z.object({ id: z.string() })) });

/** A start waits for it. */
const START_ASK_MS = 300;
/** Where somebody looks at a page meanwhile; a busy machine is late now and then. */
const PAGE_ASK_MS = 3_000;
const ANSWER_BYTES_MAX = 1024 * 1024;

export interface LocalServer {
  readonly provider: string;
  readonly url: string;
  readonly models: readonly string[];
}

/** Looks, read-only, whether an Ollama runs on this machine, and with which models. Asks nobody else and loads nothing. */
export async function detectOllama(address = "http://127.0.0.1:11434"): Promise<string | undefined> {
  const names = await ollamaModels(address, START_ASK_MS);
  if (!names) return undefined;
  if (names.length === 0) return `found Ollama at ${address}, with no model in it`;
  return `found Ollama at ${address} (${names.slice(0, 3).join(", ")}): use it with --model ollama/${names[0]}`;
}

/** The same for several servers, by the base address of their API. Those on other machines are not asked. */
export async function detectLocal(
  servers: readonly { readonly name: string; readonly baseUrl: string }[],
): Promise<LocalServer[]> {
  const found = await Promise.all(
    servers.map(async ({ name, baseUrl }) => {
      const url = URL.parse(baseUrl);
      if (url?.protocol !== "http:" || !LOOPBACK.has(url.hostname)) return [];
      const models =
        name === "ollama" ? await ollamaModels(url.origin, PAGE_ASK_MS) : await listedModels(baseUrl);
      return models ? [{ provider: name, url: baseUrl, models }] : [];
    }),
  );
  return found.flat();
}

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

async function ollamaModels(address: string, askMs: number): Promise<string[] | undefined> {
  const tags = ollamaTags.safeParse(await answerOf(`${address}/api/tags`, askMs));
  return tags.success ? tags.data.models.map((m) => m.name) : undefined;
}

async function listedModels(baseUrl: string): Promise<string[] | undefined> {
  const list = modelList.safeParse(await answerOf(`${baseUrl.replace(/\/$/, "")}/models`, PAGE_ASK_MS));
  return list.success ? list.data.data.map((m) => m.id) : undefined;
}

/** undefined where nobody is there, or nobody we understand: the usual case, and not worth a word. */
async function answerOf(address: string, askMs: number): Promise<unknown> {
  try {
    return JSON.parse(await read(address, askMs)) as unknown;
  } catch {
    return undefined;
  }
}

/** By the module that the gateway has loaded anyway; `fetch` would load another, and a start waits for it. */
async function read(address: string, askMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get(address, { signal: AbortSignal.timeout(askMs) }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > ANSWER_BYTES_MAX) response.destroy(new Error("too long"));
      });
      text(response).then(resolve, reject);
    });
    request.once("error", reject);
  });
}
