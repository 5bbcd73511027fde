import { linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeScene, OUTSIDE_SECRET, type Scene } from "./test-scene.ts";

interface Vector {
  readonly id: string;
  readonly input: string;
  readonly rule: string;
  readonly prepare?: (scene: Scene) => void;
}

const key = (scene: Scene) => {
  mkdirSync(join(scene.home, ".ssh"), { recursive: true });
  writeFileSync(join(scene.home, ".ssh/id_rsa"), OUTSIDE_SECRET);
};

/** Inputs that were used against other assistants; every one must be denied before anybody is asked. */
const VECTORS: readonly Vector[] = [
  { id: "fs-248", input: "/etc/passwd", rule: "hard.outside-scope" },
  {
    id: "fs-250",
    input: "link",
    rule: "hard.outside-scope",
    prepare: (scene) => symlinkSync("/etc/passwd", scene.path("link")),
  },
  {
    id: "fs-251",
    input: "dir/etc/passwd",
    rule: "hard.outside-scope",
    prepare: (scene) => symlinkSync("/", scene.path("dir")),
  },
  { id: "fs-253", input: "/proc/self/root/etc/passwd", rule: "hard.special-file" },
  { id: "fs-254", input: "/proc/self/environ", rule: "hard.special-file" },
  { id: "fs-255", input: "/dev/fd/3", rule: "hard.special-file" },
  {
    id: "fs-256",
    input: "notes.txt",
    rule: "hard.special-file",
    prepare: (scene) => {
      key(scene);
      linkSync(join(scene.home, ".ssh/id_rsa"), scene.path("notes.txt"));
    },
  },
  { id: "fs-257", input: "x\u0000.txt", rule: "hard.outside-scope" },
  { id: "fs-258", input: "C:\\Windows\\x", rule: "hard.outside-scope" },
  { id: "fs-261", input: "~/.state/receipts.db", rule: "hard.own-state" },
  { id: "fs-263", input: "ＦＩＬＥ/../x", rule: "hard.outside-scope" },
];

/** Other ones of the same kinds. */
const KIN: readonly Omit<Vector, "id">[] = [
  { input: "../outside/secret.txt", rule: "hard.outside-scope" },
  { input: "a/../../../outside/secret.txt", rule: "hard.outside-scope" },
  { input: "./././../../x", rule: "hard.outside-scope" },
  { input: "~root/.bashrc", rule: "hard.outside-scope" },
  { input: "~", rule: "hard.outside-scope" },
  { input: "//etc/passwd", rule: "hard.outside-scope" },
  { input: "/etc/../etc/passwd", rule: "hard.outside-scope" },
  { input: "/../../etc/passwd", rule: "hard.outside-scope" },
  { input: "file:///etc/passwd", rule: "hard.outside-scope" },
  { input: "..\\..\\etc\\passwd", rule: "hard.outside-scope" },
  { input: "\\\\server\\share\\x", rule: "hard.outside-scope" },
  { input: "c:/Windows/x", rule: "hard.outside-scope" },
  { input: "%2e%2e/%2e%2e/etc/passwd", rule: "hard.outside-scope" },
  { input: "..%2f..%2fetc/passwd", rule: "hard.outside-scope" },
  { input: "..%252f..%252fetc/passwd", rule: "hard.outside-scope" },
  { input: "．．／．．／etc/passwd", rule: "hard.outside-scope" },
  { input: "‥/etc/passwd", rule: "hard.outside-scope" },
  { input: "ﬁle.txt", rule: "hard.outside-scope" },
  { input: "notes\u202etxt.exe", rule: "hard.outside-scope" },
  { input: "SO\u200bUL.md", rule: "hard.outside-scope" },
  { input: "a\nb.txt", rule: "hard.outside-scope" },
  { input: "x\ud800.txt", rule: "hard.outside-scope" },
  { input: "notes.txt::$DATA", rule: "hard.outside-scope" },
  { input: "NUL", rule: "hard.special-file" },
  { input: "sub/com1.txt", rule: "hard.special-file" },
  { input: "/dev/null", rule: "hard.special-file" },
  { input: "/dev/stdin", rule: "hard.special-file" },
  { input: "/sys/kernel/x", rule: "hard.special-file" },
  { input: "/PROC/self/environ", rule: "hard.special-file" },
  { input: "/proc/1/root/etc/passwd", rule: "hard.special-file" },
];

