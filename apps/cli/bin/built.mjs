// Which code a start runs: the build, where it was made of the sources that lie here. One that
// was made of others is never run: it is made again first, or the sources run as they are.
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const DIST = fileURLToPath(new URL("../dist/", import.meta.url));
const SOURCES = new URL("../src/main.ts", import.meta.url).href;
const BUILDER = fileURLToPath(new URL("../build.mjs", import.meta.url));
/** Each folder of it may be an integration. */
export const INTEGRATIONS = "integrations";
/** Each folder of it is a chat service. */
export const CHANNELS = "channels";
/** Not imported: an import reads all that these modules have, and each start would pay for that. */
const fs = () => process.getBuiltinModule("node:fs");
const crypto = () => process.getBuiltinModule("node:crypto");

/**
 * What a build was made of: for each file its size, the time of its last change, and its hash; and the
 * folders of integrations, which it lists.
 *
 * @typedef {{ build: string, files: Record<string, [size: number, mtimeMs: number, hash: string]>, integrations?: string[] }} Manifest
 */

/**
 * The address of the code to run.
 *
 * @param {(line: string) => void} say
 * @returns {string}
 */
export function codeToRun(say) {
  const manifest = readManifest(DIST);
  if (manifest && changedFiles(ROOT, manifest).length === 0) return builtMain(manifest);
  // An install without development packages has nothing to build with.
  if (!fs().existsSync(BUILDER) || !fs().existsSync(`${ROOT}node_modules/rolldown`)) {
    if (manifest) say("Elwood's sources have changed since it was built. It runs from its sources.");
    return SOURCES;
  }
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const { status, stderr, stdout } = spawnSync(process.execPath, [BUILDER], { encoding: "utf8" });
  const made = readManifest(DIST);
  if (status !== 0 || !made || changedFiles(ROOT, made).length > 0) {
    say(`${stderr.trim() || "The gateway could not be built."} It runs from its sources.`);
    return SOURCES;
  }
  say(
    `${manifest ? "Elwood's sources have changed since it was built." : "Elwood was not built yet."} ${stdout.trim()}`,
  );
  return builtMain(made);
}

/**
 * @param {string} dist
 * @returns {Manifest | undefined}
 */
export function readManifest(dist) {
  try {
    /** @type {Manifest} */
    const manifest = JSON.parse(fs().readFileSync(`${dist.replace(/\/$/, "")}/manifest.json`, "utf8"));
    return fs().existsSync(`${dist.replace(/\/$/, "")}/${manifest.build}/main.js`) ? manifest : undefined;
  } catch {
    return undefined; // nothing was built, or not to its end
  }
}

/**
 * The files that are no longer as they were when the build was made.
 *
 * @param {string} root
 * @param {Manifest} manifest
 * @returns {string[]}
 */
export function changedFiles(root, { files, integrations }) {
  const { readFileSync, statSync } = fs();
  const isOther = integrations !== undefined && String(integrationFolders(root)) !== String(integrations);
  const changed = Object.entries(files)
    .filter(([path, [size, mtimeMs, hash]]) => {
      const place = `${root.replace(/\/$/, "")}/${path}`;
      const now = statSync(place, { throwIfNoEntry: false });
      if (now === undefined || now.size !== size) return true;
      return (
        now.mtimeMs !== mtimeMs &&
        crypto().createHash("sha256").update(readFileSync(place)).digest("hex") !== hash
      );
    })
    .map(([path]) => path);
  return [...(isOther ? [INTEGRATIONS] : []), ...changed];
}

/**
 * @param {string} root
 * @returns {string[]}
 */
export function integrationFolders(root) {
  const { readdirSync, existsSync } = fs();
  const folder = `${root.replace(/\/$/, "")}/${INTEGRATIONS}`;
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

/**
 * @param {string} root
 * @returns {string[]}
 */
export function channelFolders(root) {
  const { readdirSync, existsSync } = fs();
  const folder = `${root.replace(/\/$/, "")}/${CHANNELS}`;
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

/** @param {Manifest} manifest */
function builtMain({ build }) {
  return new URL(`../dist/${build}/main.js`, import.meta.url).href;
}
