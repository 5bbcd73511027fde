import { spawn, spawnSync } from "node:child_process";
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { makeCageFinder } from "./cage.ts";
import { SHELL_LIMITS } from "./limits.ts";
import { CAGE, makeScene, STATE_SECRET, type Scene } from "./test-scene.ts";

/** A command with every means that a shell gives it; the owner has said yes to it. */
const hostile = (script: string) => ({ argv: ["bash", "-c", script] });

/** What it tries, and what it must not find. */
async function attack(scene: Scene, script: string, options: object = {}) {
  return scene.tool(options).run(hostile(script));
}

describe.runIf(CAGE.ok)("in the cage a hostile command", () => {
  test("finds neither the state folder nor the token in it, by any way to it", async () => {
    using scene = makeScene();
    const token = join(scene.state, "owner-token");
    // Written so that the text itself names no place of Elwood's.
    const { output } = await attack(
      scene,
      `S="$(dirname "$PWD")"; echo "at $S"; cat "$S/owner-token" ../owner-to''ken; ls -la ..; cat /proc/*/root"$S/owner-token";
       cat /proc/*/cwd/../owner-token; ln -s "$S/owner-token" here; cat here; find / -maxdepth 5 -name owner-token -not -path '/proc/*' 2>/dev/null;
       grep -rs state-sec''ret "$S" "$(dirname "$S")"; cd "$S" && cat *`,
    );
    expect(output).toContain(`at ${scene.state}`);
    expect(output).not.toContain(STATE_SECRET);
    expect(readFileSync(token, "utf8")).toBe(STATE_SECRET);
  });

  test("finds the state folder empty where it lies inside of the working root", async () => {
    using scene = makeScene();
    const root = scene.base;
    writeFileSync(join(root, "config.yaml"), STATE_SECRET);
    const denied = [scene.state, join(root, "config.yaml")];
    const { output } = await attack(
      scene,
      "cat sta*/owner-token con*.yaml; find . -name owner-token; cd sta* && ls -A && touch x",
      {
        root,
        denied,
      },
    );
    expect(output).not.toContain(STATE_SECRET);
    expect(output).toContain("Read-only file system");
    expect(existsSync(join(scene.state, "x"))).toBe(false);
  });

  test("cannot move the state folder or the configuration away by what they lie in", async () => {
    using scene = makeScene();
    const root = join(scene.base, "home");
    const state = join(root, ".local/state/elwood");
    const config = join(root, ".config/elwood/config.yaml");
    for (const folder of [state, dirname(config)]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(state, "owner-token"), STATE_SECRET);
    writeFileSync(config, "the owner's rules");
    writeFileSync(join(root, ".config/other"), "not Elwood's");
    const tool = scene.tool({ root, denied: [state, config] });
    const { output } = await tool.run(
      hostile(
        `for each in .local .local/state .config .config/el*; do mv "$each" moved || rm -rf "$each"; done
         mkdir -p .config/el''wood; echo mine > .config/el''wood/config.yaml; mv .config/other .config/more`,
      ),
    );
    expect(output).toContain("Device or resource busy");
    expect(readFileSync(join(state, "owner-token"), "utf8")).toBe(STATE_SECRET);
    expect(readFileSync(config, "utf8")).toBe("the owner's rules");
    expect(existsSync(join(root, "moved/state/elwood/owner-token"))).toBe(false);
  });

  test("runs where the configuration lies in the state folder, and that in the working root", async () => {
    using scene = makeScene();
    const config = join(scene.state, "config.yaml");
    writeFileSync(config, STATE_SECRET);
    const tool = scene.tool({ root: scene.base, denied: [scene.state, config] });
    expect((await tool.run({ argv: ["ls"] })).exitCode).toBe(0);
    // A root inside of the state folder shows itself, and of Elwood's nothing that lies in it.
    const inside = join(scene.root, "rules.yaml");
    writeFileSync(inside, STATE_SECRET);
    const { output } = await scene.tool({ denied: [scene.state, inside] }).run(hostile("cat ru*.yaml"));
    expect(output).not.toContain(STATE_SECRET);
  });

  test("is not started when Elwood's folder is not where it was", async () => {
    using scene = makeScene();
    const tool = scene.tool({ denied: [scene.state, join(scene.base, "gone")] });
    await expect(tool.run({ argv: ["ls"] })).rejects.toMatchObject({ code: "own-state-moved" });
  });

  test("sees no environment but the one that was built for it", async () => {
    using scene = makeScene();
    process.env["ELWOOD_CANARY"] = STATE_SECRET;
    try {
      const { output } = await attack(scene, "env; cat /proc/*/environ | tr '\\0' '\\n'");
      expect(output).not.toContain(STATE_SECRET);
      const names = [...new Set(output.match(/^[A-Za-z_]+(?==)/gm))].sort();
      expect(names).toEqual(
        ["HOME", "LANG", "LC_ALL", "LOGNAME", "OLDPWD", "PATH", "PWD", "SHLVL", "TERM", "USER", "_"].filter(
          (name) => names.includes(name),
        ),
      );
      expect(output).toContain("HOME=/tmp");
    } finally {
      delete process.env["ELWOOD_CANARY"];
    }
  });

  test("gets the names that the owner let through, and what looks unasked does not", async () => {
    using scene = makeScene();
    const options = {
      envNames: ["DEPLOY_STAGE", "LD_PRELOAD"],
      environment: { DEPLOY_STAGE: "blue", LD_PRELOAD: "/x.so", OTHER: "o" },
    };
    expect((await attack(scene, "echo $DEPLOY_STAGE$LD_PRELOAD$OTHER", options)).output).toBe("blue\n");
    const tool = scene.tool({ ...options, safeCommands: ["printenv DEPLOY_STAGE"] });
    const given = { ...hostile("echo $DEPLOY_STAGE"), env: { DEPLOY_STAGE: "green" } };
    expect((await tool.run(given)).output).toBe("green\n");
    expect((await tool.run({ argv: ["printenv", "DEPLOY_STAGE"] })).exitCode).toBe(1);
    await expect(tool.run({ ...hostile("id"), env: { LD_PRELOAD: "x" } })).rejects.toMatchObject({
      code: "hard.environment",
    });
  });

  test("reaches neither the network nor the gateway on this machine", async () => {
    using scene = makeScene();
    let reached = 0;
    const gateway = createServer((_, response) => {
      reached += 1;
      response.end("in");
    });
    await new Promise<void>((resolve) => gateway.listen(0, "127.0.0.1", resolve));
    const { port } = gateway.address() as AddressInfo;
    try {
      const script = `exec 3<>/dev/tcp/127.0.0.1/${port} && echo REACHED; (exec 3<>/dev/tcp/1.1.1.1/80) && echo OUT; cat /proc/net/dev`;
      const { output } = await attack(scene, script);
      expect(output).not.toMatch(/REACHED|OUT|eth|ens/);
      expect(reached).toBe(0);
      const open = await scene
        .tool()
        .run({ ...hostile(`exec 3<>/dev/tcp/127.0.0.1/${port} && echo REACHED`), network: true });
      expect(open.output).toContain("REACHED");
    } finally {
      gateway.close();
    }
  });

  test("inherits no file that is open in the gateway, nor one that was left open to it", async () => {
    using scene = makeScene();
    const child = join(dirname(fileURLToPath(import.meta.url)), "test-other-user.ts");
    const left = openSync(join(scene.state, "owner-token"), "r");
    const script = "cat <&20; for f in /proc/$$/fd/*; do readlink $f; done";
    const closed = Array.from({ length: 17 }, () => "ignore" as const);
    const { stdout } = spawnSync(process.execPath, [child, scene.root, scene.state, script], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe", ...closed, left],
    });
    closeSync(left);
    expect(stdout).not.toContain(STATE_SECRET);
    expect(stdout).toContain("/dev/null");
    expect(stdout).not.toMatch(/owner-token|pipe:/);
  });

  const KEY_CALLS: Readonly<Record<string, readonly [add: number, keyctl: number]>> = {
    x64: [248, 250],
    arm64: [217, 219],
  };
  const calls = KEY_CALLS[process.arch];
  test.runIf(calls !== undefined && existsSync("/usr/bin/perl"))(
    "reaches no keyring of the session that the gateway was started in, and other calls pass",
    async () => {
      using scene = makeScene();
      const [add, keyctl] = calls!;
      // keyctl(KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING), then a key of its own in the user's keyring.
      const script = `perl -e '
        for my $spec (-3, -4, -5) { my $r = syscall(${keyctl}, 0, $spec, 0); print "keyring $spec: ", ($r < 0 ? "refused: $!" : "REACHED"), "\n"; }
        my ($type, $name, $text) = ("user", "elwood-test", "x");
        my $key = syscall(${add}, $type, $name, $text, 1, -4); print "key: ", ($key < 0 ? "refused: $!" : "ADDED"), "\n";'; echo still here`;
      const { output } = await attack(scene, script);
      expect(output).not.toMatch(/REACHED|ADDED/);
      expect(output.match(/refused: Operation not permitted/g)).toHaveLength(4);
      expect(output).toContain("still here");
    },
  );

  test("that runs unasked gets little memory, and its end is known whatever it does", async () => {
    using scene = makeScene();
    const tool = scene.tool({ safeCommands: ["printf", "seq", "date", "yes", "cat"] });
    const wide = { argv: ["printf", "%399999999d", "1"], timeoutMs: 60_000 };
    expect(await tool.verdict(wide)).toBe("allow");
    const ran = await tool.run(wide);
    expect(ran.exitCode).not.toBe(0);
    expect(ran.bytes).toBeLessThan(1_000);
    for (const argv of [["yes"], ["seq", "1", "999999999999"], ["date", "+%999999999d"]]) {
      await expect(tool.run({ argv, timeoutMs: 300 })).rejects.toMatchObject({
        code: "ended",
        message: expect.stringContaining("It could change nothing.") as string,
      });
    }
    // What the owner allowed has what the machine has.
    const big = await tool.run(
      hostile("perl -e 'my $x = \"a\" x 400000000; print length($x)' || echo too much"),
    );
    expect(big.output).toBe("400000000");
  });

  test("waits while as many as may run at once are running, and is not started if that takes long", async () => {
    using scene = makeScene();
    const tool = scene.tool({ waitingMs: 300 });
    const stop = new AbortController();
    const sleeping = Array.from({ length: SHELL_LIMITS.runningMax }, (_, i) =>
      tool.run(hostile(`touch up-${i}; sleep 30`), { signal: stop.signal }).catch(() => "ended"),
    );
    await until(() => sleeping.every((_, i) => existsSync(scene.path(`up-${i}`))));
    await expect(tool.run(hostile("touch ran"))).rejects.toMatchObject({ code: "busy", retryable: true });
    expect(existsSync(scene.path("ran"))).toBe(false);
    stop.abort();
    await Promise.all(sleeping);
    expect((await tool.run(hostile("echo free"))).output).toBe("free\n");
  });

  test("sees and touches no process but its own", async () => {
    using scene = makeScene();
    const { output } = await attack(scene, `kill -9 ${process.pid}; kill -9 -1; ls -d /proc/[0-9]*`).catch(
      (error: unknown) => ({ output: String(error) }),
    );
    expect(output).not.toContain(`/proc/${process.pid}\n`);
  });

  test("writes in the working root and the scratch folder alone, and throws no switch of the machine", async () => {
    using scene = makeScene();
    const { output } = await attack(
      scene,
      `for p in / /usr /etc /bin /dev /proc /run /root /home /var; do touch $p/x 2>/dev/null && echo "WROTE $p"; done
       for f in /proc/sys/kernel/core_pattern /proc/sys/vm/swappiness /proc/sysrq-trigger /etc/passwd; do (exec 3>>$f) 2>/dev/null && echo "OPENED $f"; done
       echo a > /tmp/a && echo b > b && echo c > /dev/shm/c && cat /tmp/a b /dev/shm/c; ls /etc; cat /etc/shadow; touch ../above; mount -t tmpfs x /mnt; unshare -U true`,
    );
    expect(output).not.toMatch(/WROTE|OPENED/);
    expect(output).toContain("a\nb\nc\n");
    expect(output).not.toMatch(/shadow$|gshadow|ssh/m);
    expect(readFileSync(scene.path("b"), "utf8")).toBe("b\n");
    // The folders above the root are empty ones of the cage's own.
    expect(existsSync(join(scene.state, "above"))).toBe(false);
  });

  test("that only looks cannot write at all, even where git or an owner's entry would", async () => {
    using scene = makeScene();
    const tool = scene.tool({ safeCommands: ["touch", "ls"] });
    expect(await tool.verdict({ argv: ["touch", "x"] })).toBe("allow");
    const ran = await tool.run({ argv: ["touch", "x"] });
    expect(ran.output).toContain("Read-only file system");
    expect(existsSync(scene.path("x"))).toBe(false);
    const readOnly = scene.tool({ writable: false });
    expect((await readOnly.run(hostile("touch y"))).output).toContain("Read-only file system");
  });

  test("does not find keys in a working root that is somebody's home", async () => {
    using scene = makeScene();
    scene.put(".ssh/id_rsa", STATE_SECRET);
    scene.put("real-keys/key", STATE_SECRET);
    symlinkSync("real-keys", scene.path(".aws"));
    const { output } = await attack(scene, "cat .ssh/* .aws/* real-keys/*");
    expect(output).not.toContain(STATE_SECRET);
  });

  test.runIf(process.getuid?.() === 0)("is held as well where the gateway runs as another user", async () => {
    using scene = makeScene();
    chownSync(scene.root, 65_534, 65_534);
    chownSync(join(scene.state, "owner-token"), 65_534, 65_534);
    const child = join(dirname(fileURLToPath(import.meta.url)), "test-other-user.ts");
    const script = `id -u; touch mine && echo wrote; cat "$(dirname "$PWD")/owner-token"; cat /proc/*/environ; (exec 3<>/dev/tcp/127.0.0.1/80) && echo NET; touch /x && echo ROOT`;
    const node = process.execPath;
    const { stdout, stderr } = spawnSync(node, [child, scene.root, scene.state, script], {
      uid: 65_534,
      gid: 65_534,
      encoding: "utf8",
      cwd: "/",
      env: { CANARY: STATE_SECRET, PATH: "/usr/bin:/bin" },
    });
    if (/EACCES|Cannot find module/.test(stderr)) return; // the project itself cannot be read by others here
    expect(stdout, stderr).toContain("65534");
    expect(stdout).toContain("wrote");
    expect(stdout).not.toMatch(/NET|ROOT/);
    expect(stdout).not.toContain(STATE_SECRET);
  });
});

