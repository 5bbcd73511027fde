import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fail, FailureError } from "@elwood/core/base/failure";
import { CALL_WORDS } from "@elwood/core/base/state-words";
import { findDriver, partFolder } from "@elwood/gateway/browser/find-driver";
import { findBrowser } from "@elwood/gateway/browser/find-browser";
import { storageFailure } from "@elwood/platform/storage-failure";
import { errorCode } from "@elwood/platform/system-error";
import { EXIT, type Io } from "./io.ts";
import { fetchArchive, registryOf, unpackInto, type LockedPackage } from "./npm-registry.ts";
import { markOf, paintFor } from "./paint.ts";
import lock from "./parts-lock.json" with { type: "json" };
import { gatewayText, say } from "./words/say.ts";

/** What few need, and what is fetched only where its owner says so: exact versions, by their hashes. */
export const PARTS: Readonly<Record<string, readonly LockedPackage[]>> = lock;

export interface InstallDeps {
  readonly home: string;
  readonly parts?: Readonly<Record<string, readonly LockedPackage[]>>;
}

/** `elwood install <part>`: into the data folder, whole or not at all. */
export async function installPart(io: Io, deps: InstallDeps, name: string): Promise<number> {
  const parts = deps.parts ?? PARTS;
  const packages = Object.hasOwn(parts, name) ? parts[name] : undefined;
  if (packages === undefined)
    return fail(
      "INVALID_INPUT",
      `There is no part "${name}" to install. There is: ${Object.keys(parts).join(", ")}. Nothing was changed.`,
    );
  const there = findDriver(deps.home);
  const done = markOf(paintFor(io), CALL_WORDS.succeeded);
  if (there === "built in")
    io.stdout.write(`${done} ${say(io, "It is part of this Elwood. Nothing was changed.")}\n`);
  else {
    for (const each of packages) await install(deps.home, each, await fetchArchive(registryOf(io.env), each));
    const what = packages.map((each) => `${each.name} ${each.version}`).join(", ");
    io.stdout.write(`${done} ${say(io, "Installed {0} into {1}", what, partFolder(deps.home))}\n`);
  }
  const browser = await findBrowser(undefined, io.env["PATH"]);
  io.stdout.write(
    browser.ok ? `${say(io, "It will drive {0}", browser.path)}\n` : `${gatewayText(io, browser.message)}\n`,
  );
  io.stdout.write(`${say(io, "A gateway that runs has it from its next start on.")}\n`);
  return EXIT.ok;
}

async function install(home: string, { name }: LockedPackage, archive: Buffer): Promise<void> {
  const folder = partFolder(home);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const fresh = await mkdtemp(join(folder, ".new-"));
    try {
      await unpackInto(archive, fresh);
      const target = join(folder, name);
      await rm(target, { recursive: true, force: true });
      await rename(fresh, target);
    } finally {
      await rm(fresh, { recursive: true, force: true });
    }
  } catch (cause) {
    if (cause instanceof FailureError || errorCode(cause) === undefined) throw cause;
    throw new FailureError(storageFailure(cause, folder, "Nothing was installed. Try again."));
  }
}
