import { z } from "zod";

const ollamaTags = z.object({ models: z.array(z.object({ name: z.string() })) });

const ASK_MS = 300;

/** Looks, read-only, whether an Ollama runs on this machine, and with which models. Asks nobody else and loads nothing. */
export async function detectOllama(address = "http://127.0.0.1:11434"): Promise<string | undefined> {
  try {
    const response = await fetch(`${address}/api/tags`, {
      signal: AbortSignal.timeout(ASK_MS),
      redirect: "error",
    });
    const tags = ollamaTags.safeParse(await response.json());
    if (!tags.success) return undefined;
    const names = tags.data.models.map((m) => m.name);
    if (names.length === 0) return `found Ollama at ${address}, with no model in it`;
    return `found Ollama at ${address} (${names.slice(0, 3).join(", ")}): use it with --model ollama/${names[0]}`;
  } catch {
    // Nobody there, or nobody we understand: the usual case, and not worth a word.
    return undefined;
  }
}
