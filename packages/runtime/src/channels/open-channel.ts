import type { ChannelConnection, ChannelDefinition } from "@elwood/core/channel/channel";
import type { Failure } from "@elwood/core/base/failure";
import type { MethodName, MethodParams } from "@elwood/core/protocol/methods";
import type { MethodResult } from "@elwood/core/protocol/results";
import type { Result } from "@elwood/core/base/result";
import type { Principal } from "../ports/ports.ts";

/** A channel that is connected, and whom its owner lets in. */
export interface OpenChannel {
  readonly definition: Pick<ChannelDefinition, "name" | "title" | "pace" | "fileBytesMax">;
  readonly connection: ChannelConnection;
  /** Read for every event, since it changes while the channel is open. */
  readonly access: () => ChannelAccess;
}

export interface ChannelAccess {
  /** Ids of those who speak as the owner. */
  readonly approverIds: readonly string[];
  /** Ids of people and groups that may write. */
  readonly allowedChatIds: readonly string[];
}

/**
 * The methods of the gateway, as a client with these rights may call them. What somebody may do in a
 * channel is decided where it is decided for every client.
 */
export interface ChannelMethods {
  call<M extends MethodName>(
    who: { readonly principal: Principal; readonly surface: string },
    method: M,
    params: MethodParams<M>,
  ): Promise<Result<MethodResult<M>, Failure>>;
}
