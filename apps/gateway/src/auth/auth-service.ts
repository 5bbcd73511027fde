import { fail, FailureError, type Failure } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import type { Result } from "@elwood/core/base/result";
import type { Clock } from "@elwood/runtime/ports/ports";
import { DEMO_MODEL } from "@elwood/providers/choose-model";
import { knownProvider, type ProviderApi } from "@elwood/providers/known-providers";
import type { Credential } from "@elwood/providers/credential";
import { checkBaseUrl, checkName, checkSecret, checkToken } from "./check-input.ts";
import type { Credentials, Endpoint, ProfileView } from "./credentials.ts";
import {
  awake,
  ordered,
  secretRefOf,
  storedSecret,
  type AuthFile,
  type AuthProfile,
  type StoredSecret,
} from "./profile.ts";

export interface TestPassed {
  /** provider/model that answered. */
  readonly model: string;
  readonly ms: number;
  readonly costUsd?: number;
}

/** One real, tiny call to the provider. Without a model it chooses a cheap one. */
export type TestCredential = (
  provider: string,
  credential: Credential,
  endpoint: Endpoint,
  model?: string,
) => Promise<Result<TestPassed, Failure>>;

/** The same for servers that need no key. */
export type TestWithoutKey = (
  provider: string,
  credential: Credential | undefined,
  endpoint: Endpoint,
  model?: string,
) => Promise<Result<TestPassed, Failure>>;

export interface NewCredential {
  readonly provider: string;
  readonly secret: string;
  readonly type?: "api_key" | "token" | undefined;
  readonly name?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly api?: ProviderApi | undefined;
  readonly model?: string | undefined;
  /** What is stored under this name is to go; without it a name that is taken is refused. */
  readonly replace?: boolean | undefined;
}

export interface NewOAuth extends Omit<NewCredential, "secret" | "type"> {
  readonly refresh: string;
  readonly tokenUrl: string;
  readonly clientId: string;
}

/**
 * Manages model credentials, for the command line and the RPC methods. A secret can be stored but never
 * read back. Refusals throw a FailureError.
 */
export interface AuthService {
  /** Stores a credential, but only after it answered one live call. */
  set(given: NewCredential): Promise<{ ok: true; profile: ProfileView } & TestPassed>;
  /** Stores access that is renewed, after one renewal and one live call. */
  setOAuth(given: NewOAuth): Promise<{ ok: true; profile: ProfileView } & TestPassed>;
  /** Stores a subscription token after a look at its shape, and puts it first. */
  setToken(token: string): Promise<ProfileView>;
  test(profileId: string): Promise<{ ok: true } & TestPassed>;
  /** What a server that is not connected says it has. */
  modelsAt(baseUrl: string, secret: string | undefined): Promise<string[]>;
  list(): Promise<{ profiles: ProfileView[] }>;
  remove(profileId: string): Promise<{ ok: true }>;
  /** Puts a profile first among those of its provider, and lets it rest no longer. */
  prefer(profileId: string): Promise<ProfileView>;
}

export interface AuthServiceDeps {
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly testCredential: TestCredential;
  /** Called before a secret is used for the first time. */
  readonly learnSecrets: (secrets: Iterable<string>) => unknown;
  /** The model that answers by default, where one is configured or chosen. */
  readonly modelInUse?: () => string | undefined;
}

export function makeAuthService(deps: AuthServiceDeps): AuthService {
  return new CredentialService(deps);
}

class CredentialService implements AuthService {
  readonly #deps: AuthServiceDeps;

  constructor(deps: AuthServiceDeps) {
    this.#deps = deps;
  }

