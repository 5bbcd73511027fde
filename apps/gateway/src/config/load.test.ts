import { join } from "node:path";
import { RUN_LIMITS } from "@elwood/core/base/limits";
import { describe, expect, test } from "vitest";
import { loadConfig, type LoadOptions } from "./load.ts";
import { testFolder } from "../../test/config/test-folder.ts";

describe("precedence and origins", () => {
  test("EL-16: a flag goes before the environment, that before the file, that before the default", async () => {
    const f = testFolder();
    f.write("home/config.yaml", "# first line\ngateway:\n  port: 1001\n  host: 127.0.0.9\n");
    const port = async (options: Partial<LoadOptions>) => {
      const { config, origins } = await f.load(options);
      return [config.gateway.port, origins.get("gateway.port")];
    };
    expect(await port({})).toEqual([1001, "config.yaml:3"]);
    expect(await port({ env: { ELWOOD_PORT: "1002" } })).toEqual([1002, "environment ELWOOD_PORT"]);
    expect(await port({ env: { ELWOOD_PORT: "1002" }, flags: { port: "1003" } })).toEqual([
      1003,
      "flag --port",
    ]);
    const { origins } = await f.load();
    expect(origins.get("gateway.host")).toBe("config.yaml:4");
    expect(origins.get("gateway.allowedOrigins")).toBe("default");
  });

  test("EL-16: without a file every value is a default, and each leaf has an origin", async () => {
    const loaded = await testFolder().load({ systemTimeZone: "Asia/Tokyo" });
    expect(loaded.file).toBeUndefined();
    expect(loaded.config.limits).toEqual(RUN_LIMITS);
    expect(loaded.config.gateway).toEqual({
      host: "127.0.0.1",
      port: 18_789,
      allowedOrigins: [],
      allowedHosts: [],
    });
    expect(loaded.config.agents.default).toBe("assistant");
    expect(loaded.config.timeZone).toBe("Asia/Tokyo");
    expect(loaded.origins.get("timeZone")).toBe("default (the system's)");
    expect([...loaded.origins.values()].every((origin) => origin.startsWith("default"))).toBe(true);
    expect(loaded.notices).toEqual([]);
  });

  test("a group that someone touched has the same defaults as one that nobody did", async () => {
    const f = testFolder();
    const untouched = (await f.load()).config;
    f.write(
      "home/config.json",
      '{"gateway": {}, "agents": {}, "providers": {}, "limits": {}, "prices": [], "log": {}, "policy": {}, "files": {}}',
    );
    expect((await f.load()).config).toEqual(untouched);
  });

  test("an empty variable counts as not set", async () => {
    const { config } = await testFolder().load({ env: { ELWOOD_PORT: "", ELWOOD_MODEL: "" } });
    expect(config.gateway.port).toBe(18_789);
    expect(config.model).toBeUndefined();
  });

  test("of two variables for one thing ours wins, and a difference is told", async () => {
    const { config, notices } = await testFolder().load({
      env: {
        ELWOOD_PORT: "1",
        PROJ_JARVIS_PORT: "2",
        PROJ_JARVIS_TOKEN: "b".repeat(20),
        ELWOOD_TOKEN: "a".repeat(20),
      },
    });
    expect(config.gateway.port).toBe(1);
    expect(notices.map((n) => n.key)).toEqual(["PROJ_JARVIS_PORT", "PROJ_JARVIS_TOKEN"]);
  });

  test("a variable turns a switch on and off, in the words that people use, and another is refused", async () => {
    const titles = async (text: string) =>
      (await testFolder().load({ env: { ELWOOD_SESSION_TITLES: text } })).config.sessions.titles;
    for (const text of ["", "true", "On"]) expect(await titles(text)).toBe(true);
    for (const text of ["false", "OFF"]) expect(await titles(text)).toBe(false);
    await expect(titles("perhaps")).rejects.toThrow(/must be true or false/);
  });

  test("ANTHROPIC_BASE_URL sets the provider's address without disturbing its other settings", async () => {
    const f = testFolder();
    f.write("home/config.yaml", "providers:\n  anthropic:\n    headers: { x-team: home }\n");
    const { config } = await f.load({ env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:9000/" } });
    expect(config.providers["anthropic"]).toEqual({
      headers: { "x-team": "home" },
      baseUrl: "http://127.0.0.1:9000",
    });
  });

  test("a variable with a slip in its name is pointed out", async () => {
    const { notices } = await testFolder().load({ env: { ELWOOD_PROT: "1", ELWOOD_SOMETHING_ELSE: "x" } });
    expect(notices.map((n) => n.text)).toEqual([
      "ELWOOD_PROT is set, but Elwood reads no such variable. Did you mean ELWOOD_PORT?",
    ]);
  });
});

describe("where things lie", () => {
  test("EL-16: the state directory is ELWOOD_HOME, then systemd's first, then XDG's, then the usual one", async () => {
    const f = testFolder();
    const home = async (env: Record<string, string>, flags = {}) => {
      const loaded = await loadConfig({ env, flags, cwd: f.root, userHome: "/users/me" });
      if (!loaded.ok) throw new Error("did not load");
      return loaded.value.paths.home;
    };
    const env = { XDG_STATE_HOME: "/xdg", STATE_DIRECTORY: "/var/lib/a:/var/lib/b", ELWOOD_HOME: "/own" };
    expect(await home(env, { home: "here" })).toBe(join(f.root, "here"));
    expect(await home(env)).toBe("/own");
    expect(await home({ ...env, ELWOOD_HOME: "" })).toBe("/var/lib/a");
    expect(await home({ XDG_STATE_HOME: "/xdg" })).toBe("/xdg/elwood");
    expect(await home({})).toBe("/users/me/.local/state/elwood");
    expect(await home({ ELWOOD_HOME: "~/elwood" })).toBe("/users/me/elwood");
  });

  test("EL-16: the file is the one named, then the state directory's, then the one in ~/.config", async () => {
    const f = testFolder();
    const inConfig = f.write("user/.config/elwood/config.yml", "model: demo\n");
    expect((await f.load()).file).toBe(inConfig);
    const xdg = f.write("xdg/elwood/config.json", '{"model": "demo"}');
    expect((await f.load({ env: { XDG_CONFIG_HOME: join(f.root, "xdg") } })).file).toBe(xdg);
    const inHome = f.write("home/config.json", '{"model": "demo"}');
    const both = await f.load();
    expect(both.file).toBe(inHome);
    expect(both.notices.map((n) => n.text)).toEqual([`${inConfig} is not read: ${inHome} goes first.`]);
    const named = f.write("elsewhere.yaml", "model: demo\n");
    expect((await f.load({ flags: { config: "elsewhere.yaml" } })).file).toBe(named);
  });

  test("a relative workspace starts at the file that names it, on the command line where one stands", async () => {
    const f = testFolder();
    f.write("home/config.yaml", "agents:\n  workspaceDir: ./mine\n");
    expect((await f.load()).workspaceDir).toBe(join(f.root, "home", "mine"));
    expect((await f.load({ flags: { workspace: "mine" } })).workspaceDir).toBe(join(f.root, "mine"));
  });
});
