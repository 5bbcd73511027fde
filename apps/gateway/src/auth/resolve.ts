import { failure, type Failure } from "@elwood/core/base/failure";
import { err, ok, type Result } from "@elwood/core/base/result";
import { apiKeyVariable, knownProvider, providerTitle } from "@elwood/providers/known-providers";
import type { Secret } from "../config/secrets.ts";
import type { Credential } from "@elwood/providers/credential";
import { ordered, secretValue, type AuthFile, type AuthProfile, type CredentialType } from "./profile.ts";

export interface ResolveInput {
  readonly provider: string;
  /** A profile that the run or session insists on. */
  readonly pinned?: string;
  readonly file: AuthFile;
  readonly secrets: ReadonlyMap<string, Secret>;
  readonly nowMs: number;
  readonly timeZone: string;
}

/**
 * Which credential to use: the pinned profile, then the profiles in their order without
 * those that expired or rest, then the environment. A pin is a decision about whose
 * account pays, so a pinned profile that cannot be used is a failure and never a reason
 * to take another. `undefined` means that nothing is set at all.
 */
export function resolveCredential(input: ResolveInput): Result<Credential | undefined, Failure> {
  const all = usableCredentials(input);
  return all.ok ? ok(all.value[0]) : all;
}

/** All of them, in the order in which they are tried. */
export function usableCredentials(input: ResolveInput): Result<readonly Credential[], Failure> {
  const { provider, pinned, file, nowMs } = input;
  if (pinned !== undefined) {
    const found = resolvePinned(input, pinned);
    return found.ok ? ok([found.value]) : found;
  }
  const profiles = ordered(file, provider);
  const usable = profiles.filter((profile) => stateOf(profile, file, nowMs) === "usable");
  const outside = environmentCredential(provider, input.secrets);
  const all = [...usable.map((profile) => credentialOf(profile, file)), ...(outside ? [outside] : [])];
  return all.length > 0 || profiles.length === 0 ? ok(all) : err(noneUsable(input, profiles));
}

/** For callers that cannot go on without one: the words that help. */
export function missingCredential(provider: string): Failure {
  const title = providerTitle(provider);
  const known = knownProvider(provider) !== undefined;
  const command = `elwood auth ${provider}${known ? "" : " --base-url https://…"}`;
  return failure(
    "NO_MODEL",
    `No key for ${title} is set. Add one with: ${command} (or set ${apiKeyVariable(provider)}). Nothing was sent.`,
  );
}

/** The variables that hold a provider's credential, first one first. */
export function environmentVariables(provider: string): { name: string; type: CredentialType }[] {
  const key = { name: apiKeyVariable(provider), type: "api_key" as const };
  return provider === "anthropic" ? [{ name: "ANTHROPIC_OAUTH_TOKEN", type: "oauth" }, key] : [key];
}

export function environmentCredential(
  provider: string,
  secrets: ReadonlyMap<string, Secret>,
): Credential | undefined {
  for (const { name, type } of environmentVariables(provider)) {
    const secret = secrets.get(name);
    if (secret === undefined) continue;
    return {
      type: isSubscriptionToken(secret.value) ? "oauth" : type,
      secret: secret.value,
      source: secret.source === `environment ${name}` ? name : secret.source,
    };
  }
  return undefined;
}

/** Anthropic's tokens for its own subscriptions go by another header than API keys, wherever they were pasted. */
export function isSubscriptionToken(secret: string): boolean {
  return secret.startsWith("sk-ant-oat");
}

export type ProfileState = "usable" | "expired" | "resting" | "empty";

export function stateOf(profile: AuthProfile, file: AuthFile, nowMs: number): ProfileState {
  if (file.secrets[profile.id] === undefined) return "empty";
  if (profile.expiresAt !== undefined && profile.expiresAt <= nowMs && !renewable(profile, file))
    return "expired";
  if (profile.cooldownUntil !== undefined && profile.cooldownUntil > nowMs) return "resting";
  return "usable";
}