  async set(given: NewCredential): Promise<{ ok: true; profile: ProfileView } & TestPassed> {
    const { credentials, learnSecrets, testCredential } = this.#deps;
    const { provider, api, model } = given;
    const { id, baseUrl } = checkNew(given);
    const usual = await credentials.endpoint(provider);
    const endpoint = { ...usual, ...(baseUrl ? { baseUrl } : {}), ...(api ? { api } : {}) };
    if (endpoint.baseUrl === undefined) {
      fail(
        "INVALID_INPUT",
        `Elwood does not know where ${provider} is. Nothing was saved. Say it with: elwood auth ${provider} --base-url https://…`,
      );
    }
    const profile = {
      id,
      provider,
      type: given.type ?? "api_key",
      ...(baseUrl ? { baseUrl } : {}),
      ...(api ? { api } : {}),
      ...(model ? { model } : {}),
    };
    // Before anything is sent anywhere; looked at once more when it is saved.
    if (!given.replace) refuseTaken(await credentials.store.read(), profile);
    const secret = checkSecret(given.secret, given.type, provider, endpoint.baseUrl);
    learnSecrets([secret]);
    const credential: Credential = {
      type: profile.type,
      secret,
      profileId: profile.id,
      source: "the key just entered",
      ...(baseUrl ? { baseUrl } : {}),
    };
    const passed = await testCredential(provider, credential, endpoint, model);
    if (!passed.ok) throw notSaved(passed.error);
    const how = { first: false, tried: true, replace: given.replace ?? false };
    return { ok: true, profile: await this.#save(profile, secret, how), ...shown(passed.value) };
  }

  async modelsAt(given: string, key: string | undefined): Promise<string[]> {
    const { clock, learnSecrets } = this.#deps;
    const baseUrl = checkBaseUrl(given);
    const secret = key === undefined ? "" : checkSecret(key, "api_key", "custom", baseUrl);
    learnSecrets(secret === "" ? [] : [secret]);
    const plan = {
      id: "custom",
      label: new URL(baseUrl).host,
      api: "chat",
      baseUrl,
      keyNeeded: false,
    } as const;
    const credential: Credential = {
      type: "api_key",
      secret,
      profileId: "custom:new",
      source: "the key just entered",
    };
    const { listModels } = await import("@elwood/providers/list-models");
    const listed = await listModels(plan, secret === "" ? undefined : credential, clock, LIMITS.modelListMs);
    if (!listed.ok) throw new FailureError(listed.error);
    return [...listed.value];
  }

  async setOAuth(given: NewOAuth): Promise<{ ok: true; profile: ProfileView } & TestPassed> {
    const { credentials, learnSecrets, testCredential, clock } = this.#deps;
    const { provider, api, model, clientId, replace = false } = given;
    const { id, baseUrl } = checkNew({ ...given, name: given.name ?? "oauth", secret: "" });
    const tokenUrl = checkBaseUrl(given.tokenUrl);
    const usual = await credentials.endpoint(provider);
    const endpoint = { ...usual, ...(baseUrl ? { baseUrl } : {}), ...(api ? { api } : {}) };
    const profile = {
      id,
      provider,
      type: "oauth",
      oauth: { tokenUrl, clientId },
      ...(baseUrl ? { baseUrl } : {}),
      ...(api ? { api } : {}),
      ...(model ? { model } : {}),
    } as const;
    if (!replace) refuseTaken(await credentials.store.read(), profile);
    const refresh = checkSecret(given.refresh, "token", provider, endpoint.baseUrl ?? tokenUrl);
    learnSecrets([refresh]);
    const { renewTokens } = await import("@elwood/providers/oauth-token");
    const renewed = await renewTokens({ tokenUrl, clientId }, refresh, clock.now());
    if (!renewed.ok) throw notSaved(renewed.error);
    const { access, refresh: next, expiresAt } = renewed.value;
    learnSecrets([access, next]);
    const source = "the access just renewed";
    const credential = { type: "oauth", secret: access, profileId: id, source } as const;
    const passed = await testCredential(provider, credential, endpoint, model);
    const stored = { ...profile, ...(expiresAt === undefined ? {} : { expiresAt }) };
    const how = { first: false, tried: passed.ok, replace, refresh: next };
    // Saved even where the test failed: the refresh token that was pasted may be void by now.
    const view = await this.#save(stored, access, how);
    if (!passed.ok) throw new FailureError(passed.error);
    return { ok: true, profile: view, ...shown(passed.value) };
  }

  async setToken(given: string): Promise<ProfileView> {
    const token = checkToken(given);
    this.#deps.learnSecrets([token]);
    const profile = { id: "anthropic:manual", provider: "anthropic", type: "token" } as const;
    return this.#save(profile, token, { first: true });
  }

  async test(profileId: string): Promise<{ ok: true } & TestPassed> {
    const { credentials, testCredential } = this.#deps;
    const found = (await credentials.byId(profileId)) ?? notFound(profileId);
    const usual = await credentials.endpoint(found.provider);
    const { baseUrl } = found.credential;
    const endpoint = { ...usual, ...(baseUrl === undefined ? {} : { baseUrl }) };
    const model = await this.#modelToTry(profileId, found.provider);
    const passed = await testCredential(found.provider, found.credential, endpoint, model);
    if (!passed.ok) throw new FailureError(passed.error);
    if (found.credential.profileId !== undefined) await this.#woke(found.credential.profileId);
    return { ok: true, ...shown(passed.value) };
  }

  async list(): Promise<{ profiles: ProfileView[] }> {
    return { profiles: [...(await this.#deps.credentials.list())] };
  }

  async remove(profileId: string): Promise<{ ok: true }> {
    refuseEnvironment(profileId, "Unset it where it is set.");
    const there = await this.#deps.credentials.store.change((file) => {
      const { [profileId]: _gone, ...secrets } = file.secrets;
      const profiles = file.profiles.filter(({ id }) => id !== profileId);
      const order = Object.fromEntries(
        Object.entries(file.order).map(([provider, ids]) => [provider, ids.filter((id) => id !== profileId)]),
      );
      return {
        file: { ...file, profiles, order, secrets },
        result: profiles.length < file.profiles.length,
      };
    });
    return there ? { ok: true } : notFound(profileId);
  }

  async prefer(profileId: string): Promise<ProfileView> {
    refuseEnvironment(profileId, "Stored profiles always go before the environment.");
    const preferredAt = this.#deps.clock.now();
    await this.#deps.credentials.store.change((file) => {
      const profile = file.profiles.find(({ id }) => id === profileId) ?? notFound(profileId);
      const profiles = file.profiles.map((p) => (p.id === profileId ? { ...awake(p), preferredAt } : p));
      return { file: putFirst({ ...file, profiles }, profile.provider, profileId), result: undefined };
    });
    return this.#viewOf(profileId);
  }