const ATTEMPTS: readonly (readonly [string, (path: string) => object])[] = [
  ["read", (path) => ({ path })],
  ["list", (path) => ({ path })],
  ["search", (path) => ({ path, query: "x" })],
  ["write", (path) => ({ path, content: "x" })],
  ["edit", (path) => ({ path, oldText: "a", newText: "b" })],
  ["move", (path) => ({ from: path, to: "elsewhere.txt" })],
  ["move", (path) => ({ from: "mine.txt", to: path })],
  ["delete", (path) => ({ path })],
];

async function expectDenied(scene: Scene, input: string, rule: string): Promise<void> {
  writeFileSync(scene.path("mine.txt"), "a");
  const tools = scene.tools();
  for (const [action, call] of ATTEMPTS) {
    const facts = await tools.facts(action, call(input));
    expect(facts, `${action} ${JSON.stringify(input)}`).toContainEqual({
      kind: "deny",
      rule,
      reason: expect.any(String),
    });
    // A call that runs in spite of the fact meets the same refusal.
    await expect(tools.run(action, call(input))).rejects.toMatchObject({ name: "ToolError", code: rule });
  }
}

describe("EL-9: traversal is refused, by every file tool and before anybody is asked", () => {
  for (const { id, input, rule, prepare } of VECTORS) {
    test(`${id}: ${JSON.stringify(input)} is denied`, async () => {
      using scene = makeScene();
      prepare?.(scene);
      await expectDenied(scene, input, rule);
    });
  }

  test("other spellings of the same kinds are denied", async () => {
    using scene = makeScene();
    for (const { input, rule } of KIN) await expectDenied(scene, input, rule);
  });

  test("a folder whose name begins like a root is outside of it", async () => {
    using scene = makeScene();
    mkdirSync(`${scene.root}-evil`);
    await expectDenied(scene, `${scene.root}-evil/x`, "hard.outside-scope");
  });

  test("a link is refused wherever it leads, also into the root, and as a folder in the middle", async () => {
    using scene = makeScene();
    mkdirSync(scene.path("real"));
    writeFileSync(scene.path("real/a.txt"), "a");
    symlinkSync(scene.path("real"), scene.path("alias"));
    symlinkSync(scene.path("real/a.txt"), scene.path("file-alias"));
    symlinkSync(scene.path("nowhere"), scene.path("dangling"));
    await expectDenied(scene, "alias/a.txt", "hard.outside-scope");
    await expectDenied(scene, "file-alias", "hard.outside-scope");
    await expectDenied(scene, "dangling", "hard.outside-scope");
    await expectDenied(scene, "alias/new/deep/file.txt", "hard.outside-scope");
  });

  test("pipes and sockets are refused, and opening one never waits", async () => {
    using scene = makeScene();
    execFileSync("mkfifo", [scene.path("pipe")]);
    const server = createServer().listen(scene.path("socket"));
    await new Promise((resolve) => server.once("listening", resolve));
    try {
      await expectDenied(scene, "pipe", "hard.special-file");
      await expectDenied(scene, "socket", "hard.special-file");
    } finally {
      server.close();
    }
  });

  test("Elwood's own files are denied under any spelling, also by what lies above them", async () => {
    using scene = makeScene();
    writeFileSync(join(scene.state, "elwood.db"), "db");
    const tools = scene.tools({ roots: [{ path: scene.home, write: true }] });
    const deny = { kind: "deny", rule: "hard.own-state", reason: expect.any(String) };
    for (const path of [
      ".state/elwood.db",
      ".STATE/elwood.db",
      "~/.state",
      "work/../.state/undo",
      scene.state,
    ]) {
      expect(await tools.facts("read", { path }), path).toContainEqual(deny);
    }
    mkdirSync(join(scene.home, "outer"));
    const nested = scene.tools({
      roots: [{ path: scene.base, write: true }],
      denied: [scene.state],
    });
    expect(await nested.facts("move", { from: "home", to: "house" })).toContainEqual(deny);
    expect(await nested.facts("delete", { path: "home", recursive: true })).toContainEqual(deny);
  });

  test("the workspace inside of Elwood's own folder is open, and only that", async () => {
    using scene = makeScene();
    const workspace = join(scene.state, "workspace");
    mkdirSync(workspace);
    writeFileSync(join(workspace, "a.txt"), "a");
    writeFileSync(join(scene.state, "elwood.db"), "db");
    const tools = scene.tools({ roots: [{ path: workspace, write: true }], own: [workspace] });
    expect(await tools.facts("read", { path: "a.txt" })).toEqual([]);
    expect((await tools.facts("read", { path: join(scene.state, "elwood.db") }))[0]?.kind).toBe("deny");
    expect((await tools.facts("read", { path: "../elwood.db" }))[0]?.kind).toBe("deny");
  });

  test("a root of the owner's opens nothing of Elwood's own folder, not even through a link", async () => {
    using scene = makeScene();
    const [keys, workspace, link] = [
      join(scene.state, "keys"),
      join(scene.state, "workspace"),
      join(scene.home, "link"),
    ];
    for (const folder of [keys, workspace]) mkdirSync(folder);
    writeFileSync(join(keys, "owner-token"), "token");
    writeFileSync(join(workspace, "a.txt"), "a");
    symlinkSync(keys, link);
    const paths = [keys, link, workspace];
    const tools = scene.tools({ roots: paths.map((path) => ({ path, write: true })), own: [workspace] });
    const deny = { kind: "deny", rule: "hard.own-state", reason: expect.any(String) };
    for (const folder of [keys, link]) {
      expect(await tools.facts("read", { path: join(folder, "owner-token") }), folder).toEqual([deny]);
      expect(await tools.facts("write", { path: join(folder, "x"), content: "" }), folder).toEqual([deny]);
    }
    expect(await tools.facts("read", { path: join(workspace, "a.txt") })).toEqual([]);
  });

  test("a folder that is named twice may be changed where one of the names says so", async () => {
    using scene = makeScene();
    const link = join(scene.home, "link");
    symlinkSync(scene.root, link);
    const tools = scene.tools({
      roots: [
        { path: link, write: false },
        { path: scene.root, write: true },
      ],
    });
    expect(await tools.facts("write", { path: "a.txt", content: "a" })).toMatchObject([{ kind: "undoable" }]);
    expect(await tools.facts("write", { path: join(scene.root, "a.txt"), content: "a" })).toMatchObject([
      { kind: "undoable" },
    ]);
  });

  test("a root that was given for reading takes no change", async () => {
    using scene = makeScene();
    const tools = scene.tools({
      roots: [
        { path: scene.root, write: true },
        { path: scene.outside, write: false },
      ],
    });
    const path = join(scene.outside, "secret.txt");
    expect((await tools.run("read", { path })).text).toBe(OUTSIDE_SECRET);
    const deny = { kind: "deny", rule: "hard.read-only-root", reason: expect.any(String) };
    expect(await tools.facts("write", { path, content: "x" })).toContainEqual(deny);
    expect(await tools.facts("edit", { path, oldText: "o", newText: "x" })).toContainEqual(deny);
    expect(await tools.facts("delete", { path })).toContainEqual(deny);
    expect(await tools.facts("move", { from: path, to: "mine.txt" })).toContainEqual(deny);
    await expect(tools.run("write", { path, content: "x" })).rejects.toMatchObject({
      code: "hard.read-only-root",
    });
  });
});

