import type {
  AuthProvider,
  CallToolResult,
  Client,
  GetPromptResult,
  ReadResourceResult,
  Transport,
} from "@modelcontextprotocol/client";
import { showLine } from "@elwood/core/base/show";
import type { Clock } from "@elwood/runtime/ports/ports";
import { elicit, type AskOwner } from "./elicitation.ts";
import { HttpWire, SseStream } from "./http-fetch.ts";
import type { HttpWay } from "./server-settings.ts";
import { MCP_LIMITS } from "./limits.ts";
import type { ScopeChallenge } from "./oauth-login.ts";
import type { StdioTransport } from "./stdio-transport.ts";

/** A server that has been greeted, by whichever version of the protocol it speaks. */
export interface Connection {
  readonly era: "legacy" | "modern";
  /** Such as 2025-11-25. */
  readonly protocol: string;
  /** What it calls itself. */
  readonly server: string | undefined;
  /** Its tools as it lists them, all pages. */
  list(signal: AbortSignal): Promise<readonly unknown[]>;
  call(
    name: string,
    input: Readonly<Record<string, unknown>>,
    options: {
      readonly signal: AbortSignal;
      readonly timeoutMs: number;
      readonly progress: (text: string) => void;
      /** What the server wants to know meanwhile. */
      readonly ask?: AskOwner | undefined;
    },
  ): Promise<CallToolResult>;
  /** What else it offers to read, all pages; none where it offers nothing of the kind. */
  resources(signal: AbortSignal): Promise<readonly unknown[]>;
  resource(uri: string, signal: AbortSignal): Promise<ReadResourceResult>;
  prompts(signal: AbortSignal): Promise<readonly unknown[]>;
  prompt(
    name: string,
    given: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<GetPromptResult>;
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly version: string;
  /** As the owner calls the server. */
  readonly name: string;
  /** What it was the last time, which saves a question. */
  readonly era: Connection["era"] | undefined;
  readonly signal: AbortSignal;
  readonly clock: Pick<Clock, "sleep">;
  /** Told of what goes wrong beside the calls, a sentence each. */
  readonly note: (text: string) => void;
  /** The server says that its tools have changed. */
  readonly listChanged: () => void;
  /** The connection is over, wanted or not. */
  readonly closed: () => void;
}

export async function connectStdio(transport: StdioTransport, options: ConnectOptions): Promise<Connection> {
  const made = await connected(transport, options);
  return {
    ...made,
    async call(name, input, each) {
      const answer = await made.call(name, input, each);
      transport.progressed();
      return answer;
    },
  };
}

/** Who logs in to a server over HTTP. */
export interface HttpLogin {
  readonly provider: AuthProvider;
  /** The token is good, and not for this. */
  lacks(challenge: ScopeChallenge): Promise<Error>;
}

export async function connectHttp(
  way: HttpWay,
  guarded: typeof globalThis.fetch,
  login: HttpLogin | undefined,
  options: ConnectOptions,
): Promise<Connection> {
  const { SdkHttpError } = await import("@modelcontextprotocol/client");
  try {
    return await connectStreamable(way, guarded, login, options);
  } catch (cause) {
    // Servers of the first kind know no POST here: they want a stream to be opened first.
    const isOlder = cause instanceof SdkHttpError && OLDER_STATUSES.has(cause.status ?? 0);
    if (!isOlder || options.signal.aborted) throw cause;
    return connectSse(way, guarded, login, options).catch(() => {
      throw cause;
    });
  }
}

const OLDER_STATUSES: ReadonlySet<number> = new Set([400, 404, 405]);

/** HTTP with server-sent events, as in the revision of 2024-11-05: one stream for all answers, at the same origin. */
async function connectSse(
  { url, headers }: HttpWay,
  guarded: typeof globalThis.fetch,
  login: HttpLogin | undefined,
  options: ConnectOptions,
): Promise<Connection> {
  const { SSEClientTransport } = await import("@modelcontextprotocol/client");
  const stream = new SseStream(guarded);
  const transport = new SSEClientTransport(new URL(url), {
    fetch: (input, init) => stream.fetch(input, init),
    requestInit: { headers: { ...headers } },
    ...(login && { authProvider: login.provider }),
  });
  const made = await connected(transport, { ...options, era: "legacy" });
  // With the stream the connection is gone: whoever waits for an answer learns it now, and the next call connects again.
  void stream.ended.then(() => made.close()).then(options.closed);
  return { ...made, close: () => stream.close().then(() => made.close()) };
}

async function connectStreamable(
  { url, headers }: HttpWay,
  guarded: typeof globalThis.fetch,
  login: HttpLogin | undefined,
  options: ConnectOptions,
): Promise<Connection> {
  const { InsufficientScopeError, StreamableHTTPClientTransport } =
    await import("@modelcontextprotocol/client");
  const wire = new HttpWire(guarded, options.clock);
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: (input, init) => wire.fetch(input, init),
    requestInit: { headers: { ...headers } },
    ...(login && { authProvider: login.provider }),
    reconnectionScheduler: wire.reopen,
    reconnectionOptions: {
      maxRetries: MCP_LIMITS.reopenTriesMax,
      initialReconnectionDelay: 1_000,
      maxReconnectionDelay: 1_000,
      reconnectionDelayGrowFactor: 1,
    },
  });
  const during = <T>(signal: AbortSignal, work: (either: AbortSignal) => Promise<T>) =>
    wire.during(signal, work).catch(async (cause: unknown) => {
      throw login && cause instanceof InsufficientScopeError ? await login.lacks(cause) : cause;
    });
  const made = await during(options.signal, () => connected(transport, options));
  return {
    ...made,
    list: (signal) => during(signal, (either) => made.list(either)),
    resources: (signal) => during(signal, (either) => made.resources(either)),
    resource: (uri, signal) => during(signal, (either) => made.resource(uri, either)),
    prompts: (signal) => during(signal, (either) => made.prompts(either)),
    prompt: (name, given, signal) => during(signal, (either) => made.prompt(name, given, either)),
    call: (name, input, each) => during(each.signal, (signal) => made.call(name, input, { ...each, signal })),
  };
}