  async #save(
    profile: Omit<AuthProfile, "secretRef" | "createdAt">,
    secret: string,
    how: {
      readonly first: boolean;
      readonly replace?: boolean;
      readonly tried?: boolean;
      readonly refresh?: string;
    },
  ): Promise<ProfileView> {
    const { credentials, clock } = this.#deps;
    await credentials.store.change((file) => {
      if (!how.replace) refuseTaken(file, profile);
      const at = clock.now();
      const stamped = { ...profile, createdAt: at, ...(how.tried ? { lastUsedAt: at } : {}) };
      const value =
        how.refresh === undefined
          ? storedSecret(profile.type, secret)
          : ({ type: "oauth", access: secret, refresh: how.refresh } as const);
      return { file: withCredential(file, stamped, value, how.first), result: undefined };
    });
    return this.#viewOf(profile.id);
  }

  /** It just answered, so it rests no longer. */
  async #woke(id: string): Promise<void> {
    const { credentials } = this.#deps;
    await credentials.used(id);
    const resting = (await credentials.store.read()).profiles.some((p) => p.id === id && p !== awake(p));
    if (!resting) return;
    await credentials.store.change((file) => ({
      file: { ...file, profiles: file.profiles.map((p) => (p.id === id ? awake(p) : p)) },
      result: undefined,
    }));
  }

  async #viewOf(id: string): Promise<ProfileView> {
    return (await this.#deps.credentials.list()).find((profile) => profile.id === id) ?? notFound(id);
  }

  /** Of a server with many models the one that matters is tried: that which answers, else that it was connected with. */
  async #modelToTry(profileId: string, provider: string): Promise<string | undefined> {
    const { credentials, modelInUse } = this.#deps;
    const inUse = modelInUse?.();
    if (inUse?.startsWith(`${provider}/`)) return inUse.slice(provider.length + 1);
    return (await credentials.store.read()).profiles.find(({ id }) => id === profileId)?.model;
  }
}

