import type { Failure } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { ok } from "@elwood/core/base/result";
import type { Clock, Log } from "@elwood/runtime/ports/ports";
import type { Credential, KeyRing } from "@elwood/providers/credential";
import { restMs } from "@elwood/providers/take-turns";
import type { Credentials } from "./credentials.ts";
import { awake, ordered, type AuthFile, type AuthProfile } from "./profile.ts";
import { credentialOf, renewable } from "./resolve.ts";

interface KeyRingDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly learnSecrets?: (secrets: Iterable<string>) => unknown;
}

/** The key that answered a conversation last. */
interface Kept {
  readonly id: string;
  readonly at: number;
  /** The owner's order then: where they change it, nothing is kept. */
  readonly order: string;
}

/**
 * The stored keys and those of the environment as models use them.
 *
 * K1 A key that was refused rests, for longer each time in a row, and for as long as the provider
 *    says where it says so. That is stored, so that a new start and the command line know it. A key
 *    that nothing could stand in for does not rest: it would only be kept from its own recovery.
 * K2 A conversation stays with the key that answered it last while that works: another account
 *    would read the whole conversation anew, at full price.
 * K3 Access that runs out is renewed before it is used, one renewal at a time across processes, and
 *    the new tokens are stored before they are used: the old ones may be void from then on.
 */
