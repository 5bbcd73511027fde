import { stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { sendsKeyInClear } from "@elwood/core/net/base-url";
import { noteFor } from "./dialects.ts";
import { pathKey, type FileLayer } from "./file-layer.ts";
import { modelDeprecationNotice } from "./model-deprecation.ts";
import { originText, type Notice } from "./problem.ts";
import { hasEffect, idleKey, type Config } from "./schema.ts";
import { TOOLS_FILE } from "./tools-file.ts";
import { unpinnedPackage, unpinnedReason } from "./mcp-pin.ts";

export interface NoticeContext {
  /** Those that settings were read from, where they are there. */
  readonly files: readonly string[];
  readonly workspaceDir: string;
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
    ...noEffect(layer),
    ...(await unpinned(config)),
    ...ends(config, context.nowMs),
    ...plainText(config),
    ...(await openFiles(context)),
    ...(await toolsFile(context.workspaceDir)),
  ];
}

/** One notice for each group, or setting of a group, that is understood but does nothing yet. */
function noEffect(layer: FileLayer): Notice[] {
  const idle = layer.settings.filter(({ path }) => !hasEffect(path));
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

async function openFiles(context: NoticeContext): Promise<Notice[]> {
  if (!context.holdsSecrets) return [];
  const notices: Notice[] = [];
  for (const path of context.files) {
    const info = await statOf(path);
    if (info === undefined || (info.mode & 0o077) === 0) continue;
    const text = `${basename(path)} holds a secret and can be read by other users of this machine. Close it: chmod 600 ${path}`;
    notices.push({ kind: "warning", text });
  }
  return notices;
}

/** Tools can write there, and none may say what it may do itself. */
async function toolsFile(workspaceDir: string): Promise<Notice[]> {
  const path = join(workspaceDir, TOOLS_FILE);
  if ((await statOf(path)) === undefined) return [];
  const text = `${path} is not read: tools can change what lies in the workspace. Put ${TOOLS_FILE} beside the settings file.`;
  return [{ kind: "warning", key: TOOLS_FILE, text }];
}

async function statOf(path: string) {
  return stat(path).catch(() => undefined);
}
