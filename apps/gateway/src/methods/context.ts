import type { MethodName, MethodParams } from "@elwood/core/protocol/methods";
import type { MethodResult } from "@elwood/core/protocol/results";
import type { Person, Principal } from "@elwood/runtime/ports/ports";
import type { ClientLink } from "../assistants/client-tools.ts";
import type { Services } from "./services.ts";

/** One request: who asks, what may be done with their connection, and the services that answer it. */
export interface MethodContext<S extends keyof Services = never> {
  readonly services: Pick<Services, S>;
  readonly tenant: string;
  readonly principal: Principal;
  readonly surface: string;
  /** The client can show text that may still be replaced. */
  readonly drafts: boolean;
  /** Sends the answer at this instant, for methods whose pushes must come after it and without a gap. */
  replyNow(result: unknown): void;
  /** The connection itself, for tools that live in its client; absent where the request came by another way. */
  readonly link?: ClientLink;
  /** Sends this connection the run's pushes from now on. */
  follow(runId: string): void;
}

/** Who asks, as they are recorded. */
export function personOf({ principal, surface }: MethodContext): Person {
  return { id: principal.name, surface };
}

type Handler<M extends MethodName, S extends keyof Services> = (
  params: MethodParams<M>,
  context: MethodContext<S>,
) => Promise<MethodResult<M>>;

/** Methods `M`, which take the services `S` and no others. */
export type Handlers<M extends MethodName, S extends keyof Services> = {
  readonly [K in M]: Handler<K, S>;
};
