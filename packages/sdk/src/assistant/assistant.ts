import { ASSISTANT_ID_PATTERN } from "@elwood/core/tool/client-tool";
import type { Checked, ToolSchema } from "../tool-schema.ts";
import { GatewayEngine } from "./gateway-engine.ts";
import { Conversation } from "./conversation.ts";
import type { AssistantDefinition, ICoreEngineClient } from "./engine-client.ts";
import { ConversationError } from "./errors.ts";
import type { Activity, StreamEvent, Usage } from "./events.ts";
import { jsonSchemaOf, type Tool } from "./tool.ts";

const ID_CHARS_MAX = 24;
/** How often an answer that does not fit the schema is asked for again. */
const REPAIRS_MAX = 1;

export interface AssistantConfig {
  /** Unique for the assistant: small letters, digits, - and _, beginning with a letter; 24 characters at most. */
  id: string;
  name: string;
  role: string;
  /** For the model: how it speaks and behaves. */
  personality: string;
  tools: Tool[];
  /** Where it runs. Left out, the gateway that runs on this machine is looked for. */
  coreEngineClient?: ICoreEngineClient;
  /** `provider/model`; the engine's usual one where left out. */
  model?: string;
  /** Tools of the engine's own that it may use beside its own, by id or pattern (`files.*`). */
  engineTools?: string[];
}

/** An answer as a whole. */
export interface Answer<Output = undefined> {
  readonly text: string;
  readonly output: Output;
  /** What its calls did, from receipts. */
  readonly activity: Activity;
  /** The engine's own lines on that; empty where there is nothing to say. */
  readonly evidence: string;
  readonly usage: Usage | undefined;
  readonly runId: string;
}

/** Who an assistant is, and what it can do. */
export class Assistant {
  readonly id: string;
  readonly #config: AssistantConfig;
  readonly #tools = new Map<string, Tool>();
  #engine: ICoreEngineClient | undefined;
  #defined: Promise<void> | undefined;

  constructor(config: AssistantConfig) {
    const { id, tools } = config;
    if (typeof id !== "string" || !ASSISTANT_ID_PATTERN.test(id) || id.length > ID_CHARS_MAX)
      throw new TypeError(
        `Assistant: ${JSON.stringify(id)} is not an id. Write small letters, digits, - and _, beginning with a letter; ${ID_CHARS_MAX} characters at most.`,
      );
    this.id = id;
    this.#config = config;
    for (const tool of tools) this.registerTool(tool);
  }

  /** Returns at once; what happens comes as events, which wait until somebody listens. */
  startConversation(initialPrompt: string): Conversation {
    const conversation = this.#newConversation();
    void conversation.begin(initialPrompt);
    return conversation;
  }

  /** The id of a conversation that is begun with `openConversation`. */
  newConversationId(): string {
    return this.#engineNow().newConversationId();
  }

