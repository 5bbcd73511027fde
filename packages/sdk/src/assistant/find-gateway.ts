import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { GatewayUnavailableError } from "./errors.ts";

export interface FoundGateway {
  readonly url: string;
  readonly token: string;
}

/** The gateway that runs on this machine, by the file that it leaves in its folder. The error says what to start. */
export async function findGateway(
  given: { readonly url?: string; readonly token?: string; readonly home?: string },
  env: Readonly<Record<string, string | undefined>>,
): Promise<FoundGateway> {
  const home =
    given.home ?? env["ELWOOD_HOME"] ?? join(env["HOME"] ?? homedir(), ".local", "state", "elwood");
  const url = given.url ?? (await addressIn(join(home, "gateway.json")));
  if (url === undefined)
    throw new GatewayUnavailableError(
      "no_gateway",
      `No gateway runs with the folder ${home}. Nothing was sent. Start one with: npx elwood up`,
      { retryable: true },
    );
  const token = given.token ?? env["ELWOOD_TOKEN"];
  if (token === undefined || token === "")
    throw new GatewayUnavailableError(
      "no_token",
      "ELWOOD_TOKEN is not set, so the gateway would not let this program in. Nothing was sent. Make a token with: npx elwood token create --name my-program --scope chat --scope admin",
    );
  return { url, token };
}

async function addressIn(path: string): Promise<string | undefined> {
  try {
    const told: unknown = JSON.parse(await readFile(path, "utf8"));
    const { url } = (told ?? {}) as { url?: unknown };
    return typeof url === "string" ? url : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || (error as { code?: unknown }).code === "ENOENT") return undefined;
    throw error;
  }
}
