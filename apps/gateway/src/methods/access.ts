import { pathLeftBy } from "../views/session-files.ts";
import { fail, FailureError } from "@elwood/core/base/failure";
import { formatModelRef } from "@elwood/core/model/model";
import { isBrowserLogin } from "../auth/browser-login.ts";
import { deviceLogin, keyOf } from "../auth/device-logins.ts";
import { SCOPES, type TokenInfo } from "@elwood/runtime/ports/ports";
import { newToken, sha256 } from "@elwood/platform/system";
import type { Handlers, MethodContext } from "./context.ts";

/** Model credentials, tokens, the login link and addresses of stored files. */
export const accessMethods: Handlers<
  | "auth.set"
  | "auth.test"
  | "auth.list"
  | "auth.remove"
  | "auth.prefer"
  | "models.list"
  | "models.at"
  | "models.check"
  | "models.use"
  | "tokens.create"
  | "tokens.list"
  | "tokens.revoke"
  | "login.link"
  | "login.keep"
  | "login.end"
  | "blobs.ticket",
  "system" | "models" | "access" | "clients" | "ledger"
> = {
  "auth.set": async (params, { services }) => services.models.credentials.set(params),
  "auth.test": async (params, { services }) => services.models.credentials.test(params.profileId),
  "auth.list": async (_params, { services }) => services.models.credentials.list(),
  "auth.remove": async (params, { services }) => services.models.credentials.remove(params.profileId),
  "auth.prefer": async (params, { services }) => ({
    profile: await services.models.credentials.prefer(params.profileId),
  }),
  "models.list": async (_params, { services }) => ({ providers: await services.models.connected() }),
  "models.at": async (params, { services }) => ({
    models: await services.models.credentials.modelsAt(params.baseUrl, params.secret),
  }),
  "models.check": async (params, { services }) => {
    const found = await services.models.catalog.resolve(params.model);
    if (!found.ok) throw new FailureError(found.error);
    return { model: formatModelRef(found.value.ref) };
  },
  "models.use": async (params, { services: { models } }) => {
    const tested = await models.use(params.model);
    const now = await models.catalog.resolve(undefined);
    return { ...tested, model: now.ok ? formatModelRef(now.value.ref) : "none" };
  },

  async "tokens.create"(params, context) {
    const { services, tenant } = context;
    const { system, access } = services;
    const { tenant: other } = params;
    const actsFor = other === undefined || other === tenant ? {} : { actsFor: other };
    if (other !== undefined && other !== tenant && params.scopes.includes("admin"))
      fail(
        "INVALID_INPUT",
        'A token of a tenant cannot have the scope "admin": keys, settings and tokens are of the whole installation. No token was made.',
      );
    const token = newToken();
    const createdAt = system.clock.now();
    const info = {
      id: system.ids.next("token"),
      name: system.redact(params.name.toWellFormed()),
      scopes: [...new Set(params.scopes)],
      createdAt,
      ...(params.expiresInDays ? { expiresAt: createdAt + params.expiresInDays * 86_400_000 } : {}),
      ...actsFor,
    };
    await access.audit.noteToken(info, whoOf(context));
    await access.tokens.add(tenant, { ...info, hash: sha256(token) });
    return { token, info: toWireToken(info) };
  },

  async "tokens.list"(_params, { services: { access, clients }, tenant, principal }) {
    const tokens = await access.tokens.list(tenant);
    return {
      tokens: tokens.map((token) => ({
        ...toWireToken(token),
        ...(isBrowserLogin(token) ? { browser: true } : {}),
        ...(clients.isConnected(token.id) ? { connected: true } : {}),
        ...(token.id === principal.tokenId ? { current: true } : {}),
      })),
    };
  },

  async "tokens.revoke"(params, context) {
    const { services, tenant } = context;
    const { access, clients } = services;
    if (!(await access.tokens.revoke(tenant, params.tokenId))) {
      fail("NOT_FOUND", `There is no token ${params.tokenId}. Nothing was revoked.`);
    }
    clients.closeToken(params.tokenId);
    await access.audit.noteTokenRevoked(params.tokenId, whoOf(context));
    return { ok: true };
  },

  async "login.link"(_params, { services: { access, clients }, tenant }) {
    const { ticket, expiresAt } = access.loginTickets.issue({ tenant });
    return { url: `${clients.url()}/#t=${ticket}`, expiresAt };
  },

  async "login.keep"({ publicKey }, context) {
    const { services, tenant, principal } = context;
    const { system, access } = services;
    // It may do all that its owner may: who may do less cannot hand that out.
    if (!SCOPES.every((scope) => principal.scopes.has(scope)))
      fail("SCOPE_MISSING", "Only the owner's login can be kept. Nothing was kept.");
    if (!keyOf(publicKey))
      fail("INVALID_INPUT", "That is no key of the kind that is asked for (P-256). Nothing was kept.");
    const made = { id: system.ids.next("token"), ...deviceLogin(system.clock.now()), publicKey };
    await access.audit.noteToken(made, whoOf(context));
    // Nobody has the token of this hash: its key is the one way in.
    await access.tokens.add(tenant, { ...made, hash: sha256(newToken()) });
    return { deviceId: made.id, expiresAt: made.expiresAt };
  },

  async "login.end"(_params, context) {
    const { services, tenant, principal } = context;
    const { access, clients } = services;
    const mine = (await access.tokens.list(tenant)).find(({ id }) => id === principal.tokenId);
    const ended = mine !== undefined && (isBrowserLogin(mine) || mine.publicKey !== undefined);
    if (ended) {
      await access.tokens.revoke(tenant, mine.id);
      await access.audit.noteTokenRevoked(mine.id, whoOf(context));
      // This connection is one of those that are closed, and nothing is heard on it afterwards.
      context.replyNow({ ended });
      clients.closeToken(mine.id);
    }
    return { ended };
  },

  async "blobs.ticket"({ blobId }, { services: { access, ledger }, tenant }) {
    const call = await ledger.call(tenant, blobId);
    const path = call && pathLeftBy(call);
    if (path !== undefined) {
      const file = await access.showFile(path);
      if ("problem" in file) fail("NOT_FOUND", file.isGone ? GONE : file.problem);
    } else if (!(await access.blobs.info(tenant, blobId))) {
      fail("NOT_FOUND", `There is no stored file ${blobId}.`);
    }
    const { ticket, expiresAt } = access.blobTickets.issue({
      tenant,
      blobId,
      ...(path === undefined ? {} : { path }),
    });
    return { url: `/blobs/${blobId}?ticket=${ticket}`, expiresAt };
  },
};

const GONE = "It is not there any more: it was moved, renamed or deleted since.";

function toWireToken({ actsFor, publicKey, ...info }: TokenInfo) {
  return {
    ...info,
    scopes: [...info.scopes],
    ...(publicKey === undefined ? {} : { device: true }),
    ...(actsFor === undefined ? {} : { tenant: actsFor }),
  };
}

function whoOf({ principal, surface }: Pick<MethodContext, "principal" | "surface">) {
  return { actor: principal.name, surface };
}
