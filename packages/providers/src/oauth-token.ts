import { failure, type Failure } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { err, ok, type Result } from "@elwood/core/base/result";
import { z } from "zod";
import { guardedFetch } from "./guarded-fetch.ts";

/** Where tokens of a subscription are renewed, and as which program. */
export interface OAuthClient {
  readonly tokenUrl: string;
  readonly clientId: string;
}

export interface OAuthTokens {
  readonly access: string;
  /** Where the server hands out a new one with each renewal, only that one works from then on. */
  readonly refresh: string;
  readonly expiresAt?: number;
}

const answer = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).optional(),
  expires_in: z.number().positive().optional(),
});

/** Exchanges a refresh token (RFC 6749, section 6). AUTH: it is no longer good, and only the owner can help; NETWORK: later may do. */
export async function renewTokens(
  { tokenUrl, clientId }: OAuthClient,
  refresh: string,
  now: number,
): Promise<Result<OAuthTokens, Failure>> {
  const host = new URL(tokenUrl).host;
  try {
    const response = await guardedFetch(() => {})(tokenUrl, {
      method: "POST",
      redirect: "error",
      headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
      body: new URLSearchParams({
        grant_type: "refresh_token",
        refresh_token: refresh,
        client_id: clientId,
      }).toString(),
      signal: AbortSignal.timeout(LIMITS.oauthRequestMs),
    });
    const text = (await response.text()).slice(0, LIMITS.oauthAnswerBytesMax);
    if (response.status >= 400 && response.status < 500 && response.status !== 429)
      return err(
        failure("AUTH", `${host} refused to renew the access. Nothing was sent. Log in there again.`),
      );
    const read = response.ok ? answer.safeParse(JSON.parse(text)) : undefined;
    if (!read?.success) return err(unreachable(host));
    const { access_token: access, refresh_token: next = refresh, expires_in: seconds } = read.data;
    return ok({
      access,
      refresh: next,
      ...(seconds === undefined ? {} : { expiresAt: now + seconds * 1000 }),
    });
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    return err(unreachable(host));
  }
}

function unreachable(host: string): Failure {
  return failure(
    "NETWORK",
    `The access could not be renewed: ${host} gave no usable answer. Nothing was sent.`,
  );
}
