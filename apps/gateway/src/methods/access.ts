import { fail, FailureError } from "@elwood/core/base/failure";
import { formatModelRef } from "@elwood/core/model/model";
import { isBrowserLogin } from "../auth/browser-login.ts";
import { newToken, sha256 } from "@elwood/platform/system";
import type { Handlers, MethodContext } from "./context.ts";

/** Model credentials, tokens, the login link and addresses of stored files. */
export const accessMethods: Handlers<
  | "auth.set"
  | "auth.test"
  | "auth.list"
  | "auth.remove"
  | "models.list"
  | "models.check"
  | "models.use"
  | "tokens.create"
  | "tokens.list"
  | "tokens.revoke"
  | "login.link"
  | "login.end"
  | "blobs.ticket",
  "system" | "models" | "access" | "clients"
> = {
  "auth.set": async (params, { services }) => services.models.credentials.set(params),
  "auth.test": async (params, { services }) => services.models.credentials.test(params.profileId),
  "auth.list": async (_params, { services }) => services.models.credentials.list(),
  "auth.remove": async (params, { services }) => services.models.credentials.remove(params.profileId),
  "models.list": async (_params, { services }) => ({ providers: await services.models.connected() }),
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
    const token = newToken();
    const createdAt = system.clock.now();
    const info = {
      id: system.ids.next("token"),
      name: system.redact(params.name.toWellFormed()),
      scopes: [...new Set(params.scopes)],
      createdAt,
      ...(params.expiresInDays ? { expiresAt: createdAt + params.expiresInDays * 86_400_000 } : {}),
    };
    await access.audit.noteToken(info, whoOf(context));
    await access.tokens.add(tenant, { ...info, hash: sha256(token) });
    return { token, info };
  },

  async "tokens.list"(_params, { services, tenant }) {
    const tokens = await services.access.tokens.list(tenant);
    return { tokens: tokens.map((t) => ({ ...t, scopes: [...t.scopes] })) };
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

  async "login.end"(_params, context) {
    const { services, tenant, principal } = context;
    const { access, clients } = services;
    const mine = (await access.tokens.list(tenant)).find(({ id }) => id === principal.tokenId);
    const ended = mine !== undefined && isBrowserLogin(mine);
    if (ended) {
      await access.tokens.revoke(tenant, mine.id);
      await access.audit.noteTokenRevoked(mine.id, whoOf(context));
      // This connection is one of those that are closed, and nothing is heard on it afterwards.
      context.replyNow({ ended });
      clients.closeToken(mine.id);
    }
    return { ended };
  },

  async "blobs.ticket"(params, { services: { access }, tenant }) {
    if (!(await access.blobs.info(tenant, params.blobId))) {
      fail("NOT_FOUND", `There is no stored file ${params.blobId}.`);
    }
    const { ticket, expiresAt } = access.blobTickets.issue({ tenant, blobId: params.blobId });
    return { url: `/blobs/${params.blobId}?ticket=${ticket}`, expiresAt };
  },
};

function whoOf({ principal, surface }: Pick<MethodContext, "principal" | "surface">) {
  return { actor: principal.name, surface };
}
