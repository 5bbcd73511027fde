import { err, ok, type Result } from "../base/result.ts";

/** What a resource name can name: how to reach a provider, or what to ask of it. */
export const RESOURCE_TYPES = ["connection", "action"] as const;
export type ResourceType = (typeof RESOURCE_TYPES)[number];

/** What carries it out: a model, or a request to another service. */
export const RESOURCE_KINDS = ["llm", "http"] as const;
export type ResourceKind = (typeof RESOURCE_KINDS)[number];

/** A resource name in its parts. Versions count from 1; `latest` is whichever is current when it is used. */
export interface Trn {
  readonly tenant: string;
  readonly type: ResourceType;
  readonly kind: ResourceKind;
  readonly name: string;
  readonly version: number | "latest";
}

/** Names of connections and actions: they stand in addresses, file names and resource names. */
export const RESOURCE_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;

const VERSION_MAX = 1_000_000_000;

const PATTERN = new RegExp(
  `^trn:(?:elwood|openact):([a-z0-9][a-z0-9_-]{0,63}):(${RESOURCE_TYPES.join("|")})/(${RESOURCE_KINDS.join("|")})/([^/@:\\s]+)@(\\S+)$`,
);

/** `trn:elwood:{tenant}:action/llm/{name}@v{N}`; the partition `openact` is accepted too. The error is a sentence. */
export function parseTrn(text: string): Result<Trn, string> {
  const found = PATTERN.exec(text);
  if (!found)
    return err(
      "A resource name looks like trn:elwood:default:action/llm/NAME@v1, with a version or @latest at its end.",
    );
  const [, tenant = "", type, kind, name = "", version = ""] = found;
  if (!RESOURCE_NAME.test(name)) return err(`"${name}" is not usable as a name.`);
  const numbered = parseVersion(version);
  if (numbered === undefined)
    return err(`"@${version}" is no version: write @v1, @v2 and so on, or @latest.`);
  return ok({ tenant, type: type as ResourceType, kind: kind as ResourceKind, name, version: numbered });
}

/** `v3`, `3` or `latest`; undefined for anything else. */
export function parseVersion(text: string): Trn["version"] | undefined {
  if (text === "latest") return "latest";
  const digits = /^v?([1-9]\d{0,9})$/.exec(text)?.[1];
  const version = Number(digits);
  return digits !== undefined && version <= VERSION_MAX ? version : undefined;
}

export function formatTrn({ tenant, type, kind, name, version }: Trn): string {
  return `trn:elwood:${tenant}:${type}/${kind}/${name}@${version === "latest" ? version : `v${version}`}`;
}