describe("files that hold keys", () => {
  const SECRET = [
    ".ssh/id_rsa",
    ".ssh/config",
    ".SSH/known_hosts",
    ".gnupg/secring.gpg",
    ".aws/credentials",
    ".netrc",
    "deep/in/auth-profiles.json",
    "server.pem",
    "Server.PEM",
    "id_ed25519",
    "backup/id_rsa.bak",
    ".env",
    ".env.production",
    ".env~",
    ".env.swp",
    "prod.env",
    "prod.env.local",
    "deploy/api.env.production",
    ".git-credentials",
    ".npmrc",
    ".kube/config",
    ".config/gh/hosts.yml",
    "passwords.kdbx",
  ];
  const OPEN = [
    ".env.example",
    "environment.md",
    "id_card.txt",
    "id_rsa.pub",
    "api.env.example",
    ".aws/config",
    "env",
  ];

  test("are denied to every tool, whether they exist or not", async () => {
    using scene = makeScene();
    for (const input of SECRET) await expectDenied(scene, input, "hard.secret-file");
  });

  test("are told from files that only sound like them", async () => {
    using scene = makeScene();
    const tools = scene.tools();
    for (const path of OPEN) expect(await tools.facts("read", { path }), path).toEqual([]);
  });

  test("are neither searched nor moved along with the folder around them", async () => {
    using scene = makeScene();
    mkdirSync(scene.path(".aws"));
    writeFileSync(scene.path(".aws/credentials"), "needle");
    const tools = scene.tools();
    const found = await tools.run("search", { query: "needle", hidden: true });
    expect(found.value).toMatchObject({ matches: [] });
    const listed = await tools.run("list", { hidden: true, depth: 3 });
    expect(listed.text).toContain(".aws/credentials (protected)");
    const deny = { kind: "deny", rule: "hard.secret-file", reason: expect.any(String) };
    expect(await tools.facts("move", { from: ".aws", to: "cloud" })).toContainEqual(deny);
    expect(await tools.facts("delete", { path: ".aws", recursive: true })).toContainEqual(deny);
    await expect(tools.run("move", { from: ".aws", to: "cloud" })).rejects.toMatchObject({
      code: "hard.secret-file",
    });
  });
});

