import { FailureError, type Failure } from "@elwood/core/base/failure";
import { hint } from "@elwood/core/base/redact";
import { LIMITS } from "@elwood/core/base/limits";
import { err, ok, type Result } from "@elwood/core/base/result";
import type { Clock, Log } from "@elwood/runtime/ports/ports";
import type { LoadedConfig } from "../config/load.ts";
import { KNOWN_PROVIDERS, knownProvider, type ProviderApi } from "@elwood/providers/known-providers";
import type { Credential, CredentialLookup, KeyWish } from "@elwood/providers/credential";
import { openAuthStore, type AuthStore } from "./auth-store.ts";
import { secretValue, secretValues, type AuthFile, type CredentialType } from "./profile.ts";
import {
  credentialOf,
  environmentCredential,
  environmentVariables,
  missingCredential,
  renewable,
  resolveCredential,
  usableCredentials,
  type ResolveInput,
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
  readonly cooldownReason?: string;
  /** It is the one that would be used now. */
  readonly preferred: boolean;
}

/** Credentials that can be used now, and the file as it was then. */
export interface Usable {
  readonly credentials: readonly Credential[];
  readonly file: AuthFile;
}

export interface Credentials {
  readonly store: AuthStore;
  /** A credential, or a failure that says what to do. Servers that need no key get an empty secret. */
  resolve(provider: string, pinned?: string): Promise<Result<Credential, Failure>>;
  /** All that can be used now, in the order in which they are tried. */
  usable(provider: string, wish: KeyWish): Promise<Result<Usable, Failure>>;
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
  /** A key from outside answered; that is known as long as the gateway runs. */
  usedFromOutside(secret: string): void;
  /** The provider refused or limited this profile: others go first until then. */
  coolDown(profileId: string, untilMs: number): Promise<void>;
}

export function makeCredentials(loaded: LoadedConfig, clock: Clock, log?: Log): Credentials {
  return new KnownCredentials(loaded, openAuthStore(loaded.paths.authProfiles, clock, log), clock);
}

/** Credentials of the environment and of the file of profiles, together. */
class KnownCredentials implements Credentials {
  readonly store: AuthStore;
  readonly #loaded: LoadedConfig;
  readonly #clock: Clock;
  /** Providers that the environment has a credential for. */
  readonly #outside: readonly string[];
  /** When keys from outside answered last. */
  readonly #usedAt = new Map<string, number>();

