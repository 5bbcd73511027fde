import { stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { sendsKeyInClear } from "@elwood/core/net/base-url";
import { noteFor } from "./dialects.ts";
import { pathKey, type FileLayer } from "./file-layer.ts";
import { modelDeprecationNotice } from "./model-deprecation.ts";
import { originText, type Notice } from "./problem.ts";
import { hasEffect, idleKey, type Config } from "./schema.ts";
import { unpinnedPackage, unpinnedReason } from "./mcp-pin.ts";

export interface NoticeContext {
  readonly home: string;
  readonly file: string | undefined;
  readonly nowMs: number;
  readonly holdsSecrets: boolean;
}

/** All that is right enough to start with, and still worth saying. */
export async function configNotices(
  config: Config,
  layer: FileLayer,
  context: NoticeContext,
): Promise<Notice[]> {
  return [
    ...noEffect(layer, context.home),
    ...(await unpinned(config)),
    ...ends(config, context.nowMs),
    ...plainText(config),
    ...(await openFile(context)),
    ...(await toolsFile(context.home)),
  ];
}

/** One notice for each group, or setting of a group, that is understood but does nothing yet. */
function noEffect(layer: FileLayer, home: string): Notice[] {
  const idle = layer.settings.filter(
    ({ path, value }) => !hasEffect(path) && !(path[0] === "stateDir" && value === home),
  );
  return [...new Set(idle.map(({ path }) => idleKey(path)))].map((group): Notice => {
    const place = layer.places.get(pathKey(group.split("."))) ?? { kind: "default" };
    const key = place.kind === "file" ? place.written : group;
    const note = noteFor(group);
    const why = note === "" ? "." : ` (${note}).`;
    return {
      kind: "no-effect",
      key: group,
      text: `${originText(place)} \`${key}\` is understood, but has no effect yet${why}`,
    };
  });
}

async function unpinned(config: Config): Promise<Notice[]> {
  if (config.mcpServers === undefined) return [];
  return Object.entries(config.mcpServers).flatMap(([name, server]): Notice[] => {
    if (server.command === undefined || server.enabled === false) return [];
    const wanted = unpinnedPackage(server.command, server.args ?? []);
    if (wanted === undefined) return [];
    return [{ kind: "disabled", key: `mcpServers.${name}`, text: unpinnedReason(name, wanted) }];
  });
}

function ends(config: Config, nowMs: number): Notice[] {
  return [
    config.model === undefined ? undefined : modelDeprecationNotice(config.model, "model", nowMs),
    config.compactionModel === undefined
      ? undefined
      : modelDeprecationNotice(config.compactionModel, "compactionModel", nowMs),
  ].filter((notice) => notice !== undefined);
}

function plainText(config: Config): Notice[] {
  return Object.entries(config.providers).flatMap(([name, provider]): Notice[] => {
    if (provider.baseUrl === undefined || !sendsKeyInClear(provider.baseUrl)) return [];
    const text = `\`providers.${name}\` uses http:// to another machine: its key and all you write can be read on the way. Use https:// where you can.`;
    return [{ kind: "warning", key: `providers.${name}.baseUrl`, text }];
  });
}

async function openFile(context: NoticeContext): Promise<Notice[]> {
  if (context.file === undefined || !context.holdsSecrets) return [];
  const { mode } = await stat(context.file);
  if ((mode & 0o077) === 0) return [];
  const text = `${basename(context.file)} holds a secret and can be read by other users of this machine. Close it: chmod 600 ${context.file}`;
  return [{ kind: "warning", text }];
}

/** A list of tools beside the configuration, as the resident assistant had it. */
async function toolsFile(home: string): Promise<Notice[]> {
  for (const path of [join(home, "tools.yaml"), join(home, "workspace", "tools.yaml")]) {
    const there = await stat(path).then(
      () => true,
      () => false,
    );
    if (there) {
      const text = `${path} is understood, but has no effect yet (tools are not read from a list).`;
      return [{ kind: "no-effect", key: "tools.yaml", text }];
    }
  }
  return [];
}
