import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LoopbackServer } from "@elwood/testkit/loopback-server";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { browserScene, TEST_BROWSER, type SceneOptions } from "../../test/browser/test-scene.ts";
import { serve } from "../../test/browser/test-site.ts";

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly environment: string;
  readonly arguments: string;
}

/** The browser's first process, which is a child of this one, with the folder that it was given. */
function browserProcess(): (Process & { readonly folder: string }) | undefined {
  for (const each of processes()) {
    const [folder] = /\/[^\0]*elwood-browser-[\w-]+/.exec(each.environment) ?? [];
    if (each.parent === process.pid && folder !== undefined) return { ...each, folder };
  }
  return undefined;
}

function processes(): Process[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const read = (name: string) => readFileSync(`/proc/${pid}/${name}`, "latin1");
        const parent = Number(/^PPid:\s+(\d+)$/m.exec(read("status"))?.[1]);
        return [{ pid: Number(pid), parent, environment: read("environ"), arguments: read("cmdline") }];
      } catch {
        return []; // gone meanwhile, or not ours to see
      }
    });
}

const inFolder = (folder: string) => processes().filter(({ environment }) => environment.includes(folder));

async function until(fits: () => boolean): Promise<void> {
  for (let tries = 0; tries < 200 && !fits(); tries++) await new Promise((done) => setTimeout(done, 25));
  expect(fits()).toBe(true);
}

describe.skipIf(TEST_BROWSER === undefined)("the browser's process", () => {
  const site = new LoopbackServer();
  let url = "";

  beforeAll(async () => {
    await site.start();
    url = site.url;
    serve(site, {
      "/": "<title>Here</title><p>Text</p>",
      "/busy": "<title>Busy</title><p>Soon</p><button onclick='for (;;);'>Freeze</button>",
    });
  });
  afterAll(() => site.close());

  async function opened(options: Omit<SceneOptions, "allowed"> = {}) {
    const scene = await browserScene({ allowed: [url], ...options });
    onTestFinished(() => scene[Symbol.asyncDispose]());
    expect(browserProcess()).toBeUndefined();
    await scene.run("open", { url: `${url}/` });
    const main = browserProcess();
    if (!main) throw new Error("there is no browser");
    return { scene, main };
  }

  test("removes the folders of processes that were killed, and no others", async () => {
    const { pid } = spawnSync(process.execPath, ["-e", "0"]);
    const [dead, live] = [pid, process.ppid].map((each) => join(tmpdir(), `elwood-browser-${each}-test`));
    for (const folder of [dead!, live!]) mkdirSync(folder, { recursive: true });
    await opened();
    expect([existsSync(dead!), existsSync(live!)]).toEqual([false, true]);
    rmSync(live!, { recursive: true });
  });

  test("starts with the first page, sees no secret, listens nowhere, and leaves nothing behind", async () => {
    const { scene, main } = await opened();
    const all = inFolder(main.folder);
    expect(all.length).toBeGreaterThan(1);
    expect(all.filter(({ environment }) => environment.includes("planted"))).toEqual([]);
    expect(statSync(main.folder).mode & 0o777).toBe(0o700);
    expect(main.arguments).toContain("--proxy-bypass-list=<-loopback>");
    expect(main.arguments).not.toMatch(/--remote-debugging-port/);
    await scene[Symbol.asyncDispose]();
    await until(() => inFolder(main.folder).length === 0);
    expect(existsSync(main.folder)).toBe(false);
    await expect(scene.run("open", { url: `${url}/` })).rejects.toThrow(/stopping/);
  });

  test("ends after a while without calls, and the next call says why the page is gone and starts another", async () => {
    const clock = new ManualClock();
    const { scene, main } = await opened({ clock, idleMinutes: 1 });
    await clock.untilAsleep();
    await clock.advance(30_000);
    expect(inFolder(main.folder).length).toBeGreaterThan(0);
    await scene.run("read", {});
    for (let tries = 0; tries < 8; tries++) {
      await clock.advance(15_000);
      await new Promise((done) => setTimeout(done, 30));
    }
    await until(() => inFolder(main.folder).length === 0);
    await expect(scene.run("read", {})).rejects.toThrow(/had not been used for a while.*browser\.page\.open/);
    expect((await scene.run("open", { url: `${url}/` })).value).toMatchObject({ title: "Here" });
  });

  test("ends where it holds too much memory", async () => {
    const clock = new ManualClock();
    const { scene, main } = await opened({ clock, memoryMb: 1 });
    await clock.untilAsleep();
    await clock.advance(15_000);
    await until(() => inFolder(main.folder).length === 0);
    await expect(scene.run("read", {})).rejects.toThrow(/held more than 1\.0 MB of memory/);
  });

  test("that dies under a conversation is told, and another one is started by the next page", async () => {
    const { scene, main } = await opened();
    process.kill(main.pid, "SIGKILL");
    await until(() => !existsSync(main.folder));
    await expect(scene.run("read", {})).rejects.toThrow(/ended unexpectedly.*browser\.page\.open/);
    expect((await scene.run("open", { url: `${url}/` })).value).toMatchObject({ page: "p1", title: "Here" });
  });

  test("outlives a page whose scripts never pause, which then answers nothing and can be closed", async () => {
    const { scene } = await opened({ limits: { lookMs: 300, actMs: 500, loadMs: 300 } });
    await scene.run("open", { url: `${url}/busy` });
    await scene.run("wait", { text: "Soon", timeoutMs: 30_000 });
    await scene.approved("click", { target: "Freeze" }).catch(() => undefined);
    await expect(scene.run("read", {})).rejects.toThrow(/did not work|not answer/);
    await expect(scene.preview("click", { target: "Freeze" })).rejects.toThrow(/not answer/);
    expect(await scene.facts("type", { target: "Freeze", text: "x" })).toEqual([]);
    await scene.run("close", {});
    await scene.run("open", { url: `${url}/` });
    // A busy machine may be late for a look that has so little time.
    const read = () => scene.run("read", {}).catch((error: unknown) => ({ text: String(error) }));
    await expect.poll(async () => (await read()).text).toContain("Text");
  });

  test("serves few conversations at once, and the one unused for longest gives way", async () => {
    const clock = new ManualClock();
    const { scene } = await opened({ clock });
    for (const session of ["s2", "s3", "s4"]) await scene.run("open", { url: `${url}/` }, session);
    await expect(scene.run("open", { url: `${url}/` }, "s5")).rejects.toThrow(/4 conversations have pages/);
    clock.set(clock.now() + 3 * 60_000);
    await scene.run("open", { url: `${url}/` }, "s5");
    await expect(scene.run("read", {}, "s1")).rejects.toThrow(/other conversations needed the browser/);
  });
});

const asRoot = TEST_BROWSER !== undefined && process.getuid?.() === 0;
test.runIf(asRoot)("as root a browser with its sandbox is not started, and the way out is told", async () => {
  const scene = await browserScene({ allowed: ["http://127.0.0.1:9"], sandbox: true });
  const opening = scene.run("open", { url: "http://127.0.0.1:9/" });
  await expect(opening).rejects.toThrow(/Run Elwood as another user, or.*browser\.sandbox: false/);
  await scene[Symbol.asyncDispose]();
});
