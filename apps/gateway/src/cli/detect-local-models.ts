import { get } from "node:http";
import { text } from "node:stream/consumers";
import { z } from "zod";

const ollamaTags = z.object({ models: z.array(z.object({ name: z.string() })) });

const ASK_MS = 300;

/** Looks, read-only, whether an Ollama runs on this machine, and with which models. Asks nobody else and loads nothing. */
export async function detectOllama(address = "http://127.0.0.1:11434"): Promise<string | undefined> {
  try {
    const tags = ollamaTags.safeParse(JSON.parse(await read(`${address}/api/tags`)));
    if (!tags.success) return undefined;
    const names = tags.data.models.map((m) => m.name);
    if (names.length === 0) return `found Ollama at ${address}, with no model in it`;
    return `found Ollama at ${address} (${names.slice(0, 3).join(", ")}): use it with --model ollama/${names[0]}`;
  } catch {
    // Nobody there, or nobody we understand: the usual case, and not worth a word.
    return undefined;
  }
}

/** By the module that the gateway has loaded anyway; `fetch` would load another, and a start waits for it. */
async function read(address: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get(address, { signal: AbortSignal.timeout(ASK_MS) }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
      text(response).then(resolve, reject);
    });
    request.once("error", reject);
  });
}
