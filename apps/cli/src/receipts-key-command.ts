import { fail } from "@elwood/core/base/failure";
import type { GatewayClient } from "@elwood/sdk/client";
import { canAsk, confirm } from "./confirm.ts";
import { EXIT, type Io } from "./io.ts";

/** `elwood receipts rotate-key` */
export async function rotateKey(
  io: Io,
  deps: { readonly client: GatewayClient },
  options: { readonly yes: boolean; readonly json: boolean },
): Promise<number> {
  if (!options.yes) {
    if (!canAsk(io))
      fail(
        "INVALID_INPUT",
        "Nobody can be asked here whether the key may be changed. Nothing was done. If it may: add --yes.",
      );
    if (!(await confirm(io, "Sign the receipts with a new key from now on, and destroy the old one?"))) {
      io.stderr.write("The key was not changed.\n");
      return EXIT.denied;
    }
  }
  const { from, to } = await deps.client.call("receipts.rotate_key", {});
  if (options.json) io.stdout.write(`${JSON.stringify({ from, to })}\n`);
  else {
    const older = "What the old key signed can still be checked, with the new public key too.";
    io.stdout.write(`The receipts are signed with a new key now.\n  was  ${from}\n  is   ${to}\n${older}\n`);
  }
  return EXIT.ok;
}
