import type { ActionSpec, ConnectionSpec } from "@elwood/core/action/action-spec";
import { splitVersion, VARIABLE } from "@elwood/core/action/manifest-problems";
import { failure, type Failure } from "@elwood/core/base/failure";
import { err, ok, type Result } from "@elwood/core/base/result";
import type { Credential, CredentialLookup } from "@elwood/providers/credential";
import { knownProvider } from "@elwood/providers/known-providers";
import { makeProvider, type ProviderPlan } from "@elwood/providers/models";
import type { ActionModel } from "@elwood/runtime/actions/execute-action";
import type { ActionStore } from "@elwood/runtime/ports/action-ports";
import type { Clock, Log, ModelProvider, Models } from "@elwood/runtime/ports/ports";

export interface ConnectionModelsDeps {
  readonly store: ActionStore;
  readonly models: Models;
  /** Keys by the name of a connection or a provider. */
  readonly credentials: CredentialLookup;
  /** What a variable holds; undefined where it is not set. */
  readonly variable: (name: string) => string | undefined;
  /** The token of a connection of the settings file, as it was filled in there. */
  readonly settingsToken: (connection: string) => string | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

const OUTPUT_TOKENS = 16_000;

/**
 * The model of an action: by its connection, or by its own name as any model of Elwood's is found. A connection
 * is a provider under a name of its own. Its key is the variable that it names, else the key stored under its
 * name, else the key of the provider it stands for; that one only where it goes to the provider's own address.
 */
export class ConnectionModels {
  readonly #deps: ConnectionModelsDeps;
  readonly #built = new Map<string, ModelProvider>();

  constructor(deps: ConnectionModelsDeps) {
    this.#deps = deps;
  }

  async resolve(
    tenant: string,
    spec: ActionSpec,
    asked: string | undefined,
  ): Promise<Result<ActionModel, Failure>> {
    const wanted = spec.model ?? asked;
    if (spec.connection === undefined) {
      const found = await this.#deps.models.resolve(wanted);
      return found.ok ? ok({ model: found.value }) : found;
    }
    if (wanted === undefined)
      return err(
        failure("INVALID_INPUT", "The action names no model, and none was asked for. Nothing was sent."),
      );
    const { name, version = "latest" } = splitVersion(spec.connection);
    const stored = await this.#deps.store.version(tenant, "connection", name, version);
    if (!stored)
      return err(failure("NOT_FOUND", `The connection ${spec.connection} is not there. Nothing was sent.`));
    // What is stored as a connection is one.
    return this.#through(name, stored.version, stored.spec as ConnectionSpec, wanted);
  }

  async #through(
    name: string,
    version: number,
    spec: ConnectionSpec,
    model: string,
  ): Promise<Result<ActionModel, Failure>> {
    const plan = planOf(name, spec);
    if (!plan.ok) return plan;
    const credential = await this.#credential(name, spec, plan.value);
    if (!credential.ok) return credential;
    if (!credential.value && plan.value.keyNeeded)
      return err(
        failure(
          "NO_MODEL",
          `The connection ${name} needs a key, and none is set. Nothing was sent. Set the variable that its token names, or: elwood auth ${name} --base-url ${plan.value.baseUrl}`,
        ),
      );
    const key = JSON.stringify([name, version, credential.value?.secret]);
    const provider = this.#built.get(key) ?? makeProvider(plan.value, credential.value, this.#deps);
    this.#built.set(key, provider);
    if (this.#built.size > BUILT_MAX) this.#built.delete(this.#built.keys().next().value!);
    const { rate_limits: limits, timeout_ms: timeoutMs } = spec;
    return ok({
      connection: name,
      slots: { maxConcurrency: limits?.max_concurrency, requestsPerMinute: limits?.requests_per_minute },
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      model: {
        ref: { provider: name, model },
        provider,
        maxOutputTokens: OUTPUT_TOKENS,
        demo: false,
        ...(credential.value === undefined ? {} : { keyFrom: credential.value.source }),
      },
    });
  }

  async #credential(
    name: string,
    spec: ConnectionSpec,
    plan: ProviderPlan,
  ): Promise<Result<Credential | undefined, Failure>> {
    const variable = spec.token === undefined ? undefined : VARIABLE.exec(spec.token)?.[1];
    if (variable !== undefined) {
      const secret = this.#deps.variable(variable);
      if (secret === undefined)
        return err(
          failure(
            "NO_MODEL",
            `The connection ${name} reads the variable ${variable}, which is not set. Nothing was sent.`,
          ),
        );
      return ok({ type: typeOf(spec), secret, source: variable });
    }
    const settings = spec.token === undefined ? this.#deps.settingsToken(name) : undefined;
    if (settings !== undefined)
      return ok({ type: typeOf(spec), secret: settings, source: "the settings file" });
    const own = await this.#deps.credentials(name);
    if (!own.ok || own.value) return own;
    const known = knownProvider(spec.provider);
    if (!known || new URL(known.baseUrl).origin !== new URL(plan.baseUrl).origin) return ok(undefined);
    return this.#deps.credentials(spec.provider);
  }
}

const BUILT_MAX = 32;

function typeOf({ authorization }: ConnectionSpec): Credential["type"] {
  return authorization === "bearer_token" ? "token" : "api_key";
}

/** How a connection is reached. `api_base` may be written with or without `/v1`. */
export function planOf(name: string, spec: ConnectionSpec): Result<ProviderPlan, Failure> {
  const known = knownProvider(spec.provider);
  const api = spec.api ?? known?.api ?? "chat";
  const base = spec.api_base ?? known?.baseUrl;
  if (base === undefined)
    return err(
      failure(
        "INVALID_INPUT",
        `The connection ${name} has no \`api_base\`, and ${spec.provider} is not known by name. Nothing was sent.`,
      ),
    );
  const bare = base.replace(/\/+$/, "");
  const baseUrl =
    api === "anthropic" ? bare.replace(/\/v1$/, "") : /\/v\d+$/.test(bare) ? bare : `${bare}/v1`;
  return ok({
    id: name,
    label: name,
    // A server that is not OpenAI's own rarely has the Responses API.
    api: spec.api ?? (api === "responses" && spec.api_base !== undefined ? "chat" : api),
    baseUrl,
    keyNeeded: known?.keyNeeded ?? false,
    ...(spec.default_headers ? { headers: spec.default_headers } : {}),
    ...(spec.proxy === undefined ? {} : { proxy: spec.proxy }),
  });
}
