import { fail } from "@elwood/core/base/failure";
import type { Clock } from "@elwood/runtime/ports/ports";
import type { GatewayClient } from "@elwood/sdk/client";
import { EXIT, ownName, type Io } from "./io.ts";
import { openBrowser } from "./open-browser.ts";

export interface OpenDeps {
  /** The running gateway; undefined where none runs. It is left open; who opened it closes it. */
  readonly client: GatewayClient | undefined;
  readonly home: string;
  readonly clock: Pick<Clock, "now">;
  /** Opens an address where there is a desktop, and says whether it did. */
  readonly browse?: (url: string) => boolean;
}

/** `elwood open`: a fresh one-time link to the page, always printed, and opened where there is a desktop. */
export async function openPage(
  io: Io,
  deps: OpenDeps,
  options: { readonly browser: boolean; readonly json: boolean },
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
  io.stdout.write(`${url}\n`);
  const minutes = Math.max(1, Math.round((expiresAt - deps.clock.now()) / 60_000));
  const said = opened ? "Opened in your browser." : "Open this link in a browser on this machine.";
  io.stderr.write(`${said} It works once, within ${minutes} min.\n`);
  if (io.env["SSH_CONNECTION"]) {
    const { port } = new URL(url);
    io.stderr.write(
      `From the machine you came from, first: ssh -L ${port}:127.0.0.1:${port} <this machine>; then open it there.\n`,
    );
  }
  return EXIT.ok;
}
