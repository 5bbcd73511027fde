import { LIMITS } from "@elwood/core/base/limits";
import { describe, expect, test } from "vitest";
import { loadConfig } from "./load.ts";
import { testFolder } from "../../test/config/test-folder.ts";

async function problemsOf(text: string, file = "config.yaml"): Promise<string[]> {
  const f = testFolder();
  f.write(`home/${file}`, text);
  return f.problems();
}

describe("wrong values and unknown keys", () => {
  test("EL-16: a wrong value is told with file, line, key, what was meant, what was found, and a guess", async () => {
    const lines = [
      "{",
      ...Array.from({ length: 11 }, () => ""),
      ' "heartbeat": {',
      '  "interval_minutes": "30m"',
      " }",
      "}",
    ];
    expect(await problemsOf(lines.join("\n"), "config.json")).toEqual([
      'config.json:14 `heartbeat.interval_minutes` must be a whole number from 0 to 10080, found "30m". Did you mean 30?',
    ]);
  });

  test("EL-16: a problem also carries file, line, column and key for programs", async () => {
    const f = testFolder();
    const file = f.write("home/config.yaml", "gateway:\n    port: -1\n");
    const result = await loadConfig({ env: { ELWOOD_HOME: `${f.root}/home` }, cwd: f.root });
    expect(result.ok ? [] : result.error).toEqual([
      expect.objectContaining({ file, line: 2, column: 5, key: "gateway.port" }),
    ]);
  });

  test.each([
    ["modle: demo", "`modle` is not a setting that Elwood knows. Did you mean `model`?"],
    ["port: 1", "`port` is not a setting that Elwood knows. Did you mean `gateway.port`?"],
    ["gateway: {prot: 1}", "`gateway.prot` is not a setting that Elwood knows. Did you mean `gateway.port`?"],
    [
      "gateway: {allowed_origins: []}",
      "`gateway.allowed_origins` is not a setting that Elwood knows. Did you mean `gateway.allowedOrigins`?",
    ],
    [
      "heartbeat: {interval_minuts: 3}",
      "`heartbeat.interval_minuts` is not a setting that Elwood knows. Did you mean `heartbeat.interval_minutes`?",
    ],
    ["zzzzzz: 1", "`zzzzzz` is not a setting that Elwood knows. Remove it."],
    ["__proto__: {a: 1}", "`__proto__` is not a setting that Elwood knows."],
    [
      "timeZone: Berlin",
      '`timeZone` must be the name of a time zone, for example Europe/Berlin, found "Berlin". Did you mean "Europe/Berlin"?',
    ],
    [
      "timeZone: Europe/Belrin",
      '`timeZone` must be the name of a time zone, for example Europe/Berlin, found "Europe/Belrin". Did you mean "Europe/Berlin"?',
    ],
    [
      "log: {level: inof}",
      '`log.level` must be one of "error", "warn", "info", "debug", found "inof". Did you mean "info"?',
    ],
    ["memory: {enabled: yes}", '`memory.enabled` must be true or false, found "yes". Did you mean true?'],
    [
      'gateway: {port: "18,789"}',
      '`gateway.port` must be a whole number from 0 to 65535, found "18,789". Did you mean 18789?',
    ],
    ["gateway: {port: 99999}", "`gateway.port` must be a whole number from 0 to 65535, found 99999."],
    [
      "gateway: {allowedHosts: home.example}",
      '`gateway.allowedHosts` must be a list of host names, for example [home.example], found "home.example". Did you mean ["home.example"]?',
    ],
    [
      "gateway: {allowedOrigins: [https://a.example/x]}",
      "`gateway.allowedOrigins[0]` must be an origin such as https://home.example",
    ],
    ["limits: {costUsd: 0}", "`limits.costUsd` must be a number above 0, found 0."],
    ["limits: [1]", "`limits` must be a group of settings, found a list."],
    ["model: llama", '`model` cannot be used: "llama" does not say which provider it belongs to.'],
    [
      "model: {a: 1}",
      "`model` must be a model as provider/model, for example anthropic/claude-sonnet-5-5, found a group of settings.",
    ],
    ["prices: [{match: x, input: 1}]", "`prices[0]` lacks `output`, which must be a number ≥ 0."],
    ["providers: {my-llm: {api: chat}}", "`providers.my-llm` lacks `baseUrl`, which must be an address"],
    ["providers: {My LLM: {baseUrl: 'http://x'}}", "`providers.My LLM` is not usable as a name"],
    [
      "providers: {x: {baseUrl: 'ftp://x'}}",
      '`providers.x.baseUrl` must be an address that starts with http:// or https://, found "ftp://x".',
    ],
    [
      "permissions: {tool_policy: {bash: maybe}}",
      '`permissions.tool_policy.bash` must be one of "allow", "ask", "deny", found "maybe".',
    ],
    [
      "permissions: {dangerous_patterns: ['(']}",
      "`permissions.dangerous_patterns[0]` must be a regular expression",
    ],
    [
      "cron: [{name: a, expression: x, mesage: y}]",
      "`cron[0].mesage` is not a setting that Elwood knows. Did you mean `cron[0].message`?",
    ],
    [
      'cron: [{name: News, schedule: "0 9 * * *", message: a}, {name: " news", schedule: "0 10 * * *", message: b}]',
      '`cron[1].name` cannot be used: `cron[0]` is called "News" too, and a job is known by its name. Choose another name for one of them.',
    ],
    [
      'cron: [{name: Heartbeat, schedule: "0 9 * * *", message: a}]',
      '`cron[0].name` cannot be used: Elwood\'s own job is called "heartbeat". Choose another name.',
    ],
    ["version: 2", '`version` must be "1.0", found 2.'],
  ])("EL-16: %s is told in words", async (text, sentence) => {
    const problems = await problemsOf(text);
    expect(
      problems.some((problem) => problem.startsWith(`config.yaml:1 ${sentence}`)),
      problems.join("\n"),
    ).toBe(true);
  });

  test("EL-16: all problems are told at once, in the order of the file, those from outside first", async () => {
    const f = testFolder();
    f.write(
      "home/config.yaml",
      "log:\n  level: loud\nmodle: x\ngateway:\n  port: many\nproviders:\n  a: {}\n",
    );
    const problems = await f.problems({ env: { ELWOOD_PORT: "many" }, flags: { "log-format": "xml" } });
    expect(problems.map((text) => text.split(" ").slice(0, 2).join(" "))).toEqual([
      "--log-format (`log.format`)",
      "ELWOOD_PORT (`gateway.port`)",
      "config.yaml:2 `log.level`",
      "config.yaml:3 `modle`",
      "config.yaml:5 `gateway.port`",
      "config.yaml:7 `providers.a`",
    ]);
  });

  test("two dialects' names for one setting are refused, since either could be meant", async () => {
    expect(await problemsOf("compaction_model: claude-a\ncompactionModel: claude-b\n")).toEqual([
      "config.yaml:2 `compactionModel` and `compaction_model` on line 1 set the same thing. Keep one of the two.",
    ]);
  });

  test("a secret in a wrong place or of a wrong kind is never repeated", async () => {
    const key = "sk-ant-api03-canarycanarycanarycanary";
    const problems = await problemsOf(
      [
        `model: ${key}`,
        `${key}: 1`,
        "telegram: {token: [canary-in-list]}",
        "connections: {a: {token: {x: canary-in-group}}}",
        "providers: {b: {baseUrl: 'http://me:canary-password@host/'}}",
        `gateway: {host: 5, port: ${key}}`,
      ].join("\n"),
    );
    expect(problems.length).toBeGreaterThanOrEqual(6);
    expect(problems.join("\n")).not.toContain("canary");
  });

  test("an id that is too long for a number is asked for in quotes, since its last digits are lost", async () => {
    expect(await problemsOf("discord:\n  approverIds: [123456789012345678]\n")).toEqual([
      "config.yaml:2 `discord.approverIds[0]` cannot be used: It has too many digits for a number, and the last of them are lost. Write it in quotes.",
    ]);
    expect(await problemsOf('discord:\n  approverIds: ["123456789012345678"]\n')).toEqual([]);
    expect(await problemsOf("telegram:\n  approverIds: [123456789]\n")).toEqual([]);
  });

  test("a group whose settings are all commented out is an empty group", async () => {
    expect(await problemsOf("gateway:\n  # port: 1\ntelegram:\n")).toEqual([]);
  });
});

