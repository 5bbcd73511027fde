import { randomBytes } from "node:crypto";
import { Channels } from "@elwood/runtime/channels/channels";
import type { Failure } from "@elwood/core/base/failure";
import type { Result } from "@elwood/core/base/result";
import type { MethodName, MethodParams } from "@elwood/core/protocol/methods";
import type { MethodResult } from "@elwood/core/protocol/results";
import type { ChannelMethods } from "@elwood/runtime/channels/open-channel";
import type { Principal } from "@elwood/runtime/ports/ports";
import type { ChannelStores } from "@elwood/runtime/ports/channel-ports";
import { sha256 } from "@elwood/platform/system";
import type { LoadedConfig } from "../config/load.ts";
import { makeDispatcher } from "../methods/dispatch.ts";
import type { Services } from "../methods/services.ts";
import { ChannelService } from "./channel-service.ts";

/** Channels, joined with the parts of the gateway. Loaded once a channel is configured, or somebody asks. */
export function openChannels(deps: {
  readonly tenant: string;
  readonly loaded: LoadedConfig;
  readonly services: Services;
  readonly stores: ChannelStores;
  readonly listens: boolean;
}): ChannelService {
  const { tenant, loaded, services, stores, listens } = deps;
  const { system, sessions, runs, ledger, approvals, clients, attention, config } = services;
  const { clock, ids, log, localTime, redact } = system;
  const channels = new Channels({
    tenant,
    stores: { ...sessions.stores, ...stores },
    ledger,
    engine: runs.engine,
    activity: (owner, runId) => runs.calls.activity(owner, runId),
    approvals: approvals.events,
    methods: methodsOf(services, tenant),
    clock,
    ids,
    log,
    localTime,
    redact,
    settled: () => attention.watch.poke(tenant),
    hash: sha256,
    random: (bytes) => randomBytes(bytes),
    defaultAgentId: sessions.defaultAgentId,
    pageLink: (path) => `${pageOrigin(loaded) ?? clients.url()}${path}`,
  });
  return new ChannelService({
    tenant,
    loaded,
    channels,
    states: stores.channelStates,
    config,
    clock,
    log,
    listens,
    changed: () => attention.watch.poke(tenant),
  });
}

/** Where a reverse proxy serves the page, if one does: that is the address that works on a phone. */
function pageOrigin({ config }: LoadedConfig): string | undefined {
  const [host] = config.gateway.allowedHosts;
  return host === undefined ? undefined : `https://${host}`;
}

function methodsOf(services: Services, tenant: string): ChannelMethods {
  const dispatcher = makeDispatcher();
  return {
    async call<M extends MethodName>(
      { principal, surface }: { readonly principal: Principal; readonly surface: string },
      method: M,
      params: MethodParams<M>,
    ) {
      const answered = await dispatcher.call(method, params, {
        services,
        tenant,
        principal,
        surface,
        drafts: false,
        replyNow: () => undefined,
        follow: () => undefined,
      });
      // The table of methods says what each answers; the dispatcher does not know which one this was.
      return answered as Result<MethodResult<M>, Failure>;
    },
  };
}