export function keyRing(credentials: Credentials, deps: KeyRingDeps): KeyRing {
  const { clock, log } = deps;
  const { store } = credentials;
  const kept = new Map<string, Kept>();
  /** Keys of the environment have no profile to note it in. */
  const resting = new Map<string, { readonly until: number; readonly refusals: number }>();

  const change = (id: string, changed: (profile: AuthProfile) => AuthProfile) =>
    store.change((file) => ({
      file: { ...file, profiles: file.profiles.map((p) => (p.id === id ? changed(p) : p)) },
      result: undefined,
    }));

  return {
    async usable(provider, wish) {
      const found = await credentials.usable(provider, wish);
      if (!found.ok) return found;
      const { credentials: all, file } = found.value;
      const now = clock.now();
      const awakeNow = all.filter((each) => !(restOf(each) > now));
      const usable = awakeNow.length > 0 ? awakeNow : all;
      const renewed: Credential[] = [];
      for (const credential of usable) {
        const fresh = needsRenewal(file, credential, now) ? await renew(credential) : credential;
        if (fresh) renewed.push(fresh);
      }
      if (renewed.length === 0) return ok(usable);
      return ok(
        keptFirst(renewed, wish.session === undefined ? undefined : kept.get(wish.session), file, provider),
      );
    },

    refused: (provider, credential, failure, replaced) =>
      noted(() => refused(provider, credential, failure, replaced)),

    renewed: (credential) => renew(credential, credential.secret),

    worked: (credential, session) => noted(() => worked(credential, session)),
  };

  /** What cannot be written down takes no answer away. */
  async function noted<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      log.error("how a key did could not be stored", { event: "auth.profile.unstored", error });
      return undefined;
    }
  }

  async function refused(
    provider: string,
    credential: Credential,
    failure: Failure,
    replaced: boolean,
  ): Promise<number | undefined> {
    if (!replaced && !(await hasOthers(provider, credential))) return undefined;
    const now = clock.now();
    const { profileId } = credential;
    if (profileId === undefined) {
      const refusals = (resting.get(credential.source)?.refusals ?? 0) + 1;
      const until = now + pauseFor(failure, refusals);
      resting.set(credential.source, { until, refusals });
      return until;
    }
    const known = (await store.read()).profiles.find(({ id }) => id === profileId);
    // Another run found out at the same time.
    if (!known || (known.cooldownUntil ?? 0) > now) return known?.cooldownUntil;
    const refusals = (known.refusals ?? 0) + 1;
    const until = now + pauseFor(failure, refusals);
    await change(profileId, (p) => ({
      ...p,
      cooldownUntil: until,
      cooldownReason: failure.reason,
      refusals,
    }));
    return until;
  }

  async function worked(credential: Credential, session: string | undefined): Promise<void> {
    const { profileId, source } = credential;
    resting.delete(source);
    // A key from outside stands in no file, and in no order.
    if (profileId === undefined) {
      credentials.usedFromOutside(credential.secret);
      keepFor(session, source, "");
      return;
    }
    const file = await store.read();
    const known = file.profiles.find(({ id }) => id === profileId);
    if (known && awake(known) !== known) await change(known.id, awake);
    if (known && clock.now() - (known.lastUsedAt ?? 0) >= LIMITS.authTouchMs)
      await credentials.used(known.id);
    keepFor(session, profileId, orderIn(file, known?.provider ?? ""));
  }

  function keepFor(session: string | undefined, id: string, order: string): void {
    if (session === undefined) return;
    kept.delete(session);
    const oldest = kept.keys().next();
    if (kept.size >= LIMITS.conversationKeysMax && !oldest.done) kept.delete(oldest.value);
    kept.set(session, { id, at: clock.now(), order });
  }

  function restOf({ profileId, source }: Credential): number {
    return profileId === undefined ? (resting.get(source)?.until ?? 0) : 0;
  }

  function keptFirst(
    usable: readonly Credential[],
    last: Kept | undefined,
    file: AuthFile,
    provider: string,
  ): readonly Credential[] {
    if (!last || clock.now() - last.at > LIMITS.keyKeptMs || last.order !== orderIn(file, provider))
      return usable;
    const isLast = ({ profileId, source }: Credential) => (profileId ?? source) === last.id;
    return [...usable.filter(isLast), ...usable.filter((each) => !isLast(each))];
  }

  async function hasOthers(provider: string, { profileId, source }: Credential): Promise<boolean> {
    const all = (await credentials.list()).filter((view) => view.provider === provider);
    return all.some(({ id }) => id !== profileId && id !== `environment:${source}`);
  }

  /** `used` is a secret that was refused: where the stored one is another by now, somebody renewed it meanwhile. */
  async function renew(credential: Credential, used?: string): Promise<Credential | undefined> {
    const { profileId = "" } = credential;
    const { renewTokens } = await import("@elwood/providers/oauth-token");
    try {
      return await store.changeSlowly(async (file) => {
        const profile = file.profiles.find(({ id }) => id === profileId);
        const secret = file.secrets[profileId];
        if (!profile?.oauth || secret?.type !== "oauth" || secret.refresh === undefined)
          return { file, result: undefined };
        const stillGood = used === undefined ? !expiresSoon(profile, clock.now()) : secret.access !== used;
        if (stillGood) return { file, result: credentialOf(profile, file) };
        const renewed = await renewTokens(profile.oauth, secret.refresh, clock.now());
        if (!renewed.ok) {
          log.warn("the access of a stored key could not be renewed", {
            event: "auth.oauth.failed",
            profile: profileId,
            reason: renewed.error.reason,
          });
          return { file, result: undefined };
        }
        const { access, refresh, expiresAt } = renewed.value;
        deps.learnSecrets?.([access, refresh]);
        const { expiresAt: _old, ...rest } = profile;
        const next: AuthFile = {
          ...file,
          profiles: file.profiles.map((p) =>
            p.id === profileId ? { ...rest, ...(expiresAt === undefined ? {} : { expiresAt }) } : p,
          ),
          secrets: { ...file.secrets, [profileId]: { type: "oauth", access, refresh } },
        };
        return { file: next, result: credentialOf(rest, next) };
      });
    } catch (error) {
      log.error("renewed access could not be stored", {
        event: "auth.oauth.failed",
        profile: profileId,
        error,
      });
      return undefined;
    }
  }

  function needsRenewal(file: AuthFile, { profileId }: Credential, now: number): boolean {
    const profile = file.profiles.find(({ id }) => id === profileId);
    return profile !== undefined && renewable(profile, file) && expiresSoon(profile, now);
  }
}

function expiresSoon({ expiresAt }: AuthProfile, now: number): boolean {
  return expiresAt !== undefined && expiresAt - now < LIMITS.oauthRenewMs;
}

function orderIn(file: AuthFile, provider: string): string {
  return ordered(file, provider)
    .map(({ id, preferredAt = "" }) => `${id} ${preferredAt}`)
    .join();
}

/** What the provider says counts, up to a day. */
function pauseFor({ reason, retryAfterMs }: Failure, refusals: number): number {
  if (retryAfterMs !== undefined && retryAfterMs > 0) return Math.min(retryAfterMs, LIMITS.keyRestMaxMs);
  if (reason !== "BILLING") return restMs(refusals);
  const hours = LIMITS.keyBillingRestMs;
  return hours[Math.min(refusals, hours.length) - 1] ?? LIMITS.keyRestMaxMs;
}
