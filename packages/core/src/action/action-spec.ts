/**
 * Connections and actions as they are stored: a connection says how to reach a provider, an action what to
 * ask of it. Keys are those of the file they were written in.
 */
export interface ConnectionSpec {
  readonly kind: "llm";
  /** A provider that Elwood knows by name, or `local` for any other server that speaks OpenAI's API. */
  readonly provider: string;
  readonly api_base?: string | undefined;
  readonly api?: "anthropic" | "responses" | "chat" | undefined;
  readonly authorization?: "bearer_token" | "api_key" | undefined;
  /** Only ever the name of a variable, `${NAME}`. */
  readonly token?: string | undefined;
  readonly default_headers?: Readonly<Record<string, string>> | undefined;
  readonly timeout_ms?: number | undefined;
  readonly rate_limits?:
    | { readonly requests_per_minute?: number | undefined; readonly max_concurrency?: number | undefined }
    | undefined;
  readonly proxy?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** What a file of actions may ask for. */
export const ACTION_TASKS = ["chat", "embed", "rerank", "http"] as const;
/** Those, and what Elwood's own actions do beside them: read what it has on record. */
export const ALL_TASKS = [...ACTION_TASKS, "resources.search", "resources.get"] as const;
export type ActionTask = (typeof ALL_TASKS)[number];

export interface Sampling {
  readonly temperature?: number | undefined;
  readonly top_p?: number | undefined;
  readonly max_tokens?: number | undefined;
}

/** A tool that the model of an action may call, by the id of a tool or the resource name of an http action. */
export interface ToolCallSpec {
  readonly tool_trn: string;
  /** What the model knows it as. */
  readonly name_override?: string | undefined;
  /** Narrows what the tool itself accepts. */
  readonly schema?: Readonly<Record<string, unknown>> | undefined;
}

/** Who looks at a text before it goes on. */
export interface ModerationHook {
  readonly url: string;
  /** What happens to the text while nobody answers there. */
  readonly when_down: "open" | "closed";
}

export interface ActionSpec {
  readonly kind: "llm" | "http";
  readonly task: ActionTask;
  /** `name`, or `name@vN`. Absent: `model` names its provider. */
  readonly connection?: string | undefined;
  readonly model?: string | undefined;
  readonly description?: string | undefined;
  readonly system?: string | undefined;
  readonly templates?: Readonly<Record<string, string>> | undefined;
  readonly sampling?: Sampling | undefined;
  readonly response_format?: "text" | "json" | undefined;
  readonly json_schema?: Readonly<Record<string, unknown>> | undefined;
  readonly tool_calls?: readonly ToolCallSpec[] | undefined;
  /** How often the results of tools go back to the model. */
  readonly tool_turns?: number | undefined;
  readonly stream?: boolean | undefined;
  readonly mcp_enabled?: boolean | undefined;
  readonly name_override?: string | undefined;
  readonly limits?:
    | { readonly timeout_ms?: number | undefined; readonly max_concurrency?: number | undefined }
    | undefined;
  readonly cache?:
    | {
        readonly mode: "exact" | "semantic";
        readonly ttl_seconds: number;
        /** For `semantic`: how alike two questions must be. */
        readonly similarity: number;
      }
    | undefined;
  /** Nothing of it is cached. */
  readonly sensitive?: boolean | undefined;
  readonly redact_pii?: boolean | undefined;
  readonly moderation?:
    | { readonly before?: ModerationHook | undefined; readonly after?: ModerationHook | undefined }
    | undefined;
  /** Of an http action. */
  readonly http?: HttpRequestSpec | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface HttpRequestSpec {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With `{{name}}` for values of the input; the host is fixed. */
  readonly url: string;
  /** Values of the input that stand in the query, where they are given. */
  readonly query?: readonly string[] | undefined;
  /** `${NAME}` stands for a secret. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** `json`: what of the input stands in no other place goes along as a JSON object. */
  readonly body?: "json" | "none" | undefined;
  readonly input_schema?: Readonly<Record<string, unknown>> | undefined;
}

/** A file's connections and actions. */
export interface Manifest {
  readonly connections: Readonly<Record<string, ConnectionSpec>>;
  readonly actions: Readonly<Record<string, ActionSpec>>;
}