describe("files that cannot be read", () => {
  test.each([
    ["a tab", "gateway:\n\tport: 1\n", "config.yaml:2 is indented with a tab. Use spaces."],
    [
      "a second key",
      "model: demo\nmodel: demo\n",
      "config.yaml:2 has the key `model` a second time. Keep one of the two.",
    ],
    [
      "a crooked line",
      "gateway:\n  port: 1\n host: x\n",
      "config.yaml:3 does not line up with the lines above it. Keys of one group start in the same column.",
    ],
    [
      "an open bracket",
      "a: [1, 2\nb: 3\n",
      "config.yaml:2 comes before the end of a list or group: an opening [ or { on a line before has no partner.",
    ],
    [
      "an open quote",
      'model: "demo\n',
      'config.yaml:2 misses a closing quote or bracket, or a colon or comma, here or on a line before. Look for " or ] or }.',
    ],
    [
      "two colons",
      "model: a: b\n",
      'config.yaml:1 has two colons in one line. Put quotes around a value that holds a colon: key: "a: b".',
    ],
    ["a list", "- a\n- b\n", "config.yaml:1 must hold settings as `key: value` lines, but it holds none."],
    ["an alias to nowhere", "model: *gone\n", "config.yaml:1 `*gone` points to an anchor that is not there."],
    ["an endless alias", "model: &a [*a]\n", "config.yaml:1 is nested too deeply or holds too many values."],
    [
      "two documents",
      "model: demo\n---\nmodel: demo\n",
      "config.yaml:2 starts a second document (---). Only one is read; remove this line.",
    ],
  ])("EL-16: %s is told with its line in a plain sentence", async (_name, text, sentence) => {
    expect(await problemsOf(text)).toEqual([sentence]);
  });

  test("a missing comma in JSON is told with its line", async () => {
    expect(await problemsOf('{\n  "model": "demo"\n  "log": {}\n}\n', "config.json")).toEqual([
      expect.stringMatching(/^config\.json:[23] misses a (comma|closing quote)/),
    ]);
  });

  test("a file that is far too large, or not text, is refused unread", async () => {
    expect(await problemsOf(`# ${"x".repeat(LIMITS.configFileBytesMax)}`)).toEqual([
      "config.yaml is 257 KB. A configuration has at most 256 KB, so this is likely another file.",
    ]);
    const f = testFolder();
    f.write("home/config.yaml", new Uint8Array([0xff, 0xfe, 0x00, 0x41]));
    expect(await f.problems()).toEqual(["config.yaml is not text in UTF-8."]);
  });

  test("aliases that unfold into millions of values are stopped", async () => {
    const bomb = ["a0: &a0 [x,x,x,x,x,x,x,x,x,x]"];
    for (let i = 1; i < 9; i++) bomb.push(`a${i}: &a${i} [${`*a${i - 1},`.repeat(10)}]`);
    expect(await problemsOf(bomb.join("\n"))).toEqual([expect.stringContaining("too many values")]);
  });

  test("a file that was named and is not there is told with what to do", async () => {
    const f = testFolder();
    expect(await f.problems({ flags: { config: "gone.yaml" } })).toEqual([
      `--config names ${f.root}/gone.yaml, which does not exist. Without it Elwood uses, or makes, ${f.root}/home/config.yaml.`,
    ]);
  });
});