describe("files that usually hold keys", () => {
  /** Some of every kind, as people have them. */
  const KEYS = [
    "server.key",
    "tls/Server.KEY",
    "server.key.bak",
    ".server.key.swp",
    "AuthKey_ABC123.p8",
    "host.keytab",
    "office.ovpn",
    "private_key.txt",
    "jwt-secret-key",
    ".env-production",
    ".env_backup",
    ".env2",
    "repo/.git/config",
    ".config/git/credentials",
    "profile/Cookies",
    "cookies.txt",
    ".mozilla/firefox/abc.default/storage.sqlite",
    ".config/google-chrome/Default/Local Storage/leveldb/1.log",
    "Library/Application Support/Google/Chrome/Default/History",
    ".local/share/keyrings/login.keyring",
    "login.keychain-db",
    "kdewallet.kwl",
    "terraform.tfstate",
    "terraform.tfstate.backup",
    "prod.tfvars",
    "service-account.json",
    "my-project-service_account-prod.json",
    "my-project-0123456789ab.json",
    "client_secret_123.apps.googleusercontent.com.json",
    "credentials.json",
    "app-secrets.yaml",
    ".claude/.credentials.json",
    ".codex/auth.json",
    ".m2/settings.xml",
    ".gradle/gradle.properties",
    "filezilla/sitemanager.xml",
    "wp-config.php",
    "etc/shadow",
    "wallet.dat",
    ".electrum/wallets/default_wallet",
    "recovery-codes.txt",
    "Bitwarden_export_20260101.csv",
    ".bash_history",
    ".zsh_history",
    ".python_history",
    ".local/share/fish/fish_history",
    ".viminfo",
    ".dockercfg",
    ".s3cfg",
    ".vault_pass",
    "wpa_supplicant.conf",
    "NetworkManager/system-connections/home.nmconnection",
    "kubeconfig",
    "prod.kubeconfig",
    "token.json",
    "talk.key",
  ];
  const ORDINARY = [
    "keyboard.md",
    "monkey.txt",
    "history.md",
    "cookies.md",
    "tokens.md",
    "design-tokens.json",
    "package.json",
    "src/config.ts",
    "git/config",
    "settings.xml",
    "environment.yml",
    ".environment.md",
    "credentials.example.json",
    "prod.tfvars.example",
    "secret-santa.md",
    "passwords.md",
    "wallet.md",
    "public.pub",
    "keys.ts",
  ];
  const ask = { kind: "ask", rule: "ask.key-file", reason: expect.any(String) };

  test.each(KEYS)("ask before they are opened, changed or moved: %s", async (path) => {
    using scene = makeScene();
    const tools = scene.tools();
    for (const each of [path, `./x/../${path}`, path.toUpperCase(), `${scene.root}/${path}`]) {
      if (each.startsWith("./x")) mkdirSync(scene.path("x"), { recursive: true });
      expect(await tools.facts("read", { path: each }), each).toEqual([ask]);
    }
    expect(await tools.facts("search", { path, query: "x" })).toContainEqual(ask);
    expect(await tools.facts("write", { path, content: "x" })).toContainEqual(ask);
    expect(await tools.facts("edit", { path, oldText: "a", newText: "b" })).toContainEqual(ask);
    expect(await tools.facts("move", { from: path, to: "plain.txt" })).toContainEqual(ask);
  });

  test.each(ORDINARY)("are told from files that only sound like them: %s", async (path) => {
    using scene = makeScene();
    expect(await scene.tools().facts("read", { path })).toEqual([]);
  });

  test("are listed by name, and not searched with the folder around them", async () => {
    using scene = makeScene();
    mkdirSync(scene.path(".bitcoin"));
    for (const path of ["server.key", "notes.txt", ".bitcoin/peers"])
      writeFileSync(scene.path(path), "needle");
    const tools = scene.tools();
    expect((await tools.run("list", {})).text).toContain("server.key");
    expect(await tools.facts("list", { path: ".bitcoin" })).toEqual([]);
    const found = await tools.run("search", { query: "needle", hidden: true });
    expect(found.value).toMatchObject({ matches: [{ path: "notes.txt" }], filesSearched: 1 });
    // Allowed for the folder itself, its files are searched.
    const inside = await tools.run("search", { query: "needle", path: ".bitcoin" });
    expect(inside.value).toMatchObject({ matches: [{ path: ".bitcoin/peers" }] });
  });

  test("do not lose their name with a folder that is moved, unless somebody is asked", async () => {
    using scene = makeScene();
    mkdirSync(scene.path(".config/op"), { recursive: true });
    mkdirSync(scene.path("certs"));
    writeFileSync(scene.path(".config/op/config"), "x");
    writeFileSync(scene.path("certs/server.key"), "x");
    const tools = scene.tools();
    expect(await tools.facts("move", { from: ".config", to: "settings" })).toContainEqual(ask);
    expect(await tools.facts("move", { from: "certs", to: "old-certs" })).not.toContainEqual(ask);
  });
});

