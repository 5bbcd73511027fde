import { DEFAULT_TENANT } from "../base/tenant.ts";
import { formatModelRef, type ModelRef } from "../model/model.ts";
import { matchesModel } from "../model/price.ts";

/** What the programs of one tenant may use. What is absent is not limited. */
export interface TenantLimits {
  /** Requests to models at once; one more waits for its turn. */
  readonly maxConcurrency?: number | undefined;
  readonly requestsPerMinute?: number | undefined;
  /** The most time that one request may take. */
  readonly timeoutMs?: number | undefined;
  /** The longest that one answer may be. */
  readonly maxTokens?: number | undefined;
  /** As provider/model, where `*` stands for anything. */
  readonly modelsAllowed?: readonly string[] | undefined;
  readonly costCapUsd?:
    | {
        /** Of one run, or of one execution of an action. */
        readonly run?: number | undefined;
        readonly day?: number | undefined;
        readonly month?: number | undefined;
      }
    | undefined;
  /** Tool ids, `llm.chat` and its like, and resource names of actions, where `*` stands for anything: nothing else may be used. */
  readonly allow?: readonly string[] | undefined;
  /** The same, for what may not be used; goes before `allow`. */
  readonly deny?: readonly string[] | undefined;
}

/** Tools whose data belong to the owner of the installation: notes, and what is done at its time. */
const OWNERS_TOOLS: readonly string[] = ["memory.*", "schedule.*"];

/** Why something may not be used by a tenant, under any of its names; undefined where it may. */
export function nameRefusal(
  tenant: string,
  limits: TenantLimits | undefined,
  names: readonly string[],
): string | undefined {
  const shown = names.at(-1) ?? "";
  const fits = (pattern: string) => names.some((name) => matchesModel(pattern, name));
  if (tenant !== DEFAULT_TENANT && OWNERS_TOOLS.some(fits))
    return `${shown} uses what belongs to the owner of this installation, and is not there for the tenant ${tenant}.`;
  const denied = limits?.deny?.find(fits);
  if (denied !== undefined)
    return `The tenant ${tenant} may not use ${shown}: tenants.${tenant}.deny lists ${denied}.`;
  if (limits?.allow && !limits.allow.some(fits))
    return `The tenant ${tenant} may not use ${shown}: tenants.${tenant}.allow does not list it.`;
  return undefined;
}

export function isModelAllowed(limits: TenantLimits | undefined, ref: ModelRef): boolean {
  const name = formatModelRef(ref);
  return limits?.modelsAllowed?.some((pattern) => matchesModel(pattern, name)) ?? true;
}
