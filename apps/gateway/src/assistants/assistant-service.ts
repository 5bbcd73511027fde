import { fail } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import type { ClientOutcome, MethodParams } from "@elwood/core/protocol/methods";
import type { MethodResult } from "@elwood/core/protocol/results";
import { agentIdOf, clientToolId } from "@elwood/core/tool/client-tool";
import type { PolicyService } from "../tools/policy-service.ts";
import type { AssistantStore, StoredAssistant } from "./assistant-store.ts";
import type { ClientLink, ClientTools } from "./client-tools.ts";

export interface AssistantServiceDeps {
  readonly store: AssistantStore;
  readonly tools: ClientTools;
  /** The table of tools, which is made after this. */
  readonly policy: () => Pick<PolicyService, "toolSnapshot" | "reload" | "standing">;
}

/** Assistants that programs define, and the tools that they serve. */
export class AssistantService {
  readonly #deps: AssistantServiceDeps;
  /** Connections of programs that have an assistant. */
  readonly #links = new WeakSet<ClientLink>();

  constructor(deps: AssistantServiceDeps) {
    this.#deps = deps;
  }

  /** Whether a connection speaks for an assistant of a program. */
  isAssistants(link: ClientLink): boolean {
    return this.#links.has(link);
  }

  /** A definition replaces the one before; its context and tools stay. */
  async define(
    definition: MethodParams<"assistant.define">,
    definedBy: string,
    link?: ClientLink,
  ): Promise<string> {
    if (link) this.#links.add(link);
    const { assistantId } = definition;
    const before = await this.#deps.store.get(assistantId);
    await this.#deps.store.change(assistantId, (known) => ({
      ...definition,
      definedBy,
      ...(known?.context === undefined ? {} : { context: known.context }),
      tools: known?.tools ?? [],
    }));
    // Whose tool it is stands in its contract.
    if (before && before.definedBy !== definedBy && before.tools.length > 0)
      await this.#deps.policy().reload();
    return agentIdOf(assistantId);
  }

  async context(assistantId: string): Promise<unknown> {
    return (await this.#known(assistantId)).context ?? null;
  }

  async setContext(assistantId: string, context: unknown): Promise<unknown> {
    await this.#known(assistantId);
    if (JSON.stringify(context).length > LIMITS.assistantContextBytesMax)
      fail(
        "INVALID_INPUT",
        `The context of an assistant may hold ${LIMITS.assistantContextBytesMax / 1024} KB. The one before is kept.`,
      );
    await this.#deps.store.change(assistantId, (known) => ({ ...(known ?? gone(assistantId)), context }));
    return context;
  }

  /** Stores the tools, takes them into the table, and asks this connection for them from now on. */
  async register(
    tenant: string,
    { assistantId, clientId, tools }: MethodParams<"tools.register">,
    link: ClientLink,
  ): Promise<MethodResult<"tools.register">> {
    const assistant = await this.#known(assistantId);
    this.#links.add(link);
    this.#deps.tools.claim(assistantId, clientId, tools);
    const problem = this.#deps.tools.problemWith(assistant, tools);
    if (problem !== undefined) fail("INVALID_INPUT", `${problem} No tool of the assistant was registered.`);
    const policy = this.#deps.policy();
    if (JSON.stringify(assistant.tools) !== JSON.stringify(tools)) {
      await this.#deps.store.change(assistantId, (known) => ({ ...(known ?? gone(assistantId)), tools }));
      await policy.reload();
    }
    this.#deps.tools.serve(assistantId, clientId, tools, link);
    const registered: MethodResult<"tools.register">["tools"] = [];
    for (const { name } of tools) {
      const tool = policy.toolSnapshot().get(clientToolId(assistantId, name));
      if (tool?.source !== "client")
        fail(
          "CONFLICT",
          `There is another tool called ${clientToolId(assistantId, name)}. Give yours another name.`,
        );
      const standing = await policy.standing(tenant, tool);
      registered.push({ name, toolId: tool.contract.id, contractHash: tool.contractHash, standing });
    }
    return { tools: registered };
  }

  result(invocationId: string, outcome: ClientOutcome, link: ClientLink): boolean {
    return this.#deps.tools.result(invocationId, outcome, link);
  }

  pause(sessionKey: string, link: ClientLink, answered: (over: AbortSignal) => Promise<unknown>): void {
    this.#deps.tools.pause(sessionKey, link, answered);
  }

  async #known(assistantId: string): Promise<StoredAssistant> {
    return (
      (await this.#deps.store.get(assistantId)) ??
      fail(
        "NOT_FOUND",
        `There is no assistant "${assistantId}". Nothing was done. Define it first: assistant.define`,
      )
    );
  }
}

function gone(assistantId: string): never {
  return fail("NOT_FOUND", `There is no assistant "${assistantId}" any more. Nothing was done.`);
}