describe("what makes an agent what it is", () => {
  const AGENT = [
    "SOUL.md",
    "soul.MD",
    "./sub/../AGENTS.md",
    "TOOLS.md",
    "HEARTBEAT.md",
    "Heartbeat.md",
    "skills/mail.md",
    "Skills/deep/x.md",
    "tools/new.ts",
    "agents/anna/SOUL.md",
    "agents/anna/tools/x.ts",
    "project/AGENTS.md",
  ];

  test("always asks before it changes, by any spelling, and may be read", async () => {
    using scene = makeScene();
    mkdirSync(scene.path("sub"));
    writeFileSync(scene.path("mine.txt"), "x");
    const tools = scene.tools();
    const ask = { kind: "ask", rule: "ask.agent-file", reason: expect.any(String) };
    for (const path of [...AGENT, ...AGENT.map((name) => `${scene.root}/${name}`)]) {
      expect(await tools.facts("write", { path, content: "x" }), path).toEqual([ask]);
      expect(await tools.facts("edit", { path, oldText: "a", newText: "b" }), path).toEqual([ask]);
      expect(await tools.facts("move", { from: "mine.txt", to: path }), path).toContainEqual(ask);
      expect(await tools.facts("delete", { path }), path).toContainEqual(ask);
      expect(await tools.facts("read", { path }), path).toEqual([]);
    }
    for (const path of ["notes.md", "project/tools/build.ts", "soulful.md", "skills.md"]) {
      expect(await tools.facts("write", { path, content: "x" }), path).toMatchObject([{ kind: "undoable" }]);
    }
  });

  test("asks when a folder is moved that holds such a file, or that becomes one", async () => {
    using scene = makeScene();
    mkdirSync(scene.path("plain/tools"), { recursive: true });
    writeFileSync(scene.path("plain/tools/x.ts"), "x");
    mkdirSync(scene.path("bundle"));
    writeFileSync(scene.path("bundle/Soul.md"), "x");
    const tools = scene.tools();
    const ask = { kind: "ask", rule: "ask.agent-file", reason: expect.any(String) };
    expect(await tools.facts("move", { from: "bundle", to: "other" })).toContainEqual(ask);
    expect(await tools.facts("move", { from: "plain", to: "agents/eve" })).toContainEqual(ask);
    expect(await tools.facts("move", { from: "plain/tools", to: "tools" })).toContainEqual(ask);
    expect(await tools.facts("move", { from: "plain", to: "other" })).toMatchObject([{ kind: "undoable" }]);
  });
});