describe("a machine without a cage", () => {
  test("says what is missing, and looks again later", async () => {
    let now = 0;
    let found: string | undefined;
    let asked = 0;
    const look = makeCageFinder(
      () => now,
      async () => {
        asked += 1;
        return found;
      },
    );
    expect(await look()).toEqual({ ok: false, reason: "bubblewrap (bwrap) is not installed" });
    await look();
    expect(asked).toBe(1);
    found = "/bin/false";
    now += 31_000;
    expect(await look()).toMatchObject({
      ok: false,
      reason: expect.stringContaining("cannot build a cage") as string,
    });
    expect(asked).toBe(2);
  });

  test("runs nothing unasked, says on the card that there is no cage, and runs nothing where that is not allowed", async () => {
    using scene = makeScene();
    const report = { ok: false, reason: "bubblewrap (bwrap) is not installed" } as const;
    const tool = scene.tool({ cage: async () => report });
    expect(await tool.facts({ argv: ["ls"] })).toEqual([
      {
        kind: "ask",
        rule: "ask.no-cage",
        reason: expect.stringContaining(
          "without a cage, since bubblewrap (bwrap) is not installed",
        ) as string,
      },
    ]);
    const card = await tool.preview({ argv: ["ls"] });
    expect(card.sentence).toContain("WITHOUT A CAGE");
    expect(card.before).toContain("no cage (bubblewrap (bwrap) is not installed)");
    scene.put("a.txt");
    expect(await tool.run({ argv: ["ls"] })).toMatchObject({ exitCode: 0, output: "a.txt\n", caged: false });
    const strict = scene.tool({ cage: async () => report, requireCage: true });
    expect(await strict.verdict({ argv: ["ls"] })).toBe("deny");
    await expect(strict.run({ argv: ["ls"] })).rejects.toMatchObject({ code: "hard.no-cage" });
  });
});

test.runIf(CAGE.ok)("a gateway that is killed takes its command with it", async () => {
  using scene = makeScene();
  mkdirSync(scene.path("out"));
  const child = join(dirname(fileURLToPath(import.meta.url)), "test-other-user.ts");
  const marker = "86423.5";
  const gateway = spawn(
    process.execPath,
    [child, scene.root, scene.state, `setsid sleep ${marker} & echo up > out/up; sleep ${marker}`],
    {
      stdio: "ignore",
    },
  );
  await until(() => existsSync(scene.path("out/up")));
  expect(sleeping(marker)).toBeGreaterThan(0);
  gateway.kill("SIGKILL");
  await until(() => sleeping(marker) === 0);
});

function sleeping(marker: string): number {
  const { stdout } = spawnSync("ps", ["-eo", "args"], { encoding: "utf8" });
  return stdout.split("\n").filter((each) => each.startsWith(`sleep ${marker}`)).length;
}

async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + 10_000;
  while (!holds()) {
    if (performance.now() > end) throw new Error("it did not come to that");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