  /** A conversation that was begun before, maybe by another process. */
  openConversation(id: string): Conversation {
    return new Conversation(id, this.id, this.#engineNow(), () => this.#ready());
  }

  /** Counts from the next message on. */
  registerTool(tool: Tool): void {
    const taken = this.#tools.get(tool.name);
    if (taken && taken !== tool)
      throw new TypeError(
        `Assistant: there are two tools called "${tool.name}". Give one of them another name.`,
      );
    this.#tools.set(tool.name, tool);
    this.#defined = undefined;
  }

  getTool(toolName: string): Tool | undefined {
    return this.#tools.get(toolName);
  }

  /** What the engine keeps for this assistant, and lets it know with every message. */
  // oxlint-disable-next-line typescript/no-explicit-any -- what it is was up to whoever stored it
  async getContext(): Promise<any> {
    await this.#ready();
    return this.#engineNow().getContext(this.id);
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- any JSON
  async updateContext(newContext: any): Promise<void> {
    await this.#ready();
    await this.#engineNow().setContext(this.id, newContext);
  }

  /** Asks in a conversation of its own, and waits for the whole answer; with `output` a value that fits the schema. */
  async ask<S extends ToolSchema>(
    prompt: string,
    options: { readonly signal?: AbortSignal; readonly output: S },
  ): Promise<Answer<Checked<S>>>;
  async ask(prompt: string, options?: { readonly signal?: AbortSignal }): Promise<Answer>;
  async ask(
    prompt: string,
    { signal, output }: { readonly signal?: AbortSignal; readonly output?: ToolSchema } = {},
  ): Promise<Answer<unknown>> {
    const conversation = this.#newConversation();
    const given = signal ? { signal } : {};
    if (output === undefined) return gathered(conversation.stream(prompt, given));
    const { checkedSchema } = await import("../schema/checked-schema.ts");
    const schema = checkedSchema(output, "output");
    if (!schema.ok) throw new ConversationError("invalid_schema", `${schema.error}. Nothing was sent.`);
    const asJson = JSON.stringify(jsonSchemaOf(output, "output"));
    let message = `${prompt}\n\nAnswer with one JSON value and nothing else. It must fit this JSON Schema: ${asJson}`;
    for (let tries = 0; ; tries += 1) {
      const answer = await gathered(conversation.stream(message, given));
      const found = jsonIn(answer.text);
      const checked = found === undefined ? undefined : schema.value.check(found.value);
      if (checked?.ok) return { ...answer, output: checked.value };
      const problems = checked ? checked.error.join(" ") : "It is no JSON.";
      if (tries >= REPAIRS_MAX)
        throw new ConversationError(
          "output_invalid",
          "The answer does not fit the schema, also after it was asked for again. It is in `cause`.",
          { cause: answer.text },
        );
      message = `Your answer does not fit: ${problems} Answer again, with the JSON value alone.`;
    }
  }

  /** Lets go of the engine; a program can end then. */
  async close(): Promise<void> {
    await this.#engine?.close();
  }

  #newConversation(): Conversation {
    const engine = this.#engineNow();
    return new Conversation(engine.newConversationId(), this.id, engine, () => this.#ready());
  }

  #engineNow(): ICoreEngineClient {
    return (this.#engine ??= this.#config.coreEngineClient ?? new GatewayEngine({ name: this.#config.name }));
  }

  #ready(): Promise<void> {
    const { id, name, role, personality, model, engineTools } = this.#config;
    const definition: AssistantDefinition = {
      id,
      name,
      role,
      personality,
      ...(model === undefined ? {} : { model }),
      ...(engineTools === undefined ? {} : { engineTools }),
      tools: [...this.#tools.values()],
    };
    const defined = (this.#defined ??= this.#engineNow().define(definition));
    defined.catch(() => {
      if (this.#defined === defined) this.#defined = undefined;
    });
    return defined;
  }
}

async function gathered(events: AsyncIterable<StreamEvent>): Promise<Answer> {
  let text = "";
  let activity: Activity = [];
  let evidence = "";
  let usage: Usage | undefined;
  let runId = "";
  let failed: Extract<StreamEvent, { type: "error" }> | undefined;
  for await (const event of events) {
    runId = event.runId || runId;
    if (event.type === "message" && typeof event.message.content === "string") text = event.message.content;
    else if (event.type === "activity") ({ activity, evidence } = event);
    else if (event.type === "usage") ({ usage } = event);
    else if (event.type === "error") failed = event;
    else if (event.type === "turn_end" && event.reason === "aborted")
      throw new ConversationError("aborted", "The run was stopped. What it had done is done.", {
        cause: runId,
      });
  }
  if (failed)
    throw new ConversationError(failed.code, failed.message, { retryable: failed.retryable, cause: runId });
  return { text, output: undefined, activity, evidence, usage, runId };
}

/** The JSON value in an answer, which may stand in a code fence. */
function jsonIn(text: string): { readonly value: unknown } | undefined {
  const fenced = /```(?:json)?\s*\n([\s\S]*?)\n```/.exec(text)?.[1];
  for (const candidate of [text.trim(), fenced?.trim()]) {
    if (candidate === undefined) continue;
    try {
      return { value: JSON.parse(candidate) as unknown };
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return undefined;
}
