import { fail, FailureError } from "@elwood/core/base/failure";
import { Connection, GatewayClient, type Socket } from "@elwood/sdk/client";
import type { LoadedConfig } from "@elwood/gateway/config/load";
import { readGatewayInfo, removeGatewayInfo } from "@elwood/gateway/state/discovery";
import { readOwnerToken } from "@elwood/gateway/state/owner-token";
import { systemClock } from "@elwood/platform/system";
import type { Gateway } from "@elwood/gateway/gateway";

/** Where a gateway is, and the token it takes. */
export interface Endpoint {
  readonly url: string;
  readonly token: string;
  /** Into a gateway of this process that has no port. */
  readonly socket?: () => Socket;
  /** Keeps a file for a message there, where no address takes it. */
  readonly keepFile?: Gateway["keepFile"];
}

export interface Link {
  readonly connection: Connection;
  readonly endpoint: Endpoint;
  /** The gateway that this process runs itself, where none was running. */
  readonly own?: Gateway;
  /** Leaves the gateway; where it is our own, only when nobody else's run needs it any more. */
  leave(): Promise<void>;
}

const TRIES_MAX = 40;
const TRY_AGAIN_MS = 150;
const LAST_CLIENT_MS_MAX = 2_000;
const LEAVE_POLL_MS = 20;
/** A decision reaches its run a moment after it was answered. */
const RESTING_POLLS = 3;

/**
 * A client of the gateway that runs on this state directory; undefined where none does.
 * Throws UNAUTHENTICATED where one does, and this shell has no token that it takes.
 */
export async function findGateway(loaded: LoadedConfig, name: string): Promise<GatewayClient | undefined> {
  const found = await connectTo(loaded, name);
  return found && GatewayClient.over(found.connection);
}

/** A gateway elsewhere, by its address alone: nothing that is stored on this machine is tried there. */
export async function remoteLink(endpoint: Endpoint, name: string): Promise<Link> {
  const connection = await Connection.open({ ...endpoint, client: { name, drafts: true } });
  return { connection, endpoint, leave: () => connection.close() };
}

async function connectTo(
  loaded: LoadedConfig,
  name: string,
): Promise<Pick<Link, "connection" | "endpoint"> | undefined> {
  const info = readGatewayInfo(loaded.paths.gatewayInfo);
  if (!info) return undefined;
  const token = loaded.secrets.get("ELWOOD_TOKEN")?.value ?? readOwnerToken(loaded.paths.ownerToken);
  if (token === undefined) return (await runs(loaded, info.url)) ? noValidToken(loaded) : undefined;
  try {
    const endpoint = { url: info.url, token };
    return { connection: await Connection.open({ ...endpoint, client: { name, drafts: true } }), endpoint };
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    // Its file may have outlived it; whether a gateway lives is for the lock to say.
    if (error.failure.reason === "NETWORK") return undefined;
    if (error.failure.reason !== "UNAUTHENTICATED") throw error;
    return (await runs(loaded, info.url)) ? noValidToken(loaded) : undefined;
  }
}

/** Whether the gateway that left this address still serves this state directory, and not another one there. */
async function runs(loaded: LoadedConfig, url: string): Promise<boolean> {
  const [{ isHeld }, { askReady }] = await Promise.all([
    import("@elwood/platform/lock"),
    import("@elwood/gateway/doctor/running-gateway"),
  ]);
  return isHeld(loaded.paths.gatewayLock) && (await askReady(url)) !== "none";
}

function noValidToken(loaded: LoadedConfig): never {
  return fail(
    "UNAUTHENTICATED",
    `Elwood runs on ${loaded.paths.home}, but this shell has no valid token: set ELWOOD_TOKEN, or ELWOOD_TOKEN_FILE to a file that has it. Nothing was done.`,
  );
}

/**
 * Joins the running gateway, or starts one in this process. Two commands that start at
 * once meet here: the lock lets one of them serve, and the other finds it.
 */
export async function joinGateway(
  loaded: LoadedConfig,
  name: string,
  start: () => Promise<Gateway>,
): Promise<Link> {
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const found = await connectTo(loaded, name);
    if (found) return { ...found, leave: () => found.connection.close() };
    try {
      return await serveOurselves(loaded, name, await start());
    } catch (error) {
      if (!(error instanceof FailureError) || error.failure.reason !== "CONFLICT") throw error;
    }
    await systemClock.sleep(TRY_AGAIN_MS);
  }
  const { home } = loaded.paths;
  return fail(
    "STORAGE",
    `Another Elwood holds ${home} but does not answer. Nothing was sent. Stop it, then try again.`,
  );
}

/** A gateway in this process that nobody else can join. */
export async function localLink(loaded: LoadedConfig, name: string, own: Gateway): Promise<Link> {
  return serveOurselves(loaded, name, own, {
    socket: () => own.connect(),
    keepFile: (bytes, mime) => own.keepFile(bytes, mime),
  });
}

async function serveOurselves(
  loaded: LoadedConfig,
  name: string,
  own: Gateway,
  way: Pick<Endpoint, "socket" | "keepFile"> = {},
): Promise<Link> {
  const endpoint = { url: own.url, token: own.ownerToken, ...way };
  const connection = await Connection.open({ ...endpoint, client: { name, drafts: true } });
  return {
    connection,
    endpoint,
    own,
    async leave() {
      await connection.close();
      // From here on nobody finds us, and who has found us is served before we go.
      removeGatewayInfo(loaded.paths.gatewayInfo, process.pid);
      await served(own);
      await own.close();
    },
  };
}

/** Resolves when no run is at work and no client is left, or none that asks for anything. */
async function served(own: Gateway): Promise<void> {
  await atRest(own);
  for (let waited = 0; own.clients() > 0 && waited < LAST_CLIENT_MS_MAX; waited += LEAVE_POLL_MS) {
    await systemClock.sleep(LEAVE_POLL_MS);
    await atRest(own);
  }
}

/**
 * Every run has its own limits, so this ends. One that waits for a person is not waited
 * for: it survives, and the gateway that hears the decision goes on with it.
 */
async function atRest(own: Gateway): Promise<void> {
  for (let resting = own.engine.runsActive === 0 ? 1 : 0; resting < RESTING_POLLS;) {
    await systemClock.sleep(LEAVE_POLL_MS);
    resting = own.engine.runsActive === 0 ? resting + 1 : 0;
  }
}
