import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { INTEGRATION_NAME, readManifest, type IntegrationManifest } from "@elwood/core/integration/manifest";
import type { IntegrationDefinition } from "@elwood/sdk/integration";
import { isMissingPath } from "@elwood/platform/system-error";

/**
 * The integrations there are: each folder of `integrations/` with a `manifest.json`. The build puts a list
 * of the same shape in place of this module (apps/cli/build.mjs), so that nothing is looked up on the disk.
 */
export interface IntegrationFolders {
  /** By name, in order. Loads nothing of them. */
  manifests(): Promise<readonly IntegrationManifest[]>;
  /** It is a bug where the module does not export an integration of that name. */
  load(name: string): Promise<IntegrationDefinition>;
}

const FOLDER = fileURLToPath(new URL("../../../../integrations", import.meta.url));

export function integrationFolders(folder: string = FOLDER): IntegrationFolders {
  return {
    async manifests() {
      const names = (await readdir(folder)).filter((name) => INTEGRATION_NAME.test(name)).toSorted();
      const found = await Promise.all(names.map((name) => manifestIn(folder, name)));
      return found.filter((manifest) => manifest !== undefined);
    },
    async load(name) {
      return definitionOf(await import(pathToFileURL(join(folder, name, "index.ts")).href), name);
    },
  };
}

async function manifestIn(folder: string, name: string): Promise<IntegrationManifest | undefined> {
  const path = join(folder, name, "manifest.json");
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    // A part of the gateway that needs more than an integration is given, or no integration at all.
    if (isMissingPath(error)) return undefined;
    throw error;
  }
  const manifest = readManifest(JSON.parse(text), name);
  if (!manifest.ok) throw new Error(`${path} ${manifest.error}.`);
  return manifest.value;
}

function definitionOf(module: unknown, name: string): IntegrationDefinition {
  const { default: found } = module as { readonly default?: Partial<IntegrationDefinition> };
  if (found?.kind !== "elwood.integration" || found.name !== name)
    throw new Error(`integrations/${name}/index.ts does not export an integration called ${name}`);
  return found as IntegrationDefinition;
}
