import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
/** Of ten, in tenths: what systemd calls it is "OK" up to 49. */
const EXPOSURE_MAX = 40;

interface Unit {
  readonly serviceConfig: Readonly<Record<string, unknown>>;
  readonly environment: Readonly<Record<string, string>>;
  readonly preStart?: string;
}

interface Evaluated {
  readonly assertions: readonly { readonly assertion: boolean; readonly message: string }[];
  readonly users: { readonly users: Readonly<Record<string, unknown>> };
  readonly systemd: {
    readonly services: Readonly<Record<string, Unit>>;
    readonly tmpfiles: { readonly rules: readonly string[] };
  };
}

function nix(what: string, given = "{ }"): { readonly status: number | null; readonly text: string } {
  const expression = `(import ${join(import.meta.dirname, "nix-stub.nix")} { root = ${ROOT}; given = ${given}; }).${what}`;
  const { status, stdout, stderr } = spawnSync(
    "nix-instantiate",
    ["--store", "dummy://", "--eval", "--strict", "--json", "--expr", expression],
    { encoding: "utf8" },
  );
  return { status, text: status === 0 ? stdout : stderr };
}

function evaluated(given: string): Evaluated {
  const { status, text } = nix("config", given);
  expect([status, status === 0 ? "" : text]).toEqual([0, ""]);
  return JSON.parse(text) as Evaluated;
}

test("EL-17: the files parse, and the module has the options of its design and some more", () => {
  for (const file of ["flake.nix", "package.nix", "modules/assistant.nix"])
    expect(
      spawnSync("nix-instantiate", ["--store", "dummy://", "--parse", join(ROOT, file)]).status,
      file,
    ).toBe(0);
  const options = JSON.parse(nix("options").text) as string[];
  const designed =
    "enable package workspaceDir stateDir environmentFile allowedChatIds model heartbeatInterval activeHoursStart activeHoursEnd mcpServers";
  expect(options).toEqual(
    expect.arrayContaining([...designed.split(" "), "settings", "agents", "browser", "cage"]),
  );
});

test("EL-17: the unit runs the package as its own user, hardened but for what V8 and cages need", () => {
  const { systemd, users } = evaluated(
    '{ enable = true; environmentFile = "/run/agenix/assistant"; workspaceDir = "/etc/soul"; agents.helper = "/etc/helper"; }',
  );
  const { serviceConfig: unit, preStart = "", environment } = systemd.services["assistant"]!;
  expect(environment).toMatchObject({
    MALLOC_ARENA_MAX: "2",
    MALLOC_TRIM_THRESHOLD_: "262144",
    MALLOC_MMAP_THRESHOLD_: "32768",
  });
  expect(unit).toMatchObject({
    Type: "exec",
    ExecStart: "/stub/elwood/bin/assistant",
    User: "assistant",
    StateDirectory: "assistant",
    EnvironmentFile: "-/run/agenix/assistant",
    NoNewPrivileges: true,
    ProtectSystem: "strict",
    MemoryDenyWriteExecute: false,
    SystemCallErrorNumber: "EPERM",
  });
  expect(unit["SystemCallFilter"]).toEqual(expect.arrayContaining(["@pkey", "@chown", "@mount"]));
  expect(users.users["assistant"]).toMatchObject({ isSystemUser: true, home: "/var/lib/assistant" });
  expect(preStart).toContain("cp -rT --no-preserve=mode /etc/soul '/var/lib/assistant/workspace'");
  expect(preStart).toContain("workspace/agents/helper'");
  expect(systemd.tmpfiles.rules).toEqual([]);
  const strict = evaluated('{ enable = true; cage.enable = false; stateDir = "/srv/a"; }').systemd;
  expect(strict.services["assistant"]!.serviceConfig).toMatchObject({ RestrictNamespaces: true });
  expect(strict.tmpfiles.rules).toEqual(["d /srv/a 0700 assistant assistant -"]);
  expect(JSON.parse(nix("config").text)).toEqual({});
});

