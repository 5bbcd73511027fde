import { hint } from "@elwood/core/base/redact";
import type { Credential } from "./credential.ts";

/** Whom we are talking to, as far as messages to people and patience depend on it. */
export interface ProviderIdentity {
  /** The name in `provider/model` and in `elwood auth <name>`. */
  readonly id: string;
  /** The name people know: `Anthropic`, `LM Studio`. */
  readonly label: string;
  readonly baseUrl: string;
  readonly credential?: Credential;
  /** A server on the owner's own machine: it may have to be started, and needs time to load a model. */
  readonly local: boolean;
}

/** `the key ending …4f2a from ANTHROPIC_API_KEY`: enough to tell two keys apart, and no more. */
export function nameKey(credential: Credential): string {
  const kind = credential.type === "api_key" ? "key" : "token";
  const ending = hint(credential.secret);
  const which = ending === "…" ? `the ${kind}` : `the ${kind} ending ${ending}`;
  return credential.profileId ? `${which} (${credential.profileId})` : `${which} from ${credential.source}`;
}

/** Host and port only: a base URL may carry a password. */
export function placeOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).host : "its address";
}
