import { networkInterfaces } from "node:os";
import { fail } from "@elwood/core/base/failure";
import type { Clock } from "@elwood/runtime/ports/ports";
import type { GatewayClient } from "@elwood/sdk/client";
import { EXIT, ownName, type Io } from "./io.ts";
import { openBrowser } from "./open-browser.ts";
import { say } from "./words/say.ts";

export interface OpenDeps {
  /** The running gateway; undefined where none runs. It is left open; who opened it closes it. */
  readonly client: GatewayClient | undefined;
  readonly home: string;
  readonly clock: Pick<Clock, "now">;
  /** Under which the page is reached from elsewhere, as the owner set it (`gateway.allowedOrigins`). */
  readonly origins?: readonly string[];
  /** Of this machine, where Elwood listens on all of them. */
  readonly addresses?: readonly string[];
  /** Opens an address where there is a desktop, and says whether it did. */
  readonly browse?: (url: string) => boolean;
}

/** `elwood open`: a fresh one-time link to the page, always printed, and opened where there is a desktop. */
export async function openPage(
  io: Io,
  deps: OpenDeps,
  options: { readonly browser: boolean; readonly json: boolean; readonly qr?: boolean },
): Promise<number> {
  const self = ownName(io.env);
  if (!deps.client) {
    fail(
      "NOT_FOUND",
      `Elwood is not running on ${deps.home}, so there is no page to open. Start it with: ${self} up`,
    );
  }
  const { url, expiresAt } = await deps.client.call("login.link", {});
  const browse = deps.browse ?? ((address) => openBrowser(address, io.env));
  const opened = options.browser && browse(url);
  if (options.json) {
    io.stdout.write(`${JSON.stringify({ url, expiresAt, opened })}\n`);
    return EXIT.ok;
  }
  const phone = phoneLink(url, deps.origins ?? [], deps.addresses ?? []);
  io.stdout.write(`${url}\n`);
  const minutes = Math.max(1, Math.round((expiresAt - deps.clock.now()) / 60_000));
  const said = say(io, opened ? "Opened in your browser." : "Open this link in a browser on this machine.");
  io.stderr.write(`${say(io, "{0} It works once, within {1} min.", said, minutes)}\n`);
  if (phone !== undefined && (options.qr === true || io.stderr.isTTY)) {
    const { qrCode, qrText } = await import("./qr-code.ts");
    io.stderr.write(
      `\n${qrText(qrCode(phone))}${say(io, "For your phone: point its camera at this. {0}", phone)}\n`,
    );
  } else if (options.qr === true)
    io.stderr.write(
      `${say(io, "No phone can reach this address: Elwood listens on this machine alone. docs/remote.md says how to open it.")}\n`,
    );
  if (io.env["SSH_CONNECTION"]) {
    const { port } = new URL(url);
    io.stderr.write(
      `${say(io, "From the machine you came from, first: {0}; then open it there.", `ssh -L ${port}:127.0.0.1:${port} <this machine>`)}\n`,
    );
  }
  return EXIT.ok;
}

/** The same link under an address that another device can reach; https first. */
function phoneLink(
  url: string,
  origins: readonly string[],
  addresses: readonly string[],
): string | undefined {
  const link = new URL(url);
  const isElsewhere = ({ hostname }: URL) => !/^(localhost|127\..*|\[::1?\]|0\.0\.0\.0)$/.test(hostname);
  const own = addresses.map((address) => `http://${address}:${link.port}`);
  const known = [...origins, ...own, link.href].map((each) => new URL(each)).filter(isElsewhere);
  const reached = known.find(({ protocol }) => protocol === "https:") ?? known[0];
  return reached === undefined ? undefined : `${reached.origin}/${link.hash}`;
}

/** Under which other machines of the network reach this one. */
export function ownAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((card) => card ?? [])
    .filter(({ family, internal }) => family === "IPv4" && !internal)
    .map(({ address }) => address);
}