test("EL-17: the configuration that it makes is one that Elwood loads, with settings before options", () => {
  const { systemd } = evaluated(
    '{ enable = true; allowedChatIds = [ "1" ]; heartbeatInterval = 5; settings = { policy.mode = "strict"; heartbeat.activeHoursEnd = 20; }; mcpServers.files = { command = "/bin/mcp"; args = [ "x" ]; }; }',
  );
  const folder = scratch();
  const file = join(folder, "config.json");
  writeFileSync(file, systemd.services["assistant"]!.environment["ELWOOD_CONFIG"]!);
  const shown = spawnSync(
    process.execPath,
    [join(ROOT, "apps/cli/bin/elwood.mjs"), "config", "show", "--json", "--config", file],
    { encoding: "utf8", env: { PATH: process.env["PATH"], ELWOOD_HOME: join(folder, "home") } },
  );
  expect(shown.status).toBe(0);
  const { values, notices } = JSON.parse(shown.stdout) as {
    values: Record<string, { value: unknown }>;
    notices: unknown[];
  };
  const valueOf = (key: string) => values[key]?.value;
  expect(notices).toEqual([]);
  expect(
    ["intervalMinutes", "activeHoursStart", "activeHoursEnd"].map((key) => valueOf(`heartbeat.${key}`)),
  ).toEqual([5, 8, 20]);
  expect(valueOf("policy.mode")).toBe("strict");
  expect([valueOf("mcpServers.files.command"), valueOf("mcpServers.files.args")]).toEqual([
    "/bin/mcp",
    ["x"],
  ]);
});

test("EL-17: an MCP server can be a service of its own, and mistakes are refused by name", () => {
  const { systemd, assertions } = evaluated(
    '{ enable = true; mcpServers.notes = { command = "/bin/notes"; args = [ "--port" "9" ]; url = "http://127.0.0.1:9/mcp"; runAsService = true; }; mcpServers.half = { command = "x"; runAsService = true; }; }',
  );
  expect(systemd.services["assistant-mcp-notes"]!.serviceConfig).toMatchObject({
    ExecStart: "'/bin/notes' '--port' '9'",
    DynamicUser: true,
  });
  expect(systemd.services["assistant"]!.environment["ELWOOD_CONFIG"]).toContain('"notes":{"url"');
  expect(assertions.filter(({ assertion }) => !assertion).map(({ message }) => message)).toEqual([
    "services.assistant.mcpServers.half: a server that runs as a service needs a command and a url.",
  ]);
  expect(nix("config", '{ enable = true; heartbeatInterval = "x"; }').text).toContain(
    "services.assistant.heartbeatInterval is not of its type",
  );
});

test("EL-17: the package fetches every dependency by its hash, and installs both names", () => {
  const { missing, example, install, version } = JSON.parse(nix("package").text) as Record<string, unknown>;
  expect(missing).toEqual([]);
  expect(example).toMatch(/\/@clack\/prompts\/-\/prompts-\d+\.\d+\.\d+\.tgz$/);
  expect(install).toContain("for name in elwood assistant");
  expect(version).toBe(
    (JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string }).version,
  );
});

test("EL-17: systemd finds the unit well-formed and little exposed", () => {
  const { systemd } = evaluated("{ enable = true; }");
  const { serviceConfig, environment } = systemd.services["assistant"]!;
  const lines = Object.entries<unknown>({
    ...serviceConfig,
    ExecStart: "/bin/true",
    WorkingDirectory: "/",
  }).map(([name, value]) => `${name}=${unitValue(value)}`);
  // Each group is a line of its own: what begins with ~ would turn the whole line around.
  const filters = (serviceConfig["SystemCallFilter"] as string[]).map((each) => `SystemCallFilter=${each}`);
  const plain = lines.filter((line) => !line.startsWith("SystemCallFilter="));
  const variables = Object.keys(environment).map((name) => `Environment=${name}=x`);
  const unit = join(scratch(), "assistant.service");
  writeFileSync(
    unit,
    ["[Unit]", "Description=x", "[Service]", ...plain, ...filters, ...variables, ""].join("\n"),
  );
  const looked = spawnSync(
    "systemd-analyze",
    ["security", "--offline=true", `--threshold=${EXPOSURE_MAX}`, unit],
    { encoding: "utf8" },
  );
  process.stdout.write(`${looked.stdout.trim().split("\n").at(-1)}\n`);
  expect([looked.status, looked.stderr]).toEqual([0, expect.not.stringContaining("Unknown")]);
});

function unitValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(String).join(" ");
  return typeof value === "boolean" ? (value ? "yes" : "no") : String(value);
}

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), "elwood-nix-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}
