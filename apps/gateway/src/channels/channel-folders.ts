import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { ChannelDefinition } from "@elwood/core/channel/channel";

/** Where channels lie: a folder each, with an `index.ts` whose default export is the channel. */
const FOLDER = fileURLToPath(new URL("../../../../channels", import.meta.url));
const NAME = /^[a-z][a-z0-9]{1,31}$/;

/** The channels there are, by the names of their folders. Nothing of them is loaded. */
export async function channelNames(folder = FOLDER): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && NAME.test(entry.name))
    .map(({ name }) => name)
    .toSorted();
}

/** Loads a channel; it is a bug where its module exports none. */
export async function loadChannel(name: string, folder = FOLDER): Promise<ChannelDefinition> {
  const module = (await import(pathToFileURL(join(folder, name, "index.ts")).href)) as {
    readonly default?: Partial<ChannelDefinition>;
  };
  const { default: definition } = module;
  if (definition?.kind !== "elwood.channel" || definition.name !== name)
    throw new Error(`channels/${name}/index.ts does not export a channel called ${name}`);
  return definition as ChannelDefinition;
}
