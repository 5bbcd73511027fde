import { Connection, type Socket } from "../client.ts";
import { ProtocolEngine } from "./protocol-engine.ts";

export interface GatewayEngineOptions {
  /** Where the gateway is; looked for on this machine where left out. */
  readonly url?: string;
  /** `ELWOOD_TOKEN` where left out. It needs the scopes `chat` and `admin`, and `approve` to decide approvals. */
  readonly token?: string;
  /** The folder of the gateway that is looked for. */
  readonly home?: string;
  /** What the gateway calls this program. */
  readonly name?: string;
  /** Opens the socket; the global WebSocket where absent. */
  readonly socket?: (url: string) => Socket;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What tools log. */
  readonly log?: (message: string) => void;
}

/** An engine over a gateway's WebSocket. */
export class GatewayEngine extends ProtocolEngine {
  constructor(options: GatewayEngineOptions = {}) {
    const { socket, name = "sdk", log } = options;
    super({
      // Looked for each time: a gateway that was started again may have another address.
      open: async (signal) =>
        Connection.open({
          ...(await placeOf(options)),
          client: { name, drafts: true },
          signal,
          ...(socket ? { socket } : {}),
        }),
      ...(log ? { log } : {}),
    });
  }
}

async function placeOf(
  options: GatewayEngineOptions,
): Promise<{ readonly url: string; readonly token: string }> {
  const { url, token } = options;
  if (url !== undefined && token !== undefined) return { url, token };
  // Reads files; a page in a browser always says where its gateway is.
  const { findGateway } = await import("./find-gateway.ts");
  return findGateway(options, options.env ?? process.env);
}
