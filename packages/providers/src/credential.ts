import type { Failure } from "@elwood/core/base/failure";
import type { Result } from "@elwood/core/base/result";

/**
 * What opens a provider's door. `secret` is the only field that may never be logged,
 * shown or sent anywhere but to the provider itself; the rest is for telling people
 * which key was used (`source`: an environment variable's name, `auth-profiles.json`, …).
 */
export interface Credential {
  /** `api_key` and `token` are long-lived; `oauth` is a subscription token that expires. */
  readonly type: "api_key" | "token" | "oauth";
  readonly secret: string;
  /** `anthropic:work`; absent where the key came from the environment. */
  readonly profileId?: string;
  readonly source: string;
  /** Where this key is good for, when that is not the provider's own address. */
  readonly baseUrl?: string;
}

/**
 * Finds the credential for a provider. `undefined` means that none is set, which is
 * ordinary; a failure means that one is set and could not be read.
 */
export type CredentialLookup = (provider: string) => Promise<Result<Credential | undefined, Failure>>;

/** Which keys a request may use. */
export interface KeyWish {
  /** The profile whose account pays; no other takes its place. */
  readonly profile?: string | undefined;
  /** The conversation: it stays with the key that answered it last, whose prompt cache is warm. */
  readonly session?: string | undefined;
}

/** The keys of all providers, and what became of them. */
export interface KeyRing {
  /** In the order in which they are tried; none where nothing is set. A failure says why those that are set cannot be used now. */
  usable(provider: string, wish: KeyWish): Promise<Result<readonly Credential[], Failure>>;
  /**
   * The provider refused it: another goes first for a while. Answers until when; not at all where
   * there is no other key, and `replaced` says that nothing else takes its place either.
   */
  refused(
    provider: string,
    credential: Credential,
    failure: Failure,
    replaced: boolean,
  ): Promise<number | undefined>;
  /** A new secret for one that ran out, where it can be renewed. */
  renewed(credential: Credential): Promise<Credential | undefined>;
  worked(credential: Credential, session: string | undefined): Promise<void>;
}

/** One key for each provider, and nothing is remembered of it. */
export function singleKeys(lookup: CredentialLookup): KeyRing {
  return {
    async usable(provider) {
      const found = await lookup(provider);
      if (!found.ok) return found;
      return { ok: true, value: found.value ? [found.value] : [] };
    },
    refused: async () => undefined,
    renewed: async () => undefined,
    worked: async () => undefined,
  };
}
