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