  constructor(loaded: LoadedConfig, store: AuthStore, clock: Clock) {
    this.#loaded = loaded;
    this.store = store;
    this.#clock = clock;
    const { config, secrets } = loaded;
    const named = new Set([...Object.keys(KNOWN_PROVIDERS), ...Object.keys(config.providers)]);
    this.#outside = [...named].filter((provider) =>
      environmentVariables(provider).some(({ name }) => secrets.has(name)),
    );
  }

  readonly lookup: CredentialLookup = (provider) => this.#lookup(provider);

  async resolve(provider: string, pinned?: string): Promise<Result<Credential, Failure>> {
    const found = await this.#lookup(provider, pinned);
    if (!found.ok) return found;
    if (found.value !== undefined) return ok(found.value);
    if (knownProvider(provider)?.keyNeeded === false) {
      return ok({ type: "api_key", secret: "", source: "no key needed" });
    }
    return err(missingCredential(provider));
  }

  async usable(provider: string, { profile }: KeyWish): Promise<Result<Usable, Failure>> {
    const file = await readable(this.store);
    if (!file.ok) return file;
    const found = usableCredentials(this.#input(file.value, provider, profile));
    return found.ok ? ok({ credentials: found.value, file: file.value }) : found;
  }

  async endpoint(provider: string): Promise<Endpoint> {
    const file = await readable(this.store);
    const profile = file.ok ? file.value.profiles.find((p) => p.provider === provider) : undefined;
    const own = this.#loaded.config.providers[provider];
    const known = knownProvider(provider);
    const baseUrl = own?.baseUrl ?? profile?.baseUrl ?? known?.baseUrl;
    return {
      api: own?.api ?? profile?.api ?? known?.api ?? "chat",
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(own?.headers === undefined ? {} : { headers: own.headers }),
    };
  }

  async list(): Promise<readonly ProfileView[]> {
    const file = await this.store.read();
    const chosenFor = (provider: string) => {
      const chosen = this.#pick(file, provider);
      return chosen.ok ? chosen.value : undefined;
    };
    return [
      ...storedViews(file, chosenFor),
      ...outsideViews(this.#outside, this.#loaded.secrets, chosenFor, this.#usedAt),
    ];
  }

  async byId(profileId: string): Promise<{ provider: string; credential: Credential } | undefined> {
    const file = await this.store.read();
    const profile = file.profiles.find(({ id }) => id === profileId);
    if (profile !== undefined && file.secrets[profileId] !== undefined) {
      return { provider: profile.provider, credential: credentialOf(profile, file) };
    }
    for (const provider of this.#outside) {
      for (const { name } of environmentVariables(provider)) {
        const secret = this.#loaded.secrets.get(name);
        if (secret === undefined || profileId !== `environment:${name}`) continue;
        const credential = environmentCredential(provider, new Map([[name, secret]]));
        return credential && { provider, credential };
      }
    }
    return undefined;
  }

  async providersWithKey(): Promise<readonly string[]> {
    const file = await readable(this.store);
    if (!file.ok) return [];
    const names = new Set([...file.value.profiles.map((p) => p.provider), ...this.#outside]);
    return [...names].filter((name) => {
      const found = this.#pick(file.value, name);
      return found.ok && found.value !== undefined;
    });
  }

  async knownSecrets(): Promise<readonly string[]> {
    const { secrets, secretValues: inSettings } = this.#loaded;
    const file = await readable(this.store);
    const stored = file.ok ? Object.values(file.value.secrets).flatMap(secretValues) : [];
    return [...[...secrets.values()].map((secret) => secret.value), ...inSettings, ...stored];
  }

  async used(profileId: string): Promise<void> {
    const at = this.#clock.now();
    const known = (await this.store.read()).profiles.find(({ id }) => id === profileId);
    const outside = this.#loaded.secrets.get(profileId.replace(/^environment:/, ""));
    if (known === undefined && outside) this.usedFromOutside(outside.value);
    if (known === undefined || at - (known.lastUsedAt ?? 0) < LIMITS.authTouchMs) return;
    await this.#changeProfile(profileId, { lastUsedAt: at });
  }

  usedFromOutside(secret: string): void {
    this.#usedAt.set(secret, this.#clock.now());
  }

  async coolDown(profileId: string, untilMs: number): Promise<void> {
    await this.#changeProfile(profileId, { cooldownUntil: untilMs });
  }

  #changeProfile(id: string, change: { lastUsedAt?: number; cooldownUntil?: number }): Promise<void> {
    return this.store.change((file) => ({
      file: { ...file, profiles: file.profiles.map((p) => (p.id === id ? { ...p, ...change } : p)) },
      result: undefined,
    }));
  }

  async #lookup(provider: string, pinned?: string): Promise<Result<Credential | undefined, Failure>> {
    const file = await readable(this.store);
    return file.ok ? this.#pick(file.value, provider, pinned) : file;
  }

  #pick(file: AuthFile, provider: string, pinned?: string) {
    return resolveCredential(this.#input(file, provider, pinned));
  }

  #input(file: AuthFile, provider: string, pinned: string | undefined): ResolveInput {
    const { config, secrets } = this.#loaded;
    return {
      provider,
      ...(pinned === undefined ? {} : { pinned }),
      file,
      secrets,
      nowMs: this.#clock.now(),
      timeZone: config.timeZone,
    };
  }
}

type ChosenFor = (provider: string) => Credential | undefined;

function storedViews(file: AuthFile, chosenFor: ChosenFor): ProfileView[] {
  return file.profiles.map((profile) => {
    const { id, provider, type, baseUrl, createdAt, lastUsedAt, cooldownUntil, cooldownReason } = profile;
    // What renews itself never expires as far as the owner is concerned.
    const expiresAt = renewable(profile, file) ? undefined : profile.expiresAt;
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
      ...(cooldownReason === undefined ? {} : { cooldownReason }),
      preferred: chosenFor(provider)?.profileId === id,
    };
  });
}

function outsideViews(
  providers: readonly string[],
  secrets: LoadedConfig["secrets"],
  chosenFor: ChosenFor,
  usedAt: ReadonlyMap<string, number>,
): ProfileView[] {
  return providers.flatMap((provider) =>
    environmentVariables(provider).flatMap(({ name, type }): ProfileView[] => {
      const secret = secrets.get(name);
      if (secret === undefined) return [];
      const chosen = chosenFor(provider);
      const preferred =
        chosen !== undefined && chosen.profileId === undefined && chosen.secret === secret.value;
      const lastUsedAt = usedAt.get(secret.value);
      return [
        {
          id: `environment:${name}`,
          provider,
          type,
          hint: hint(secret.value),
          source: secret.source,
          ...(lastUsedAt === undefined ? {} : { lastUsedAt }),
          preferred,
        },
      ];
    }),
  );
}

async function readable(store: AuthStore): Promise<Result<AuthFile, Failure>> {
  try {
    return ok(await store.read());
  } catch (cause) {
    if (cause instanceof FailureError) return err(cause.failure);
    throw cause;
  }
}