/** The id and address of a credential that is to be stored, or why there can be none. */
function checkNew({ provider, name, type, baseUrl }: NewCredential): {
  readonly id: string;
  readonly baseUrl: string | undefined;
} {
  checkName(provider, "a provider's name");
  if (provider === DEMO_MODEL.provider)
    fail("INVALID_INPUT", "demo is the name of the demo model. Nothing was saved. Use another name.");
  const checked = checkName(name ?? (type === "token" ? "manual" : "default"), "a profile's name");
  return {
    id: `${provider}:${checked}`,
    baseUrl: baseUrl === undefined ? undefined : checkBaseUrl(baseUrl),
  };
}

/**
 * A server of the owner's own is known by its name alone: a second one under the same name
 * would take its place, key and all, and nobody would see it. A vendor's key may be replaced by
 * a newer one, as long as it goes to the same place.
 */
function refuseTaken(
  file: AuthFile,
  { id, provider, baseUrl }: Pick<AuthProfile, "id" | "provider" | "baseUrl">,
) {
  const known = knownProvider(provider);
  const placeOf = (profile: { readonly baseUrl?: string | undefined }) => profile.baseUrl ?? known?.baseUrl;
  const elsewhere = (profile: AuthProfile) => baseUrl !== undefined && placeOf(profile) !== baseUrl;
  const same = file.profiles.find((profile) => profile.id === id);
  const taken = same && (!known || elsewhere(same)) ? same : undefined;
  const other = known ? undefined : ordered(file, provider).find(elsewhere);
  const found = taken ?? other;
  if (!found) return;
  const at = placeOf(found);
  const where = at === undefined ? "" : `, the server at ${at}`;
  const next = taken
    ? `To replace it, key included: elwood auth ${provider} --replace`
    : "Remove that first if it is no longer needed: elwood auth list";
  fail(
    "CONFLICT",
    `${provider} is there already (${found.id}${where}). Nothing was saved, and it was not changed. Give the new one another name. ${next}`,
  );
}

function withCredential(
  file: AuthFile,
  profile: Omit<AuthProfile, "secretRef">,
  secret: StoredSecret,
  first: boolean,
): AuthFile {
  const others = file.profiles.filter(({ id }) => id !== profile.id);
  if (others.length >= LIMITS.authProfilesMax) {
    fail("CONFLICT", `There are ${others.length} stored keys already. Remove one first: elwood auth list`);
  }
  const stored: AuthProfile = { ...profile, secretRef: secretRefOf(profile.id) };
  const next: AuthFile = {
    ...file,
    profiles: [...others, stored],
    secrets: { ...file.secrets, [profile.id]: secret },
  };
  if (first) return putFirst(next, profile.provider, profile.id);
  const order = ordered(file, profile.provider).map(({ id }) => id);
  const rank = order.includes(profile.id) ? order : [...order, profile.id];
  return { ...next, order: { ...file.order, [profile.provider]: rank } };
}

function putFirst(file: AuthFile, provider: string, id: string): AuthFile {
  const others = ordered(file, provider).flatMap((profile) => (profile.id === id ? [] : [profile.id]));
  return { ...file, order: { ...file.order, [provider]: [id, ...others] } };
}

/** Only what is promised: a test may know more than is to be passed on. */
function shown({ model, ms, costUsd }: TestPassed): TestPassed {
  return { model, ms, ...(costUsd === undefined ? {} : { costUsd }) };
}

function refuseEnvironment(profileId: string, next: string): void {
  if (!profileId.startsWith("environment:")) return;
  const name = profileId.slice("environment:".length);
  fail("CONFLICT", `${name} comes from the environment, and Elwood cannot change that. ${next}`);
}

function notFound(profileId: string): never {
  return fail("NOT_FOUND", `There is no stored key ${profileId}. See the ones there are: elwood auth list`);
}

function notSaved(reason: Failure): FailureError {
  const { message } = reason;
  const said = message.includes("Nothing was saved.") ? message : `${message} Nothing was saved.`;
  return new FailureError({ ...reason, message: said });
}
