import { parseVersion } from "@elwood/core/action/trn";
import { fail } from "@elwood/core/base/failure";
import type { ActionSummary } from "@elwood/core/protocol/action-shapes";
import type { MethodName } from "@elwood/core/protocol/methods";
import type { ActionService, ActionView } from "../actions/action-service.ts";
import { inputSchemaOf } from "../actions/offered-actions.ts";
import type { Handlers } from "./context.ts";

/** What models are asked by name, and how they are reached. */
export const actionMethods: Handlers<
  Extract<MethodName, `actions.${string}`> | "connections.list",
  "actions" | "models"
> = {
  async "connections.list"(_params, { services, tenant }) {
    const stored = await (await services.actions.service()).connectionViews(tenant);
    const names = new Set(stored.map(({ name }) => name));
    const settings = services.actions.providers.filter(({ name }) => !names.has(name));
    return {
      connections: [...stored, ...settings.map((each) => ({ ...each, source: "settings" as const }))],
    };
  },

  async "actions.list"(_params, { services }) {
    return { actions: (await (await services.actions.service()).list()).map(summary) };
  },

  async "actions.get"({ name, version = "latest" }, { services }) {
    const service = await services.actions.service();
    const wanted =
      parseVersion(version) ?? fail("INVALID_INPUT", `"${version}" is no version. Nothing was done.`);
    const action = await service.get(name, wanted);
    const versions = await service.versions(name);
    return {
      action: summary(action),
      spec: { ...action.spec },
      input: inputSchemaOf(action.spec),
      versions: versions.map(({ version: each, createdAt, by }) => ({ version: each, createdAt, by })),
    };
  },

  async "actions.import"(params, context) {
    const {
      text,
      file = "manifest.yaml",
      format = "actions",
      strategy = "AlwaysBump",
      dryRun = false,
    } = params;
    const service = await context.services.actions.service();
    const given = { text, file, format, strategy, dryRun };
    const { entries, leftOut } = await service.import(given, context.principal.name);
    return {
      dryRun,
      ...(leftOut.length > 0 ? { leftOut: [...leftOut] } : {}),
      entries: entries.map(({ diff, ...entry }) => ({
        ...entry,
        diff: diff.map(({ mark, line }) => `${mark}${line}`),
      })),
    };
  },

  async "actions.export"({ names = [] }, { services }) {
    return { text: await (await services.actions.service()).export(names) };
  },

  async "actions.rollback"({ name, version }, context) {
    const service = await context.services.actions.service();
    return { action: summary(await service.rollback(name, version, context.principal.name)) };
  },

  async "actions.execute"({ input = {}, ...named }, context) {
    const service = await context.services.actions.service();
    const action = await findAction(service, named, context.tenant);
    const { tenant, principal, surface, link } = context;
    return service.execute(action, input, {
      tenant,
      tokenId: principal.tokenId,
      by: principal.name,
      scopes: principal.scopes,
      surface,
      signal: link?.gone ?? new AbortController().signal,
    });
  },
};

/** An action that a request names: by its resource name, or by name and version. */
export async function findAction(
  service: ActionService,
  {
    name,
    version,
    action_trn: trn,
  }: {
    readonly name?: string | undefined;
    readonly version?: string | undefined;
    readonly action_trn?: string | undefined;
  },
  tenant: string,
): Promise<ActionView> {
  if (trn !== undefined) return service.findByTrn(trn, tenant);
  if (name === undefined)
    return fail("INVALID_INPUT", "Say which action, by name and version or by action_trn. Nothing was done.");
  return service.find(name, version);
}

export function summary({ spec, name, trn, version, newest, source, updatedAt }: ActionView): ActionSummary {
  return {
    name,
    trn,
    version,
    newest,
    kind: spec.kind,
    task: spec.task,
    source,
    updatedAt,
    ...(spec.model === undefined ? {} : { model: spec.model }),
    ...(spec.connection === undefined ? {} : { connection: spec.connection }),
    ...(spec.description === undefined ? {} : { description: spec.description }),
  };
}
