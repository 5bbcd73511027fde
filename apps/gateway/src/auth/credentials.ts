import { FailureError, type Failure } from "@elwood/core/base/failure";
import { hint } from "@elwood/core/base/redact";
import { LIMITS } from "@elwood/core/base/limits";
import { err, ok, type Result } from "@elwood/core/base/result";
import type { Clock, Log } from "@elwood/runtime/ports/ports";
import type { LoadedConfig } from "../config/load.ts";
import { KNOWN_PROVIDERS, knownProvider, type ProviderApi } from "@elwood/providers/known-providers";
import type { Credential, CredentialLookup } from "@elwood/providers/credential";
import { openAuthStore, type AuthStore } from "./auth-store.ts";
import { secretValue, secretValues, type AuthFile, type CredentialType } from "./profile.ts";
import {
  credentialOf,
  environmentCredential,
  environmentVariables,
  missingCredential,
  resolveCredential,
} from "./resolve.ts";

/** How to reach a provider; `baseUrl` is undefined only where nobody said where it is. */
export interface Endpoint {
  readonly api: ProviderApi;
  readonly baseUrl?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A credential as a list shows it. Those of the environment have an id such as `environment:OPENAI_API_KEY`. */
export interface ProfileView {
  readonly id: string;
  readonly provider: string;
  readonly type: CredentialType;
  /** The last characters of the secret; never more. */
  readonly hint: string;
  readonly source: string;
  readonly baseUrl?: string;
  readonly createdAt?: number;
  readonly expiresAt?: number;
  readonly lastUsedAt?: number;
  readonly cooldownUntil?: number;
  /** It is the one that would be used now. */
  readonly preferred: boolean;
}

export interface Credentials {
  readonly store: AuthStore;
  /** A credential, or a failure that says what to do. Servers that need no key get an empty secret. */
  resolve(provider: string, pinned?: string): Promise<Result<Credential, Failure>>;
  /** The same for callers to whom "none" is an ordinary answer. */
  readonly lookup: CredentialLookup;
  endpoint(provider: string): Promise<Endpoint>;
  list(): Promise<readonly ProfileView[]>;
  /** One of those listed, with its secret, whether or not it can be used now. */
  byId(profileId: string): Promise<{ provider: string; credential: Credential } | undefined>;
  /** Providers with a credential that can be used now. */
  providersWithKey(): Promise<readonly string[]>;
  /** Every secret this process knows of, for the redactor. */
  knownSecrets(): Promise<readonly string[]>;
  /** Notes when a profile was last used, to the minute. */
  used(profileId: string): Promise<void>;
  /** The provider refused or limited this profile: others go first until then. */
  coolDown(profileId: string, untilMs: number): Promise<void>;
}

export function makeCredentials(loaded: LoadedConfig, clock: Clock, log?: Log): Credentials {
  const { config, secrets } = loaded;
  const store = openAuthStore(loaded.paths.authProfiles, clock, log);
  // Providers that the environment holds a credential for.
  const outside = [...new Set([...Object.keys(KNOWN_PROVIDERS), ...Object.keys(config.providers)])].filter(
    (provider) => environmentVariables(provider).some(({ name }) => secrets.has(name)),
  );

  const pick = (file: AuthFile, provider: string, pinned?: string) =>
    resolveCredential({
      provider,
      ...(pinned === undefined ? {} : { pinned }),
      file,
      secrets,
      nowMs: clock.now(),
      timeZone: config.timeZone,
    });

  const lookup = async (provider: string, pinned?: string) => {
    const file = await readable(store);
    return file.ok ? pick(file.value, provider, pinned) : file;
  };

  return {
    store,
    lookup: (provider) => lookup(provider),
    async resolve(provider, pinned) {
      const found = await lookup(provider, pinned);
      if (!found.ok) return found;
      if (found.value !== undefined) return ok(found.value);
      if (knownProvider(provider)?.keyNeeded === false) {
        return ok({ type: "api_key", secret: "", source: "no key needed" });
      }
      return err(missingCredential(provider));
    },
    async endpoint(provider) {
      const file = await readable(store);
      const profile = file.ok ? file.value.profiles.find((p) => p.provider === provider) : undefined;
      const own = config.providers[provider];
      const known = knownProvider(provider);
      const baseUrl = own?.baseUrl ?? profile?.baseUrl ?? known?.baseUrl;
      return {
        api: own?.api ?? profile?.api ?? known?.api ?? "chat",
        ...(baseUrl === undefined ? {} : { baseUrl }),
        ...(own?.headers === undefined ? {} : { headers: own.headers }),
      };
    },
    async list() {
      const file = await store.read();
      const chosenFor = (provider: string) => {
        const chosen = pick(file, provider);
        return chosen.ok ? chosen.value : undefined;
      };
      return [...storedViews(file, chosenFor), ...outsideViews(outside, secrets, chosenFor)];
    },
    async byId(profileId) {
      const file = await store.read();
      const profile = file.profiles.find(({ id }) => id === profileId);
      if (profile !== undefined && file.secrets[profileId] !== undefined) {
        return { provider: profile.provider, credential: credentialOf(profile, file) };
      }
      for (const provider of outside) {
        for (const { name } of environmentVariables(provider)) {
          const secret = secrets.get(name);
          if (secret === undefined || profileId !== `environment:${name}`) continue;
          const credential = environmentCredential(provider, new Map([[name, secret]]));
          return credential && { provider, credential };
        }
      }
      return undefined;
    },
    async providersWithKey() {
      const file = await readable(store);
      if (!file.ok) return [];
      const names = new Set([...file.value.profiles.map((p) => p.provider), ...outside]);
      return [...names].filter((name) => {
        const found = pick(file.value, name);
        return found.ok && found.value !== undefined;
      });
    },
    async knownSecrets() {
      const file = await readable(store);
      const stored = file.ok ? Object.values(file.value.secrets).flatMap(secretValues) : [];
      return [...[...secrets.values()].map((secret) => secret.value), ...loaded.secretValues, ...stored];
    },
    async used(profileId) {
      const at = clock.now();
      const known = (await store.read()).profiles.find(({ id }) => id === profileId);
      if (known === undefined || at - (known.lastUsedAt ?? 0) < LIMITS.authTouchMs) return;
      await store.change((file) => ({
        file: withProfile(file, profileId, { lastUsedAt: at }),
        result: undefined,
      }));
    },
    async coolDown(profileId, untilMs) {
      await store.change((file) => ({
        file: withProfile(file, profileId, { cooldownUntil: untilMs }),
        result: undefined,
      }));
    },
  };
}

type ChosenFor = (provider: string) => Credential | undefined;

function storedViews(file: AuthFile, chosenFor: ChosenFor): ProfileView[] {
  return file.profiles.map((profile) => {
    const { id, provider, type, baseUrl, createdAt, expiresAt, lastUsedAt, cooldownUntil } = profile;
    const secret = file.secrets[id];
    return {
      id,
      provider,
      type,
      hint: secret === undefined ? "" : hint(secretValue(secret)),
      source: "auth-profiles.json",
      createdAt,
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
      ...(lastUsedAt === undefined ? {} : { lastUsedAt }),
      ...(cooldownUntil === undefined ? {} : { cooldownUntil }),
      preferred: chosenFor(provider)?.profileId === id,
    };
  });
}

function outsideViews(
  providers: readonly string[],
  secrets: LoadedConfig["secrets"],
  chosenFor: ChosenFor,
): ProfileView[] {
  return providers.flatMap((provider) =>
    environmentVariables(provider).flatMap(({ name, type }): ProfileView[] => {
      const secret = secrets.get(name);
      if (secret === undefined) return [];
      const chosen = chosenFor(provider);
      const preferred =
        chosen !== undefined && chosen.profileId === undefined && chosen.secret === secret.value;
      return [
        {
          id: `environment:${name}`,
          provider,
          type,
          hint: hint(secret.value),
          source: secret.source,
          preferred,
        },
      ];
    }),
  );
}

function withProfile(
  file: AuthFile,
  id: string,
  change: { lastUsedAt?: number; cooldownUntil?: number },
): AuthFile {
  return { ...file, profiles: file.profiles.map((p) => (p.id === id ? { ...p, ...change } : p)) };
}

async function readable(store: AuthStore): Promise<Result<AuthFile, Failure>> {
  try {
    return ok(await store.read());
  } catch (cause) {
    if (cause instanceof FailureError) return err(cause.failure);
    throw cause;
  }
}
