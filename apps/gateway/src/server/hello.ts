import { LIMITS } from "@elwood/core/base/limits";
import { EVENT_NAMES } from "@elwood/core/protocol/events";
import { PROTOCOL_VERSION, type Hello } from "@elwood/core/protocol/frames";
import { METHOD_NAMES } from "@elwood/core/protocol/methods";
import { SCOPES, type Principal } from "@elwood/runtime/ports/ports";

/** What a client is told once it is known: what there is, what it may do, and how much at once. */
export function helloTo(
  principal: Principal,
  version: string,
  build: string | undefined,
  now: number,
): Hello {
  return {
    protocol: PROTOCOL_VERSION,
    version,
    methods: METHOD_NAMES,
    events: EVENT_NAMES,
    limits: {
      frameBytesMax: LIMITS.frameBytesMax,
      messageCharsMax: LIMITS.messageCharsMax,
      blobBytesMax: LIMITS.blobBytesMax,
      requestsInFlightMax: LIMITS.requestsInFlightPerConnectionMax,
    },
    scopes: SCOPES.filter((scope) => principal.scopes.has(scope)),
    build: build ?? version,
    now,
  };
}
