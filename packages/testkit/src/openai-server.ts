import { json } from "./answers.ts";
import { LoopbackServer, type Answer, type LoopbackOptions } from "./loopback-server.ts";
import { openaiFault } from "./openai-rules.ts";

export const RESPONSES_ROUTE = "POST /v1/responses";
export const CHAT_ROUTE = "POST /v1/chat/completions";

/** OpenAI's Responses API and Chat Completions on 127.0.0.1: give `baseUrl` to a client. */
export async function startOpenai(options: LoopbackOptions = {}): Promise<OpenaiServer> {
  const server = new OpenaiServer({
    check: openaiFault,
    refuse: (status, message) => openaiError(status, { message, headers: { "x-should-retry": "false" } }),
    ...options,
  });
  server.always("GET /v1/models", openaiModels(["gpt-5.5", "gpt-5.4-mini"]));
  for (const route of OF_OTHER_SERVERS) server.always(route, json(404, { error: { message: "not found" } }));
  return server.start();
}

/** Where llama.cpp, LM Studio and Ollama tell of their models; this is none of them. */
const OF_OTHER_SERVERS = ["GET /props", "GET /api/v0/models", "GET /api/ps"];

export class OpenaiServer extends LoopbackServer {
  get baseUrl(): string {
    return `${this.url}/v1`;
  }

  /** Answers for the next calls to the Responses API, in order (see `responses`). */
  willRespond(...answers: Answer[]): this {
    return this.script(RESPONSES_ROUTE, ...answers);
  }

  /** Answers for the next calls to Chat Completions, in order (see `chat`). */
  willChat(...answers: Answer[]): this {
    return this.script(CHAT_ROUTE, ...answers);
  }
}

export function openaiModels(ids: readonly string[]): Answer {
  const data = ids.map((id) => ({ id, object: "model", created: 1_790_000_000, owned_by: "loopback" }));
  return json(200, { object: "list", data });
}

export interface OpenaiErrorOptions {
  readonly message?: string;
  readonly type?: string;
  readonly code?: string | number | null;
  readonly param?: string | null;
  readonly headers?: Record<string, string>;
}

/** An HTTP error in OpenAI's envelope. */
export function openaiError(status: number, options: OpenaiErrorOptions = {}): Answer {
  return json(
    status,
    {
      error: {
        message: options.message ?? `error ${status} from the loopback server`,
        type: options.type ?? ERROR_TYPES[status] ?? "server_error",
        code: options.code ?? null,
        param: options.param ?? null,
      },
    },
    { "x-request-id": "req_loopback", ...options.headers },
  );
}

const ERROR_TYPES: Record<number, string> = {
  400: "invalid_request_error",
  401: "invalid_request_error",
  403: "invalid_request_error",
  404: "invalid_request_error",
  429: "requests",
};
