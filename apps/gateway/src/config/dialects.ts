/**
 * Every foreign or external name of a setting, in one table: keys of the configuration
 * dialects that Elwood grew out of, environment variables, flags. Our own keys are the
 * schema's and need no row. Nothing in it is ever dropped in silence: a row without
 * effect is said aloud at start, with its note.
 *
 * `elwood` is the snake_case dialect of the resident assistant, `openact` the flat
 * connections and actions, `jarvis` the camelCase groups of the local gateway.
 */
export type Dialect = "elwood" | "openact" | "jarvis" | "environment" | "flag";

export interface DialectRow {
  readonly dialect: Dialect;
  /** As it is written there; `*` stands for a name the owner chose or an item of a list. */
  readonly written: string;
  /** Our key. A secret's is its variable's name, since no secret is a setting. */
  readonly key: string;
  /**
   * `setting`: a value of the configuration. `secret`: a key or token, kept apart.
   * `start`: decides where the configuration lies, so no configuration can hold it.
   */
  readonly into: "setting" | "secret" | "start";
  readonly effect: boolean;
  readonly note: string;
  /** A value as someone would write it. */
  readonly example: unknown;
}

export const DIALECT_ROWS: readonly DialectRow[] = [
  ...file("elwood", [
    ["model", "model", true, "a bare id is completed to provider/model", "claude-sonnet-4-5-20250929"],
    ["compaction_model", "compactionModel", true, "", "claude-haiku-4-5"],
    ["compaction_threshold", "compactionThreshold", true, "in tokens", 100_000],
    ["state_dir", "stateDir", true, "ELWOOD_HOME and --home go first", "/var/lib/assistant"],
    ["workspace_dir", "agents.workspaceDir", true, "", "/var/lib/assistant/workspace"],
    ["telegram", "telegram", true, "", {}],
    ["telegram.allowed_chat_ids", "telegram.allowedChatIds", true, "", ["123456789"]],
    ["heartbeat", "heartbeat", true, "", {}],
    ["heartbeat.interval_minutes", "heartbeat.intervalMinutes", true, "", 30],
    ["heartbeat.active_hours_start", "heartbeat.activeHoursStart", true, "", 8],
    ["heartbeat.active_hours_end", "heartbeat.activeHoursEnd", true, "", 22],
    ["cron", "cron", true, "", []],
    ["cron.*.expression", "cron.*.schedule", true, "", "0 9 * * *"],
    ["permissions", "permissions", true, "", {}],
    ["permissions.safe_commands", "permissions.safeCommands", true, "", ["ls"]],
    ["permissions.dangerous_patterns", "permissions.dangerousPatterns", true, "", ["\\brm\\b"]],
    ["permissions.tool_policy", "permissions.toolPolicy", true, "", { run_command: "ask" }],
    ["mcp_servers", "mcpServers", true, "", {}],
    ["mcp_servers.*.command", "mcpServers.*.command", true, "", "mcp-files"],
    ["mcp_servers.*.args", "mcpServers.*.args", true, "", ["--root", "/srv"]],
    ["mcp_servers.*.env", "mcpServers.*.env", true, "", { LANG: "C" }],
  ]),
  ...file("openact", [
    ["version", "version", true, "only version 1.0 exists", "1.0"],
    ["connections", "connections", true, "", {}],
    ["connections.*.kind", "connections.*.kind", true, "", "llm"],
    ["connections.*.provider", "connections.*.provider", true, "", "openai"],
    ["connections.*.api_base", "connections.*.api_base", true, "", "https://api.openai.com"],
    ["connections.*.authorization", "connections.*.authorization", true, "", "bearer_token"],
    [
      "connections.*.token",
      "connections.*.token",
      true,
      "`${NAME}` reads the environment",
      "${OPENAI_API_KEY}",
    ],
    ["connections.*.default_headers", "connections.*.default_headers", true, "", { "x-team": "home" }],
    ["connections.*.timeout_ms", "connections.*.timeout_ms", true, "", 30_000],
    ["connections.*.rate_limits", "connections.*.rate_limits", true, "", { requests_per_minute: 60 }],
    [
      "connections.*.proxy",
      "connections.*.proxy",
      true,
      "a connection with a proxy is refused when it is used",
      "http://127.0.0.1:3128",
    ],
    ["actions", "actions", true, "", {}],
    ["actions.*.connection", "actions.*.connection", true, "", "my-llm"],
    ["actions.*.kind", "actions.*.kind", true, "", "llm"],
    ["actions.*.task", "actions.*.task", true, "", "chat"],
    ["actions.*.model", "actions.*.model", true, "", "gpt-4o-mini"],
    ["actions.*.system", "actions.*.system", true, "", "You are a helpful assistant."],
    ["actions.*.templates", "actions.*.templates", true, "", { greet: "Hello {{name}}" }],
    ["actions.*.sampling", "actions.*.sampling", true, "", { temperature: 0.2, max_tokens: 512 }],
    ["actions.*.json_schema", "actions.*.json_schema", true, "", { type: "object" }],
    ["actions.*.tool_calls", "actions.*.tool_calls", true, "", [{ tool_trn: "t", name_override: "n" }]],
    ["actions.*.stream", "actions.*.stream", true, "", true],
    ["actions.*.mcp_enabled", "actions.*.mcp_enabled", true, "", true],
  ]),
  ...file("jarvis", [
    ["gateway.port", "gateway.port", true, "", 18_789],
    ["gateway.host", "gateway.host", true, "", "127.0.0.1"],
    ["agents.default", "agents.default", true, "", "assistant"],
    ["agents.workspacePath", "agents.workspaceDir", true, "", "/srv/workspace"],
    ["tools", "tools", true, "", {}],
    ["tools.timeout", "tools.timeoutMs", false, "each tool has limits of its own", 120_000],
    ["tools.maxOutputBytes", "tools.maxOutputBytes", false, "each tool has limits of its own", 100_000],
    ["memory", "memory", true, "", {}],
    ["memory.enabled", "memory.enabled", true, "", true],
    [
      "memory.embeddingModel",
      "memory.embeddingModel",
      false,
      "nothing is sent to an embedder unless memory.embeddings.model names it",
      "text-embedding-3-small",
    ],
    ["security", "security", false, "secrets are always filtered and receipts are always kept", {}],
    ["security.auditLog", "security.auditLog", false, "", true],
    ["security.secretsFilter", "security.secretsFilter", false, "", true],
  ]),
  ...outside("flag", "setting", [
    ["--host", "gateway.host", true, "", "127.0.0.1"],
    ["--port", "gateway.port", true, "", "18790"],
    ["--model", "model", true, "", "anthropic/claude-sonnet-5-5"],
    ["--workspace", "agents.workspaceDir", true, "", "/srv/workspace"],
    ["--log-level", "log.level", true, "", "debug"],
    ["--log-format", "log.format", true, "", "json"],
    ["--log-file", "log.file", true, "", "/var/log/elwood.log"],
  ]),
  ...outside("flag", "start", [
    ["--home", "home", true, "the state directory", "/var/lib/elwood"],
    ["--config", "file", true, "the configuration file", "/etc/elwood/config.yaml"],
  ]),
  // Of two names for one thing the first wins.
  ...outside("environment", "setting", [
    ["ELWOOD_HOST", "gateway.host", true, "", "127.0.0.1"],
    ["PROJ_JARVIS_HOST", "gateway.host", true, "ELWOOD_HOST goes first", "127.0.0.1"],
    ["ELWOOD_PORT", "gateway.port", true, "", "18790"],
    ["PROJ_JARVIS_PORT", "gateway.port", true, "ELWOOD_PORT goes first", "18790"],
    ["ELWOOD_MODEL", "model", true, "", "anthropic/claude-sonnet-5-5"],
    ["ELWOOD_LANGUAGE", "language", true, "", "de"],
    ["ELWOOD_TIME_ZONE", "timeZone", true, "", "Europe/Berlin"],
    ["ELWOOD_WORKSPACE", "agents.workspaceDir", true, "", "/srv/workspace"],
    ["ELWOOD_ALLOWED_ORIGINS", "gateway.allowedOrigins", true, "separated by commas", "https://home.example"],
    ["ELWOOD_ALLOWED_HOSTS", "gateway.allowedHosts", true, "separated by commas", "home.example"],
    ["ELWOOD_SESSION_TITLES", "sessions.titles", true, "true or false", "false"],
    ["ELWOOD_LOG_LEVEL", "log.level", true, "", "debug"],
    ["ELWOOD_LOG_FORMAT", "log.format", true, "", "json"],
    ["ELWOOD_LOG_FILE", "log.file", true, "", "/var/log/elwood.log"],
    ["ANTHROPIC_BASE_URL", "providers.anthropic.baseUrl", true, "", "http://127.0.0.1:9000"],
    ["OPENAI_BASE_URL", "providers.openai.baseUrl", true, "", "http://127.0.0.1:9000/v1"],
  ]),
  ...outside("environment", "start", [
    ["ELWOOD_HOME", "home", true, "the state directory", "/var/lib/elwood"],
    ["ELWOOD_CONFIG", "file", true, "the configuration file", "/etc/elwood/config.yaml"],
  ]),
  ...outside("environment", "secret", [
    ["ELWOOD_TOKEN", "ELWOOD_TOKEN", true, "the owner's token for the gateway", "a-long-owner-token-1"],
    ["PROJ_JARVIS_TOKEN", "ELWOOD_TOKEN", true, "ELWOOD_TOKEN goes first", "a-long-owner-token-2"],
    ["GATEWAY_AUTH_TOKEN", "ELWOOD_TOKEN", true, "ELWOOD_TOKEN goes first", "a-long-owner-token-3"],
    ["ANTHROPIC_OAUTH_TOKEN", "ANTHROPIC_OAUTH_TOKEN", true, "", "an-example-oauth-token"],
    ["ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY", true, "", "an-example-anthropic-key"],
    ["OPENAI_API_KEY", "OPENAI_API_KEY", true, "", "an-example-openai-key"],
    ["TELEGRAM_BOT_TOKEN", "TELEGRAM_BOT_TOKEN", true, "", "an-example-bot-token"],
    ["DISCORD_BOT_TOKEN", "DISCORD_BOT_TOKEN", true, "", "an-example-discord-token"],
    ["BRAVE_SEARCH_API_KEY", "BRAVE_SEARCH_API_KEY", true, "", "an-example-brave-key"],
  ]),
];

