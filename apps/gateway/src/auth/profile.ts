import { NAME_PATTERN } from "@elwood/core/base/ids";
import { err, ok, type Result } from "@elwood/core/base/result";
import { safelyParse } from "@elwood/core/base/safe-parse";
import { z } from "zod";
import { formatModelRef } from "@elwood/core/model/model";
import { PROVIDER_APIS, type ProviderApi } from "@elwood/providers/known-providers";

export const CREDENTIAL_TYPES = ["api_key", "token", "oauth"] as const;
export type CredentialType = (typeof CREDENTIAL_TYPES)[number];

export const PROFILE_ID_PATTERN = /^[a-z0-9][a-z0-9_-]{0,63}:[a-z0-9][a-z0-9_-]{0,63}$/;

/**
 * One way to reach a provider: who, how, and where its secret lies, never the secret.
 * Times are milliseconds since 1970.
 */
export interface AuthProfile {
  /** `provider:name`, for example `anthropic:default`. */
  readonly id: string;
  readonly provider: string;
  readonly type: CredentialType;
  /** `auth-profiles.json#<id>`: the entry of `secrets` in the same file. */
  readonly secretRef: string;
  readonly createdAt: number;
  readonly expiresAt?: number | undefined;
  readonly lastUsedAt?: number | undefined;
  /** The provider refused or limited it; until then another one is used. */
  readonly cooldownUntil?: number | undefined;
  /** The code of the failure that it rests for. */
  readonly cooldownReason?: string | undefined;
  /** How often it was refused since it last worked. */
  readonly refusals?: number | undefined;
  /** When the owner last put it first. */
  readonly preferredAt?: number | undefined;
  /** Of type `oauth`: where its access is renewed. */
  readonly oauth?: { readonly tokenUrl: string; readonly clientId: string } | undefined;
  readonly baseUrl?: string | undefined;
  readonly api?: ProviderApi | undefined;
  /** The model that it was connected with. */
  readonly model?: string | undefined;
}

export interface AuthFile {
  readonly v: 1;
  readonly profiles: readonly AuthProfile[];
  /** Profile ids by provider, the preferred one first. */
  readonly order: Readonly<Record<string, readonly string[]>>;
  readonly secrets: Readonly<Record<string, StoredSecret>>;
}

export type StoredSecret =
  | { readonly type: "api_key"; readonly key: string }
  | { readonly type: "token"; readonly token: string }
  | { readonly type: "oauth"; readonly access: string; readonly refresh?: string | undefined };

const AUTH_FILE_VERSION = 1;

/**
 * Built when a file is there to be checked. Loose: fields that a later version adds are
 * kept when this one writes the file.
 */
function authFileSchema() {
  const profile = z.looseObject({
    id: z.string().regex(PROFILE_ID_PATTERN),
    provider: z.string().regex(NAME_PATTERN),
    type: z.enum(CREDENTIAL_TYPES),
    secretRef: z.string(),
    createdAt: z.number(),
    expiresAt: z.number().optional(),
    lastUsedAt: z.number().optional(),
    cooldownUntil: z.number().optional(),
    cooldownReason: z.string().optional(),
    refusals: z.number().optional(),
    preferredAt: z.number().optional(),
    oauth: z.object({ tokenUrl: z.string(), clientId: z.string() }).optional(),
    baseUrl: z.string().optional(),
    api: z.enum(PROVIDER_APIS).optional(),
    model: z.string().optional(),
  }) satisfies z.ZodType<AuthProfile>;
  const secret = z.discriminatedUnion("type", [
    z.looseObject({ type: z.literal("api_key"), key: z.string() }),
    z.looseObject({ type: z.literal("token"), token: z.string() }),
    z.looseObject({ type: z.literal("oauth"), access: z.string(), refresh: z.string().optional() }),
  ]) satisfies z.ZodType<StoredSecret>;
  return z.looseObject({
    v: z.literal(AUTH_FILE_VERSION),
    profiles: z.array(profile),
    order: z.record(z.string(), z.array(z.string())),
    secrets: z.record(z.string(), secret),
  }) satisfies z.ZodType<AuthFile>;
}

/** What the file says, or why it cannot be used: `why` completes "auth-profiles.json …" and never quotes what is in it. */
export function parseAuthFile(text: string): Result<AuthFile, { readonly why: string }> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    // The parser's message quotes the text around the fault, which may be a key.
    if (!(cause instanceof SyntaxError)) throw cause;
    return err({ why: "is not valid JSON" });
  }
  const version: unknown = typeof json === "object" && json !== null && "v" in json ? json.v : undefined;
  if (typeof version === "number" && version > AUTH_FILE_VERSION)
    return err({ why: `was written by a newer Elwood (version ${version})` });
  const parsed = safelyParse(authFileSchema(), json);
  if (parsed.success) return ok(parsed.data);
  const where = parsed.error.issues[0]?.path.map(String).join(".") || "its top";
  return err({ why: `does not have the expected form (at ${where})` });
}

export const EMPTY_AUTH_FILE: AuthFile = { v: 1, profiles: [], order: {}, secrets: {} };

export function secretRefOf(id: string): string {
  return `auth-profiles.json#${id}`;
}

export function storedSecret(type: CredentialType, value: string): StoredSecret {
  if (type === "api_key") return { type, key: value };
  if (type === "token") return { type, token: value };
  return { type, access: value };
}

/** The part of a stored secret that opens the door. */
export function secretValue(secret: StoredSecret): string {
  if (secret.type === "api_key") return secret.key;
  if (secret.type === "token") return secret.token;
  return secret.access;
}

/** Everything in it that must never be shown. */
export function secretValues(secret: StoredSecret): string[] {
  const refresh = secret.type === "oauth" ? secret.refresh : undefined;
  return [secretValue(secret), ...(refresh === undefined ? [] : [refresh])];
}

/** A provider with the model that it was connected with, else a placeholder, as `model` in the configuration. */
export function modelToName(file: AuthFile, provider: string): string {
  const model = ordered(file, provider).find((profile) => profile.model !== undefined)?.model;
  return formatModelRef({ provider, model: model ?? "NAME" });
}

/** Profiles of one provider in the order in which they are tried. */
export function ordered(file: AuthFile, provider: string): AuthProfile[] {
  const rank = file.order[provider] ?? [];
  const place = (id: string) => (rank.includes(id) ? rank.indexOf(id) : rank.length);
  return file.profiles
    .filter((profile) => profile.provider === provider)
    .sort((a, b) => place(a.id) - place(b.id) || a.createdAt - b.createdAt);
}

/** The same profile, as one that was never refused. */
export function awake(profile: AuthProfile): AuthProfile {
  const { cooldownUntil, cooldownReason, refusals, ...rested } = profile;
  const had = cooldownUntil !== undefined || cooldownReason !== undefined || refusals !== undefined;
  return had ? rested : profile;
}
