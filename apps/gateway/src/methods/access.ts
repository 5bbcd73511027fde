import { fail, FailureError } from "@elwood/core/base/failure";
import { formatModelRef } from "@elwood/core/model/model";
import { isBrowserLogin } from "../auth/browser-login.ts";
import { newToken, sha256 } from "@elwood/platform/system";
import type { Handlers } from "./context.ts";

/** Model credentials, tokens, the login link and addresses of stored files. */
export const accessMethods: Pick<
  Handlers,
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
  | "blobs.ticket"
> = {
  "auth.set": async (params, { deps }) => deps.auth.set(params),
  "auth.test": async (params, { deps }) => deps.auth.test(params.profileId),
  "auth.list": async (_params, { deps }) => deps.auth.list(),
  "auth.remove": async (params, { deps }) => deps.auth.remove(params.profileId),
  "models.list": async (_params, { deps }) => ({ providers: await deps.connectedModels() }),
  "models.check": async (params, { deps }) => {
    const found = await deps.models.resolve(params.model);
    if (!found.ok) throw new FailureError(found.error);
    return { model: formatModelRef(found.value.ref) };
  },
  "models.use": async (params, { deps }) => {
    const tested = await deps.useModel(params.model);
    const now = await deps.models.resolve(undefined);
    return { ...tested, model: now.ok ? formatModelRef(now.value.ref) : "none" };
  },

  async "tokens.create"(params, { deps, tenant }) {
    const token = newToken();
    const createdAt = deps.clock.now();
    const info = {
      id: deps.ids.next("token"),
      name: params.name.toWellFormed(),
      scopes: [...new Set(params.scopes)],
      createdAt,
      ...(params.expiresInDays ? { expiresAt: createdAt + params.expiresInDays * 86_400_000 } : {}),
    };
    await deps.stores.tokens.add(tenant, { ...info, hash: sha256(token) });
    return { token, info };
  },

  async "tokens.list"(_params, { deps, tenant }) {
    const tokens = await deps.stores.tokens.list(tenant);
    return { tokens: tokens.map((t) => ({ ...t, scopes: [...t.scopes] })) };
  },

  async "tokens.revoke"(params, { deps, tenant }) {
    if (!(await deps.stores.tokens.revoke(tenant, params.tokenId))) {
      fail("NOT_FOUND", `There is no token ${params.tokenId}. Nothing was revoked.`);
    }
    deps.closeToken(params.tokenId);
    return { ok: true };
  },

  async "login.link"(_params, { deps, tenant }) {
    const { ticket, expiresAt } = deps.loginTickets.issue({ tenant });
    return { url: `${deps.url()}/#t=${ticket}`, expiresAt };
  },

  async "login.end"(_params, context) {
    const { deps, tenant, principal } = context;
    const mine = (await deps.stores.tokens.list(tenant)).find(({ id }) => id === principal.tokenId);
    const ended = mine !== undefined && isBrowserLogin(mine);
    if (ended) {
      await deps.stores.tokens.revoke(tenant, mine.id);
      // This connection is one of those that are closed, and nothing is heard on it afterwards.
      context.replyNow({ ended });
      deps.closeToken(mine.id);
    }
    return { ended };
  },

  async "blobs.ticket"(params, { deps, tenant }) {
    if (!(await deps.stores.blobs.info(tenant, params.blobId))) {
      fail("NOT_FOUND", `There is no stored file ${params.blobId}.`);
    }
    const { ticket, expiresAt } = deps.blobTickets.issue({ tenant, blobId: params.blobId });
    return { url: `/blobs/${params.blobId}?ticket=${ticket}`, expiresAt };
  },
};
