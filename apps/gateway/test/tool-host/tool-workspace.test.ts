import { rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { ToolError } from "@elwood/sdk/tool";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { describe, expect, test } from "vitest";
import { commandCage } from "../../src/built-in-tools.ts";
import { moduleOf, workspaceScene } from "./test-scene.ts";

const HOSTILE = new URL("../../../../packages/isolation/src/tool-host/test-hostile-host.ts", import.meta.url);
const WORDS = moduleOf("notes.word.count", `return { words: (input.text ?? "").split(" ").length };`);

describe("OA-7: a tool in the workspace", () => {
  test("is found, described by its schema, and run in a process of its own", async () => {
    using scene = workspaceScene();
    scene.put("notes/count.ts", WORDS);
    expect(await scene.load()).toEqual([]);
    const { contract, source } = scene.tool("notes.word.count");
    expect(source).toBe("workspace");
    expect(contract).toMatchObject({
      risk: "write",
      hosts: [],
      code: expect.stringMatching(/^[0-9a-f]{64}$/),
      input: { type: "object", properties: { text: { type: "string" } }, additionalProperties: false },
    });
    expect(await scene.call("notes.word.count", { text: "one two" })).toEqual({
      ok: true,
      value: { value: { words: 2 } },
    });
    expect(scene.workspace.pool.pids).toHaveLength(1);
    expect(scene.workspace.pool.pids).not.toContain(process.pid);
  });

  test("may be exported by default, by name or in a list, with helpers and data beside it", async () => {
    using scene = workspaceScene();
    const tool = (id: string, code: string) =>
      `defineTool({ id: "${id}", risk: "read", input: z.object({}), handler: () => ${code} })`;
    const head = `import { defineTool } from "@elwood/sdk/tool"; import { z } from "zod";\n`;
    scene.put(
      "mix/a.ts",
      `${head}export default ${tool("mix.a.one", "1")};\nexport const two = ${tool("mix.a.two", "2")};`,
    );
    scene.put(
      "mix/b.mjs",
      `${head}import { three } from "./lib/three.ts"; import data from "./data.json" with { type: "json" };\nexport const all = [${tool("mix.b.three", "three")}, ${tool("mix.b.four", "data.four")}];`,
    );
    scene.put("mix/lib/three.ts", `export const three: number = 3;`);
    scene.put("mix/data.json", `{ "four": 4 }`);
    expect(await scene.load()).toEqual([]);
    const ids = ["mix.a.one", "mix.a.two", "mix.b.three", "mix.b.four"];
    const answers = await Promise.all(ids.map((id) => scene.call(id, {})));
    expect(answers.map((each) => each.ok && each.value.value)).toEqual([1, 2, 3, 4]);
  });

  test("sees no environment, no file, no process, no worker, and no fetch but its own", async () => {
    using scene = workspaceScene();
    scene.put(
      "peek/all.ts",
      moduleOf(
        "peek.all.look",
        `const tries: Record<string, () => unknown> = {
          env: () => Object.keys(process.env).length,
          fetch: () => typeof globalThis.fetch,
          builtin: () => typeof process.getBuiltinModule,
          file: async () => (await import("node:fs")).readFileSync("/etc/passwd"),
          spawn: async () => (await import("node:child_process")).spawnSync("id"),
          worker: async () => new (await import("node:worker_threads")).Worker("1", { eval: true }),
          code: () => new Function("return 1")(),
        };
        const found: Record<string, unknown> = {};
        for (const [name, run] of Object.entries(tries)) {
          try { found[name] = await run(); } catch (error) { found[name] = (error as Error).message.slice(0, 40); }
        }
        return found;`,
      ),
    );
    expect(await scene.load()).toEqual([]);
    const answer = await scene.call("peek.all.look", {});
    expect(answer.ok && answer.value.value).toEqual({
      env: 0,
      fetch: "undefined",
      builtin: "undefined",
      file: '"node:fs" cannot be imported: a tool imp',
      spawn: '"node:child_process" cannot be imported:',
      worker: '"node:worker_threads" cannot be imported',
      code: "Code generation from strings disallowed ",
    });
  });

  test("asks for what else it needs by its other functions, and each answer comes back", async () => {
    using scene = workspaceScene();
    scene.put(
      "all/of.ts",
      moduleOf("all.of.it", `ctx.progress("half"); return result({ n: 1 }, { text: "one", exitCode: 0 });`, {
        input: `z.object({ text: z.string().refine((t) => t !== "bad", "not that one") })`,
        options: `
          preview: (input, _signal, about) => ({ sentence: "Would say " + input.text, subject: about.session }),
          undo: (input, output) => ({ undone: output }),
          reconcile: (input, key) => (key === "k" ? "happened" : "unknown"),
          facts: (input) => [{ kind: "ask", rule: "ask.mine", reason: input.text }],
          target: async (input) => "about " + input.text,`,
      }),
    );
    expect(await scene.load()).toEqual([]);
    const tool = scene.tool("all.of.it");
    const input = { text: "x" };
    const { signal } = new AbortController();
    expect(await tool.preview?.(input, signal, { session: "s" })).toEqual({
      sentence: "Would say x",
      subject: "s",
    });
    expect(await tool.facts(input, {})).toEqual([{ kind: "ask", rule: "ask.mine", reason: "x" }]);
    expect(await tool.target(input)).toBe("about x");
    expect(await tool.reconcile?.(input, "k")).toBe("happened");
    const said: string[] = [];
    expect(await scene.call("all.of.it", input, { progress: (words) => said.push(words) })).toEqual({
      ok: true,
      value: { value: { n: 1 }, text: "one", exitCode: 0 },
    });
    expect(said).toEqual(["half"]);
    const context = { callId: "c", sessionId: "s", idempotencyKey: "k", signal, progress: () => {} };
    expect(await tool.undo?.(input, { n: 1 }, context)).toEqual({
      ok: true,
      value: { value: { undone: { n: 1 } } },
    });
    // Rules that no JSON Schema can say are known to the schema itself.
    expect(await scene.call("all.of.it", { text: "bad" })).toMatchObject({
      ok: false,
      error: { code: "invalid", message: expect.stringContaining("not that one") },
    });
    expect(await tool.facts({ text: "bad" }, {})).toMatchObject([{ kind: "deny", rule: "input.invalid" }]);
  });

  test("is told apart by its code: another handler is another contract, another test is not", async () => {
    using scene = workspaceScene();
    scene.put("notes/count.ts", WORDS);
    await scene.load();
    const first = scene.tool("notes.word.count").contractHash;
    scene.put("notes/count.test.ts", "throw new Error('not loaded');");
    expect(await scene.load()).toEqual([]);
    expect(scene.tool("notes.word.count").contractHash).toBe(first);
    scene.put("notes/count.ts", WORDS.replace('" "', '","'));
    expect(await scene.load()).toEqual([]);
    expect(scene.tool("notes.word.count").contractHash).not.toBe(first);
  });

  test("gets the secrets it declares and no others, and is not begun without them", async () => {
    const secret = (name: string) => (name === "ONE" ? "1" : undefined);
    using scene = workspaceScene({ provisions: { secret } });
    scene.put("s/one.ts", moduleOf("s.one.get", "return ctx.secrets;", { options: `secrets: ["ONE"],` }));
    scene.put(
      "s/two.ts",
      moduleOf("s.two.get", "return ctx.secrets;", { options: `secrets: ["ONE", "TWO"],` }),
    );
    expect(await scene.load()).toEqual([]);
    expect(await scene.call("s.one.get", {})).toEqual({ ok: true, value: { value: { ONE: "1" } } });
    expect(await scene.call("s.two.get", {})).toMatchObject({ ok: false, error: { code: "secret_missing" } });
  });

  test("reaches the web by the gateway's client alone, as a standard fetch", async () => {
    const asked: unknown[] = [];
    using scene = workspaceScene({
      provisions: {
        fetch:
          ({ hosts }) =>
          async (input, init) => {
            const request = new Request(input, init);
            asked.push([hosts, request.url, request.method, await request.text()]);
            if (request.url.endsWith("/gone")) throw new ToolError("no", "Not there.");
            return Response.json({ ok: 1 }, { status: 201, headers: { "x-a": "b" } });
          },
      },
    });
    scene.put(
      "web1/get.ts",
      moduleOf(
        "web1.page.get",
        `const r = await ctx.fetch("https://api.example.com" + input.text, { method: "POST", body: "hällo" });
         return [r.status, r.headers.get("x-a"), await r.json()];`,
        { options: `hosts: ["api.example.com"],` },
      ),
    );
    expect(await scene.load()).toEqual([]);
    expect(await scene.call("web1.page.get", { text: "/x" })).toEqual({
      ok: true,
      value: { value: [201, "b", { ok: 1 }] },
    });
    expect(asked).toEqual([[["api.example.com"], "https://api.example.com/x", "POST", "hällo"]]);
    expect(await scene.call("web1.page.get", { text: "/gone" })).toEqual({
      ok: false,
      error: { code: "no", message: "Not there.", retryable: false },
    });
  });
});

describe("a module that cannot be loaded", () => {
  test.each([
    ["a syntax error", "\n\nconst x: number = ;", /^tools\/bad\/x\.ts:3(:\d+)?: Expression expected/],
    ["an enum", "enum A { B }", /^tools\/bad\/x\.ts:1(:\d+)?: TypeScript enum is not supported/],
    [
      "a module of Node that reaches out",
      '\nimport "node:fs";',
      /^tools\/bad\/x\.ts:2: "node:fs" cannot be imported: .*ctx\.fetch/,
    ],
    ["a package", 'import "lodash";', /^tools\/bad\/x\.ts:1: "lodash" cannot be imported/],
    [
      "another folder",
      'import "../other/y.ts";',
      /^tools\/bad\/x\.ts:1: "\.\.\/other\/y\.ts" cannot be imported: there is no such file/,
    ],
    ["an exception at its top", "\n\n\nthrow new Error('no key');", /^tools\/bad\/x\.ts:4:7: no key/],
    [
      "a mistake in defineTool",
      moduleOf("bad", ""),
      /^tools\/bad\/x\.ts:\d+:\d+: defineTool: "bad" is not a tool's id/,
    ],
    [
      "an id of another folder",
      moduleOf("good.x.y", ""),
      /^tools\/bad: the id good\.x\.y must begin with the name of its folder: bad\./,
    ],
    ["no tool", "export const x = 1;", /^tools\/bad: no module in it exports a tool/],
    [
      "a host that is none",
      moduleOf("bad.x.y", "", { options: `hosts: ["*.example"],` }),
      /the hosts of bad\.x\.y cannot hold "\*\.example"/,
    ],
    [
      "a schema that transforms",
      moduleOf("bad.x.y", "", { input: "z.object({ a: z.string().transform(Number) })" }),
      /^tools\/bad\/x\.ts:1: bad\.x\.y cannot be used: its input schema cannot be said as JSON Schema/,
    ],
  ])("by %s is told with its place", async (_what, text, problem) => {
    using scene = workspaceScene();
    scene.put("bad/x.ts", text);
    expect(await scene.load()).toEqual([expect.stringMatching(problem)]);
  });

  test("with hosts, and the label that nothing is sent, counts as one that sends to others", async () => {
    using scene = workspaceScene();
    scene.put(
      "net/x.ts",
      moduleOf("net.x.y", "", { options: `hosts: ["a.example"], labels: { egress: "none" },` }),
    );
    expect(await scene.load()).toEqual([]);
    expect(scene.tool("net.x.y").contract.labels.egress).toBe("third_party");
  });

  test.each(["owner", "files", "Shell", "a b"])("as a folder named %s is refused", async (name) => {
    using scene = workspaceScene();
    scene.put(`${name}/x.ts`, moduleOf("x.y.z", ""));
    expect(await scene.load()).toEqual([expect.stringMatching(new RegExp(`^tools/${name}: `))]);
    expect(scene.workspace.pool.pids).toEqual([]);
  });

  test("leaves the version before it in use, until it is mended or gone", async () => {
    using scene = workspaceScene();
    scene.put("notes/count.ts", WORDS);
    scene.put("other/y.ts", moduleOf("other.y.z", "return 1;"));
    await scene.load();
    scene.put("notes/count.ts", "oops(");
    expect(await scene.load()).toHaveLength(1);
    expect(await scene.call("other.y.z", {})).toMatchObject({ ok: true });
    expect(scene.workspace.problemSentences()[0]).toMatch(/stays in use\.$/);
    expect(await scene.call("notes.word.count", { text: "a b c" })).toMatchObject({
      value: { value: { words: 3 } },
    });
    scene.put("notes/count.ts", WORDS.replace("words:", "count:"));
    expect(await scene.load()).toEqual([]);
    expect(await scene.call("notes.word.count", { text: "a b c" })).toMatchObject({
      value: { value: { count: 3 } },
    });
    scene.remove("notes");
    expect(await scene.load()).toEqual([]);
    expect(
      scene.registry
        .toolSnapshot()
        .list()
        .map(({ contract }) => contract.id),
    ).toEqual(["other.y.z"]);
  });
});

describe("versions", () => {
  test("one that a run holds goes on when its file is changed or deleted", async () => {
    using scene = workspaceScene();
    scene.put("notes/count.ts", WORDS);
    await scene.load();
    const held = scene.tool("notes.word.count");
    const context = {
      callId: "c",
      sessionId: "s",
      idempotencyKey: "k",
      signal: new AbortController().signal,
      progress: () => {},
    };
    scene.put("notes/count.ts", WORDS.replace("words:", "count:"));
    await scene.load();
    rmSync(join(scene.folder, "tools"), { recursive: true });
    await scene.load();
    expect(await held.handle({ text: "a" }, context)).toEqual({ ok: true, value: { value: { words: 1 } } });
  });

  test("known ones start no process until they are called", async () => {
    using before = workspaceScene();
    before.put("notes/count.ts", WORDS);
    await before.load();
    using scene = workspaceScene({ folder: before.folder });
    expect(await scene.workspace.known()).toMatchObject({ unread: [], tools: [{ id: "notes.word.count" }] });
    expect(await scene.load()).toEqual([]);
    expect(scene.workspace.pool.pids).toEqual([]);
    await scene.call("notes.word.count", {});
    expect(scene.workspace.pool.pids).toHaveLength(1);
    before.put("notes/count.ts", `${WORDS} `);
    expect(await scene.workspace.known()).toMatchObject({ unread: ["notes"] });
  });

  test("a process leaves after a minute without work", async () => {
    const clock = new ManualClock({ start: 0 });
    using scene = workspaceScene({ clock });
    scene.put("notes/count.ts", WORDS);
    await scene.load();
    await scene.call("notes.word.count", {});
    await clock.advance(59_000);
    expect(scene.workspace.pool.pids).toHaveLength(1);
    await clock.advance(2_000);
    expect(scene.workspace.pool.pids).toEqual([]);
    expect(await scene.call("notes.word.count", { text: "back" })).toMatchObject({ ok: true });
  });
});

describe("a process that", () => {
  test("crashes leaves its call open, and the next call gets another one", async () => {
    using scene = workspaceScene();
    scene.put(
      "c/x.ts",
      moduleOf(
        "c.x.do",
        `if (input.text === "die") { setTimeout(() => { throw new Error("on the way"); }); await new Promise(() => {}); } return 1;`,
      ),
    );
    await scene.load();
    await expect(scene.call("c.x.do", { text: "die" })).rejects.toThrow(
      /the process of c is gone: it ended by itself \(code 1\): on the way/,
    );
    expect(await scene.call("c.x.do", {})).toMatchObject({ ok: true });
  });

  test("crashes again and again is waited for longer each time", async () => {
    const clock = new ManualClock({ start: 0 });
    using scene = workspaceScene({ clock });
    scene.put("c/x.ts", moduleOf("c.x.do", `if (input.text === "die") process.exit(3); return 1;`));
    await scene.load();
    for (let i = 0; i < 2; i++) await expect(scene.call("c.x.do", { text: "die" })).rejects.toThrow("code 3");
    const third = scene.call("c.x.do", {});
    await expect.poll(() => clock.sleeping).toBeGreaterThan(0);
    expect(scene.workspace.pool.pids).toEqual([]);
    await clock.advance(500);
    expect(await third).toMatchObject({ ok: true });
  });

  test("hangs in a handler is killed when the call is stopped", async () => {
    using scene = workspaceScene({ limits: { graceMs: 100 } });
    scene.put("h/x.ts", moduleOf("h.x.do", `if (input.text === "hang") for (;;) continue; return 1;`));
    await scene.load();
    const [pid] = scene.workspace.pool.pids;
    const stop = new AbortController();
    const hung = scene.call("h.x.do", { text: "hang" }, { signal: stop.signal });
    stop.abort();
    await expect(hung).rejects.toThrow(/stopped, and did not answer/);
    expect(scene.workspace.pool.pids).toEqual([]);
    await expect.poll(() => isAlive(pid!)).toBe(false);
    expect(await scene.call("h.x.do", {})).toMatchObject({ ok: true });
  });

  test("waits in a handler that heeds no signal finishes its other calls, and then goes", async () => {
    const page = Promise.withResolvers<Response>();
    const asked = Promise.withResolvers<void>();
    const fetch = () => {
      asked.resolve();
      return page.promise;
    };
    using scene = workspaceScene({ limits: { graceMs: 1_500 }, provisions: { fetch: () => fetch } });
    const handler = `if (input.text === "wait") await new Promise(() => {}); await ctx.fetch("https://a.example/"); return 1;`;
    scene.put("w/x.ts", moduleOf("w.x.do", handler, { options: `hosts: ["a.example"],` }));
    await scene.load();
    const stop = new AbortController();
    const waiting = scene.call("w.x.do", { text: "wait" }, { signal: stop.signal });
    const other = scene.call("w.x.do", {});
    await asked.promise;
    stop.abort();
    await expect(waiting).rejects.toThrow(/did not answer/);
    expect(scene.workspace.pool.pids).toHaveLength(1);
    page.resolve(new Response());
    expect(await other).toMatchObject({ ok: true });
    expect(scene.workspace.pool.pids).toEqual([]);
  });

  test.each([
    ["no-list", /did not come up: it said something/],
    ["own-words", /did not come up: it said something/],
    ["huge-list", /did not come up: it sent something that could not be read/],
    ["other-folder", /the id files\.file\.read must begin with the name of its folder/],
    ["silent", /did not finish loading within 1 seconds/, { startMs: 1_000 }],
  ])("says of its tools: %s, is not believed", async (how, problem, limits?: { startMs: number }) => {
    using scene = workspaceScene({ entry: HOSTILE, ...(limits && { limits }) });
    scene.put(`evil/${how}.ts`, "");
    expect(await scene.load()).toEqual([expect.stringMatching(problem)]);
    expect(scene.registry.toolSnapshot().list()).toEqual([]);
    expect(scene.workspace.pool.pids).toEqual([]);
  });

  test.each(["never-asked", "twice-ready", "no-frame", "huge-frame", "other-word", "same-fetch"])(
    "answers a call by %s is killed, and the call is open",
    async (how) => {
      using scene = workspaceScene({ entry: HOSTILE });
      scene.put(`evil/${how}.ts`, "");
      expect(await scene.load()).toEqual([]);
      await expect(scene.call("evil.thing.do", {})).rejects.toThrow(/the process of evil is gone/);
      expect(scene.workspace.pool.pids).toEqual([]);
    },
  );

  test("answers with another shape than an answer has gave none", async () => {
    using scene = workspaceScene({ entry: HOSTILE });
    scene.put("evil/no-answer-shape.ts", "");
    await scene.load();
    await expect(scene.call("evil.thing.do", {})).rejects.toThrow(/no answer of its handler/);
  });
});

describe("the network", async () => {
  const report = await commandCage();

  async function dialling(cage: boolean): Promise<{ answer: unknown; seen: number }> {
    let seen = 0;
    const server = createServer((socket) => {
      seen++;
      socket.end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    try {
      using scene = workspaceScene({ entry: HOSTILE, ...(cage && { cage: async () => report }) });
      scene.put("evil/dials.ts", "");
      expect(await scene.load()).toEqual([]);
      const answer = await scene.call("evil.thing.do", { port });
      return { answer: answer.ok && answer.value.value, seen };
    } finally {
      server.close();
    }
  }

  test.runIf(report.ok)("is not there in a cage, even for code that does as it likes", async () => {
    const { answer, seen } = await dialling(true);
    expect(seen).toBe(0);
    expect(answer).toMatch(/^E[A-Z]+$/);
  });

  test("is not barred without one, which is what we say", async () => {
    expect(await dialling(false)).toEqual({ answer: "connected", seen: 1 });
  });

  test.runIf(report.ok)("a tool works in the cage as outside", async () => {
    using scene = workspaceScene({ cage: async () => report });
    scene.put("notes/count.ts", WORDS);
    expect(await scene.load()).toEqual([]);
    expect(await scene.call("notes.word.count", { text: "a b" })).toMatchObject({
      value: { value: { words: 2 } },
    });
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
