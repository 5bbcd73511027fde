import { DEFAULT_TENANT } from "@elwood/core/base/tenant";
import { formatModelRef } from "@elwood/core/model/model";
import type { Result } from "@elwood/core/base/result";
import { plainLine } from "@elwood/core/message/session-text";
import type { Log } from "@elwood/runtime/ports/ports";
import { KNOWN_PROVIDERS } from "@elwood/providers/known-providers";
import type { LoadedConfig } from "@elwood/gateway/config/load";
import type { StatePaths } from "@elwood/platform/state-paths";
import { openReadOnly } from "@elwood/store-sqlite/read-only-database";
import { systemClock } from "@elwood/platform/system";
import { VERSION } from "../version.ts";
import { shortKey } from "../sessions-command.ts";
import { readStoredSessions } from "../stored-sessions.ts";
import { say, sayCount, type Speaking } from "../words/say.ts";
import type { LiveValues } from "./command-tree.ts";

export interface LiveValue {
  readonly value: string;
  /** A few words that help to choose. */
  readonly about: string;
}

export interface LiveDeps {
  readonly paths: StatePaths;
  /** Asked only where the configuration matters, since reading it takes time. */
  readonly load: () => Promise<Result<LoadedConfig, unknown>>;
}

const SESSIONS_MAX = 50;
const RUNS_LOOKED_AT = 500;

/** What can be offered now, from files alone: no gateway is started or asked. */
export async function liveValues(io: Speaking, kind: LiveValues, deps: LiveDeps): Promise<LiveValue[]> {
  const values = await VALUES[kind](deps, io);
  const known = new Set<string>();
  return values.flatMap(({ value, about }) => {
    // Shells cut words at blanks; such a value would be offered in pieces.
    if (known.has(value) || !/^[\x21-\x7e]+$/.test(value)) return [];
    known.add(value);
    return [{ value, about: plainLine(about) }];
  });
}

const VALUES: Readonly<Record<LiveValues, (deps: LiveDeps, io: Speaking) => Promise<LiveValue[]>>> = {
  async sessions({ paths }) {
    const sessions = readStoredSessions(paths.database, "live", SESSIONS_MAX);
    return sessions.map(({ sessionKey, title }) => ({ value: shortKey(sessionKey), about: title }));
  },

  async notes({ paths }, io) {
    const { fileNotes } = await import("@elwood/memory/notes/notes");
    const notes = await fileNotes(paths.memory).list(DEFAULT_TENANT);
    return notes.map(({ key, bytes }) => ({ value: key, about: sayCount(io, bytes, "1 byte", "{0} bytes") }));
  },

  async models({ paths, load }, io) {
    const loaded = await load();
    const configured = loaded.ok ? loaded.value.config.model : undefined;
    const usual = Object.entries(KNOWN_PROVIDERS).flatMap(([provider, { model, title }]) =>
      model === undefined ? [] : [{ value: formatModelRef({ provider, model }), about: title }],
    );
    return [
      ...(configured === undefined ? [] : [{ value: configured, about: say(io, "configured") }]),
      ...usedModels(paths.database).map((value) => ({ value, about: say(io, "used before") })),
      ...usual,
      { value: "demo/scripted", about: say(io, "scripted answers, no key needed") },
    ];
  },

  async agents({ load }) {
    const loaded = await load();
    if (!loaded.ok) return [];
    const { folderAgents } = await import("@elwood/gateway/agents/folder-agents");
    const { workspaceDir, config } = loaded.value;
    const agents = folderAgents({ workspaceDir, defaultAgentId: config.agents.default, log: silent });
    return (await agents.list()).map(({ id, name, description }) => ({
      value: id,
      about: description || name,
    }));
  },

  integrations: (deps, io) => ownTools(io, deps, "integrations"),
  tools: (deps, io) => ownTools(io, deps, "tools"),
};

/** Integrations of the workspace, or the tools they are known to have; nothing is run to find out. */
async function ownTools(
  io: Speaking,
  { load }: LiveDeps,
  kind: "integrations" | "tools",
): Promise<LiveValue[]> {
  const loaded = await load();
  if (!loaded.ok) return [];
  const { workspaceOf } = await import("@elwood/gateway/built-in-tools");
  const workspaceTools = workspaceOf(loaded.value, { version: VERSION, clock: systemClock, log: silent });
  if (kind === "tools")
    return (await workspaceTools.known()).map(({ id, description }) => ({ value: id, about: description }));
  const { integrationNames } = await import("@elwood/isolation/tool-host/integration-files");
  return (await integrationNames(workspaceTools.toolsDir)).map((value) => ({
    value,
    about: say(io, "tools of yours"),
  }));
}

const silent: Log = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
};

/** Models that answered lately. */
function usedModels(database: string): string[] {
  const db = openReadOnly(database);
  if (!db) return [];
  try {
    const rows = db
      .prepare(
        `SELECT DISTINCT model FROM (SELECT model FROM runs WHERE tenant = 'default' ORDER BY seq DESC LIMIT ?)
         WHERE model IS NOT NULL`,
      )
      .all(RUNS_LOOKED_AT);
    return rows.map((row) => String(row["model"]));
  } finally {
    db.close();
  }
}