/** The answer to the question for the newest protocol, after it was given up. */
const LATE_PROBE = '"id":"server-discover-probe';

async function connected(transport: Transport, options: ConnectOptions): Promise<Connection> {
  const { Client: McpClient } = await import("@modelcontextprotocol/client");
  const { signal, note } = options;
  const client: Client = new McpClient(
    { name: "elwood", version: options.version },
    {
      // No sampling, no roots: a server gets no model and no folders of ours. Questions go to the owner.
      capabilities: { elicitation: { form: {}, url: {} } },
      inputRequired: { maxRounds: MCP_LIMITS.questionsPerCallMax },
      versionNegotiation: { mode: "auto", probe: { timeoutMs: MCP_LIMITS.probeMs } },
      listMaxPages: MCP_LIMITS.pagesMax,
      // What a tool answers is held against the schema that the owner granted, by the gate.
      jsonSchemaValidator: {
        getValidator: () => (data: unknown) => ({
          valid: true,
          data: data as never,
          errorMessage: undefined,
        }),
      },
    },
  );
  Object.assign(client, {
    onerror: (error: Error) =>
      error.message.includes(LATE_PROBE)
        ? undefined
        : note(`it does not keep to the protocol: ${showLine(error.message).slice(0, 500)}`),
    onclose: () => options.closed(),
  });
  // A server does not say which call its question is for; the oldest one that is under way waits for it.
  const asking = new Map<object, Questions>();
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    const [call] = asking.values();
    if (call === undefined || ++call.asked > MCP_LIMITS.questionsPerCallMax) {
      note("it asked a question that belongs to no call, or too many, which was declined");
      return { action: "cancel" };
    }
    return elicit(options.name, params, call.ask, (why) => {
      note(`the owner was not asked: ${why}`);
      call.unasked = why;
    });
  });
  client.setNotificationHandler("notifications/tools/list_changed", () => options.listChanged());
  const prior = options.era === "legacy" ? { prior: { kind: "legacy" as const } } : {};
  await client.connect(transport, { signal, timeout: MCP_LIMITS.startMs, ...prior });
  const info = client.getServerVersion();
  return {
    era: client.getProtocolEra() ?? "legacy",
    protocol: client.getNegotiatedProtocolVersion() ?? "",
    server: info && showLine(`${info.name} ${info.version}`).slice(0, 200),
    async list(listSignal) {
      if (client.getServerCapabilities()?.tools === undefined) return [];
      const { tools } = await client.listTools(undefined, {
        signal: listSignal,
        timeout: MCP_LIMITS.startMs,
        cacheMode: "refresh",
      });
      return tools;
    },
    async call(name, input, { signal: callSignal, timeoutMs, progress, ask }) {
      let told = 0;
      const key = {};
      const questions: Questions | undefined = ask && { ask, asked: 0 };
      if (questions) asking.set(key, questions);
      const answered = client.callTool(
        { name, arguments: { ...input } },
        {
          signal: callSignal,
          timeout: timeoutMs,
          onprogress({ progress: done, total, message }) {
            if (++told > MCP_LIMITS.progressPerCallMax) return;
            const words = message ?? (total === undefined ? String(done) : `${done} of ${total}`);
            progress(showLine(words).slice(0, MCP_LIMITS.progressCharsMax));
          },
        },
      );
      const answer = await answered.finally(() => asking.delete(key));
      return questions?.unasked === undefined ? answer : withNote(answer, questions.unasked);
    },
    async resources(signalled) {
      if (client.getServerCapabilities()?.resources === undefined) return [];
      return (await client.listResources(undefined, { ...brief(signalled), cacheMode: "refresh" })).resources;
    },
    resource: (uri, signalled) => client.readResource({ uri }, { ...brief(signalled), cacheMode: "refresh" }),
    async prompts(signalled) {
      if (client.getServerCapabilities()?.prompts === undefined) return [];
      return (await client.listPrompts(undefined, { ...brief(signalled), cacheMode: "refresh" })).prompts;
    },
    prompt: (name, given, signalled) => client.getPrompt({ name, arguments: { ...given } }, brief(signalled)),
    close: () => client.close(),
  };
}

/** What a server may ask the owner while a call of theirs is under way. */
interface Questions {
  readonly ask: AskOwner;
  asked: number;
  /** Why it did not come to the owner, for the last that did not. */
  unasked?: string;
}

/** A server takes a question that nobody was asked for one that the owner refused, and says so. */
function withNote(answer: CallToolResult, why: string): CallToolResult {
  const text = `(Elwood did not put the server's question to the owner: ${why}. The owner has refused nothing.)`;
  return { ...answer, content: [...answer.content, { type: "text", text }] };
}

/** What nobody has to decide about is answered soon, or not at all. */
function brief(signal: AbortSignal) {
  return { signal, timeout: MCP_LIMITS.startMs };
}