type Cells = readonly [written: string, key: string, effect: boolean, note: string, example: unknown];

function file(dialect: Dialect, rows: readonly Cells[]): DialectRow[] {
  return outside(dialect, "setting", rows);
}

function outside(dialect: Dialect, into: DialectRow["into"], rows: readonly Cells[]): DialectRow[] {
  return rows.map(([written, key, effect, note, example]) => ({
    dialect,
    into,
    written,
    key,
    effect,
    note,
    example,
  }));
}

/** Rows for keys of files, by the first step: every key of a file is looked for among them. */
const FILE_ROWS: ReadonlyMap<
  string,
  readonly { readonly row: DialectRow; readonly steps: readonly string[] }[]
> = Map.groupBy(
  DIALECT_ROWS.filter(({ dialect }) => dialect !== "environment" && dialect !== "flag").map((row) => ({
    row,
    steps: row.written.split("."),
  })),
  ({ steps: [first = ""] }) => first,
);

/** The row for a key of a file, whose steps may be names the owner chose. */
export function fileRow(path: readonly string[]): DialectRow | undefined {
  return FILE_ROWS.get(path[0] ?? "")?.find(({ steps }) => fits(steps, path))?.row;
}

/** Our key for it, the `*` filled in from what was written. */
export function ownPath(row: DialectRow, path: readonly string[]): string[] {
  const names = row.written.split(".").flatMap((step, i) => (step === "*" ? [path[i]!] : []));
  return row.key.split(".").map((step) => (step === "*" ? names.shift()! : step));
}

/** Words beside one of our keys that has no effect yet. */
export function noteFor(key: string): string {
  return DIALECT_ROWS.find((row) => row.key === key && row.note !== "")?.note ?? "";
}

function fits(pattern: readonly string[], path: readonly string[]): boolean {
  return pattern.length === path.length && pattern.every((step, i) => step === "*" || step === path[i]);
}