/** Its access runs out every now and then, and is renewed when it is used. */
export function renewable({ id, oauth }: AuthProfile, file: AuthFile): boolean {
  const secret = file.secrets[id];
  return oauth !== undefined && secret?.type === "oauth" && secret.refresh !== undefined;
}

export function credentialOf(profile: AuthProfile, file: AuthFile): Credential {
  return {
    type: profile.type,
    secret: secretValue(file.secrets[profile.id]!),
    profileId: profile.id,
    source: "auth-profiles.json",
    ...(profile.baseUrl === undefined ? {} : { baseUrl: profile.baseUrl }),
  };
}

function resolvePinned(input: ResolveInput, pinned: string): Result<Credential, Failure> {
  const { file, provider, nowMs } = input;
  const outside = pinned.startsWith("environment:")
    ? environmentCredential(provider, input.secrets)
    : undefined;
  if (outside && pinned === `environment:${outside.source}`) return ok(outside);
  const profile = file.profiles.find(({ id }) => id === pinned);
  if (profile !== undefined && profile.provider !== provider) {
    return err(
      failure(
        "AUTH",
        `The profile ${pinned} was chosen to pay, and it is of ${providerTitle(profile.provider)}, while the model is of ${providerTitle(provider)}. Nothing was sent. Choose a model or a profile that fits.`,
      ),
    );
  }
  if (profile === undefined) {
    return err(
      failure(
        "AUTH",
        `The profile ${pinned} that this session asks for is not there. Nothing was sent. See the ones there are: elwood auth list`,
      ),
    );
  }
  if (stateOf(profile, file, nowMs) === "usable") return ok(credentialOf(profile, file));
  return err(pinnedUnusable(input, profile));
}

/** The owner chose who pays, so that no other key takes over; they learn which ones could. */
function pinnedUnusable(input: ResolveInput, pinned: AuthProfile): Failure {
  const { provider, file, nowMs, secrets } = input;
  const outside = environmentCredential(provider, secrets);
  const others = [
    ...file.profiles
      .filter((each) => each.provider === provider && stateOf(each, file, nowMs) === "usable")
      .map(({ id }) => id),
    ...(outside ? [`environment:${outside.source}`] : []),
  ];
  if (others.length === 0) return noneUsable(input, [pinned]);
  const said = `${whyUnusable(input, pinned)}, and it was chosen to pay. Nothing was sent. Choose another (${others.join(", ")})`;
  if (stateOf(pinned, file, nowMs) !== "resting")
    return failure("AUTH", `${said} or replace it: elwood auth ${provider}`);
  return failure("RATE_LIMITED", `${said} or wait.`, { retryAfterMs: pinned.cooldownUntil! - nowMs });
}

function whyUnusable({ file, nowMs, timeZone }: ResolveInput, profile: AuthProfile): string {
  const state = stateOf(profile, file, nowMs);
  if (state === "resting") return `${profile.id} rests until ${clockTime(profile.cooldownUntil!, timeZone)}`;
  if (state === "expired") return `${profile.id} expired on ${day(profile.expiresAt!, timeZone)}`;
  return `${profile.id} has lost its secret`;
}

/** Profiles exist, and none can be used now: say which, and why. */
function noneUsable(input: ResolveInput, profiles: readonly AuthProfile[]): Failure {
  const { provider, file, nowMs } = input;
  const title = providerTitle(provider);
  const described = profiles.map((profile) => whyUnusable(input, profile));
  const wakes = profiles.flatMap((p) => (stateOf(p, file, nowMs) === "resting" ? [p.cooldownUntil!] : []));
  const said = `No key for ${title} can be used now: ${described.join(", ")}. Nothing was sent.`;
  if (wakes.length > 0) {
    const retryAfterMs = Math.min(...wakes) - nowMs;
    return failure("RATE_LIMITED", `${said} Wait, or add another: elwood auth ${provider} --name second`, {
      retryAfterMs,
    });
  }
  return failure("AUTH", `${said} Replace it: elwood auth ${provider}`);
}

function clockTime(ms: number, timeZone: string): string {
  return new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", timeZone }).format(ms);
}

function day(ms: number, timeZone: string): string {
  return new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone }).format(ms);
}
