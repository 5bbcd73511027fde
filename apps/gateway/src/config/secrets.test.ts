import { join } from "node:path";
import { expect, test } from "vitest";
import { testFolder } from "../../test/config/test-folder.ts";

test("EL-16: a secret comes from its variable, from the file NAME_FILE names, or from systemd, newline trimmed", async () => {
  const f = testFolder();
  f.write("key.txt", "from-file-canary-1\n");
  f.write("credentials/OPENAI_API_KEY", "from-systemd-canary-2\r\n");
  f.write("credentials/elwood_token", "from-systemd-canary-3-long");
  const { secrets } = await f.load({
    env: {
      ANTHROPIC_API_KEY_FILE: "key.txt",
      CREDENTIALS_DIRECTORY: join(f.root, "credentials"),
      ANTHROPIC_OAUTH_TOKEN: "from-variable-canary-4",
    },
  });
  const shown = [...secrets.values()].map(({ name, value, source }) => [name, value, source]);
  expect(shown).toEqual([
    ["ELWOOD_TOKEN", "from-systemd-canary-3-long", "systemd credential elwood_token"],
    ["ANTHROPIC_OAUTH_TOKEN", "from-variable-canary-4", "environment ANTHROPIC_OAUTH_TOKEN"],
    ["ANTHROPIC_API_KEY", "from-file-canary-1", `file ${join(f.root, "key.txt")} (ANTHROPIC_API_KEY_FILE)`],
    ["OPENAI_API_KEY", "from-systemd-canary-2", "systemd credential OPENAI_API_KEY"],
  ]);
});

test.each([
  ["ELWOOD_PORT=1\nELWOOD_TOKEN=env-canary-1-long-enough\n", "env-canary-1-long-enough"],
  ['export ELWOOD_TOKEN="env-canary-2-long-enough"\r\n', "env-canary-2-long-enough"],
  ["ELWOOD_TOKEN=old-canary\n  ELWOOD_TOKEN='env-canary-3-long-enough'\n", "env-canary-3-long-enough"],
  ["#ELWOOD_TOKEN=off\nELWOOD_TOKEN_FILE=/x\nELWOOD_TOKEN=env-canary=4=enough\n", "env-canary=4=enough"],
])("a file of a service's environment gives the secret of that name: %j", async (text, value) => {
  const f = testFolder();
  f.write("elwood.env", text);
  const { secrets } = await f.load({ env: { ELWOOD_TOKEN_FILE: "elwood.env" } });
  expect(secrets.get("ELWOOD_TOKEN")?.value).toBe(value);
});

test("a provider of the owner's own has its key in <NAME>_API_KEY", async () => {
  const f = testFolder();
  f.write("home/config.yaml", "providers:\n  my-llm:\n    baseUrl: https://llm.example/v1\n");
  const { secrets } = await f.load({ env: { MY_LLM_API_KEY: "own-canary-5" } });
  expect(secrets.get("MY_LLM_API_KEY")?.value).toBe("own-canary-5");
});

test("a header is filled from a secret that lies in a file", async () => {
  const f = testFolder();
  f.write("key.txt", "header-canary-6\n");
  f.write(
    "home/config.yaml",
    "providers:\n  my-llm:\n    baseUrl: https://llm.example/v1\n    headers: { authorization: 'Bearer ${OPENAI_API_KEY}' }\n",
  );
  const { config, secretValues } = await f.load({ env: { OPENAI_API_KEY_FILE: "key.txt" } });
  expect(config.providers["my-llm"]?.headers).toEqual({ authorization: "Bearer header-canary-6" });
  expect(secretValues).toContain("header-canary-6");
});

test("`${NAME}` outside of secrets stays as it is written", async () => {
  const f = testFolder();
  f.write("home/config.yaml", "agents:\n  workspaceDir: /srv/${USER}\n");
  expect((await f.load({ env: { USER: "me" } })).workspaceDir).toBe("/srv/${USER}");
});

test("an open file with a secret in it, and a token short enough to guess, earn a warning", async () => {
  const f = testFolder();
  f.write("home/config.yaml", "telegram:\n  token: 'literal-canary-7'\n", 0o644);
  const { notices } = await f.load({ env: { ELWOOD_TOKEN: "short" } });
  const warnings = notices.filter((n) => n.kind === "warning").map((n) => n.text);
  expect(warnings).toHaveLength(2);
  expect(warnings[0]).toContain("short enough to be guessed");
  expect(warnings[1]).toContain("chmod 600");
});

test("EL-16: BRAVE_SEARCH_API_KEY and TELEGRAM_BOT_TOKEN are taken", async () => {
  const env = { TELEGRAM_BOT_TOKEN: "telegram-canary-8", BRAVE_SEARCH_API_KEY: "brave-canary-9" };
  const { notices, secrets } = await testFolder().load({ env });
  expect(notices).toEqual([]);
  expect([...secrets.keys()].toSorted()).toEqual(["BRAVE_SEARCH_API_KEY", "TELEGRAM_BOT_TOKEN"]);
  expect(JSON.stringify(notices)).not.toContain("canary");
});

test("EL-16: a secret that cannot be read is a problem that names the variable and never its content", async () => {
  const f = testFolder();
  f.write("two-lines", "canary-first\ncanary-second\n");
  f.write("empty", "\n");
  f.write("large", "canary-large-".repeat(2_000));
  const problems = await f.problems({
    env: {
      ELWOOD_TOKEN_FILE: "nowhere",
      ANTHROPIC_API_KEY_FILE: "two-lines",
      ANTHROPIC_OAUTH_TOKEN_FILE: "empty",
      OPENAI_API_KEY_FILE: "large",
      TELEGRAM_BOT_TOKEN_FILE: ".",
      BRAVE_SEARCH_API_KEY: "canary with spaces",
    },
  });
  expect(problems).toEqual([
    `ELWOOD_TOKEN_FILE names ${join(f.root, "nowhere")}, which does not exist.`,
    `ANTHROPIC_OAUTH_TOKEN is empty (file ${join(f.root, "empty")} (ANTHROPIC_OAUTH_TOKEN_FILE)).`,
    expect.stringMatching(/^ANTHROPIC_API_KEY \(file .*\) holds spaces, line breaks/),
    `OPENAI_API_KEY_FILE names ${join(f.root, "large")}, which is too large to be a key.`,
    `TELEGRAM_BOT_TOKEN_FILE names ${f.root}, which is a folder.`,
    expect.stringMatching(/^BRAVE_SEARCH_API_KEY \(environment/),
  ]);
  expect(problems.join()).not.toContain("canary");
});

test("a variable that a header needs and nobody set is a problem with its line", async () => {
  const f = testFolder();
  f.write("home/config.yaml", "providers:\n  openai:\n    headers:\n      x-key: ${MISSING_ONE}\n");
  expect(await f.problems()).toEqual([
    "config.yaml:4 `providers.openai.headers.x-key` reads the variable MISSING_ONE, which is not set.",
  ]);
});
