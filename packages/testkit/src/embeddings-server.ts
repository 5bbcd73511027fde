import { json } from "./answers.ts";
import { LoopbackServer, type Answer, type LedgerEntry, type LoopbackOptions } from "./loopback-server.ts";
import { openaiFault } from "./openai-rules.ts";
import { openaiError } from "./openai-server.ts";
import { wordVector, type WordVectorOptions } from "./word-vectors.ts";

export const EMBEDDINGS_ROUTE = "POST /v1/embeddings";

export interface EmbeddingsOptions extends LoopbackOptions {
  /** Where a request asks for no other; 64 unless told. */
  readonly dims?: number;
  readonly synonyms?: WordVectorOptions["synonyms"];
  /** Models that are there; any, unless told. */
  readonly models?: readonly string[];
}

/**
 * An OpenAI-compatible embeddings endpoint on 127.0.0.1 that answers with word vectors: the
 * same text and model give the same vector. What comes next can be scripted (`willEmbed`),
 * all that came is in the ledger.
 */
export async function startEmbeddings(options: EmbeddingsOptions = {}): Promise<EmbeddingsServer> {
  return new EmbeddingsServer(options).start();
}

export class EmbeddingsServer extends LoopbackServer {
  readonly #options: EmbeddingsOptions;

  constructor(options: EmbeddingsOptions = {}) {
    super({
      check: embeddingsFault,
      refuse: (status, message) => openaiError(status, { message, headers: { "x-should-retry": "false" } }),
      ...options,
    });
    this.#options = options;
    this.always(EMBEDDINGS_ROUTE, this.vectors());
  }

  get baseUrl(): string {
    return `${this.url}/v1`;
  }

  /** Answers for the next requests, in order; after them come vectors again. */
  willEmbed(...answers: Answer[]): this {
    return this.script(EMBEDDINGS_ROUTE, ...answers);
  }

  /** Every text that was sent here, oldest first. */
  texts(): string[] {
    return this.requests.flatMap(textsOf);
  }

  /** The ordinary answer, or one that is wrong in a way that was asked for. */
  vectors(wrong: { dims?: number; fewer?: number; floats?: boolean; shuffled?: boolean } = {}): Answer {
    return (exchange) => {
      const { request } = exchange;
      const body = request.body as { model: string; dimensions?: number; encoding_format?: string };
      const { models, synonyms, dims: usual = 64 } = this.#options;
      if (models && !models.includes(body.model))
        return openaiError(404, { code: "model_not_found", message: `no model ${body.model}` })(exchange);
      const dims = wrong.dims ?? body.dimensions ?? usual;
      const texts = textsOf(request);
      const rows = texts.slice(0, texts.length - (wrong.fewer ?? 0)).map((text, index) => {
        const vector = wordVector(text, { dims, seed: body.model, ...(synonyms ? { synonyms } : {}) });
        const plain = wrong.floats === true || body.encoding_format !== "base64";
        return { object: "embedding", index, embedding: plain ? [...vector] : base64(vector) };
      });
      const count = tokensOf(texts);
      return json(200, {
        object: "list",
        model: body.model,
        data: wrong.shuffled ? rows.toReversed() : rows,
        usage: { prompt_tokens: count, total_tokens: count },
      })(exchange);
    };
  }
}

/** How this server counts; a test that reckons costs uses the same. */
export function tokensOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Math.ceil(text.length / 4), 0);
}

function textsOf(request: LedgerEntry): string[] {
  const input = (request.body as { input?: unknown } | undefined)?.input;
  return Array.isArray(input) ? (input as string[]) : typeof input === "string" ? [input] : [];
}

const TEXTS_MAX = 2_048;

function embeddingsFault(request: LedgerEntry): string | undefined {
  const fault = openaiFault(request);
  if (fault !== undefined || request.path !== "/v1/embeddings") return fault;
  const texts = textsOf(request);
  if (texts.length === 0 || texts.length > TEXTS_MAX) return `input: 1 to ${TEXTS_MAX} texts`;
  if (texts.some((text) => typeof text !== "string" || text === "")) return "input: a text is empty";
  return undefined;
}

function base64(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * 4);
  return bytes.toString("base64");
}
