import { describe, expect, test } from "vitest";
import { z } from "zod";
import { toWireName } from "@elwood/core/model/model";
import type { HandlerContext, RegisteredTool } from "@elwood/runtime/ports/gate-ports";
import { defineTool, err, result, ToolError, type ToolContext, type ToolDefinition } from "@elwood/sdk/tool";
import { sha256 } from "@elwood/platform/system";
import type { ToolProvisions } from "./register-tool.ts";
import { programTool } from "./program-tool.ts";
import { ownerTools } from "./owner-tools.ts";
import { buildToolSnapshot, toolsFor, toolSpecs } from "./tool-snapshot.ts";
import { ToolRegistry } from "./tool-registry.ts";

const here = { egress: "none", output: "trusted", critical: ["path"], sensitive: false } as const;

const readFile = defineTool({
  id: "files.file.read",
  description: "Reads a file.",
  risk: "read",
  input: z.object({ path: z.string().min(1), lines: z.number().int().max(500).default(100) }),
  output: z.object({ text: z.string() }),
  labels: here,
  handler: async (input) => ({ text: `${input.path} ${input.lines}` }),
});

function only(tool: ToolDefinition, provisions: Partial<ToolProvisions> = {}): RegisteredTool {
  const { toolSnapshot, problems } = buildToolSnapshot([{ source: "built-in", tools: [tool] }], {
    sha256,
    ...provisions,
  });
  expect(problems).toEqual([]);
  return toolSnapshot.list()[0]!;
}

function context(more: Partial<HandlerContext> = {}): HandlerContext {
  const signal = new AbortController().signal;
  return {
    callId: "call_1",
    idempotencyKey: "key_1",
    sessionId: "ses_1",
    signal,
    progress: () => {},
    ...more,
  };
}

/** A tool with this input schema and nothing else of note. */
const taking = (input: ToolDefinition["input"]) =>
  defineTool({ id: "a.b.c", risk: "read", input, handler: async () => null });

test("the schemas of Elwood's own tools are read when they are first needed, once, and those of others at once", () => {
  let read = 0;
  const counted = (id: string) => {
    const { "~standard": standard } = z.object({ path: z.string() });
    const jsonSchema = {
      ...standard.jsonSchema,
      input: (options: Parameters<typeof standard.jsonSchema.input>[0]) => {
        read += 1;
        return standard.jsonSchema.input(options);
      },
    };
    return defineTool({
      id,
      risk: "read",
      input: { "~standard": { ...standard, jsonSchema } },
      handler: async () => null,
    });
  };
  const own = buildToolSnapshot([{ source: "built-in", tools: [counted("a.b.own")] }], { sha256 });
  expect(read).toBe(0);
  const tool = own.toolSnapshot.get("a.b.own")!;
  expect(tool.parseInput({ path: "x" })).toEqual({ ok: true, value: { path: "x" } });
  expect(tool.contract.input).toMatchObject({ required: ["path"] });
  expect(tool.contractHash).toBe(tool.contractHash);
  expect(read).toBe(1);
  buildToolSnapshot([{ source: "workspace", tools: [counted("a.b.other")] }], { sha256 });
  expect(read).toBe(2);
});

describe("what cannot be registered is left out and told", () => {
  test.each<[string, ToolDefinition, string]>([
    ["a transform", taking(z.object({ n: z.string().transform(Number) })), "does not transform them"],
    ["a date", taking(z.object({ d: z.date() })), "cannot be said as JSON Schema"],
    ["no arguments by name", taking(z.string()), "must be an object with named arguments"],
    ["a broken JSON Schema", taking({ type: "nonsense" }), "a.b.c was left out"],
    [
      "a schema without JSON Schema",
      taking({ "~standard": { version: 1, vendor: "old", validate: (value) => ({ value }) } }),
      "(old) cannot say itself as JSON Schema",
    ],
    [
      "a label on an argument that is not there",
      defineTool({ ...readFile, id: "a.b.c", labels: { ...here, critical: ["pth"] } }),
      'its labels name the argument "pth", which its input does not have (it has path, lines)',
    ],
  ])("%s", (_what, tool, words) => {
    const { toolSnapshot, problems } = buildToolSnapshot([{ source: "workspace", tools: [tool, readFile] }], {
      sha256,
    });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(words);
    expect(toolSnapshot.list().map((t) => t.contract.id)).toEqual(["files.file.read"]);
  });

  test.each(["workspace", "mcp"] as const)(
    "a tool from %s with a name that only Elwood's own may have is left out",
    (source) => {
      const ids = ["owner.thing.say", "owner.question.ask", "program.other.run"];
      const tools = ids.map((id) => defineTool({ ...readFile, id }));
      const { toolSnapshot, problems } = buildToolSnapshot([{ source, tools: [...tools, readFile] }], {
        sha256,
      });
      expect(toolSnapshot.list().map(({ contract, kind }) => [contract.id, kind])).toEqual([
        ["files.file.read", "handler"],
      ]);
      expect(problems).toHaveLength(ids.length);
      expect(problems[0]).toBe(
        `The tool owner.thing.say (${source}) was left out: names that begin with "owner." are Elwood's own. Give it another id.`,
      );
    },
  );

  test("Elwood's own questions and programs are of their kind", () => {
    const tools = [...ownerTools(), programTool(), readFile];
    const { toolSnapshot } = buildToolSnapshot([{ source: "built-in", tools }], { sha256 });
    expect(Object.fromEntries(toolSnapshot.list().map(({ contract, kind }) => [contract.id, kind]))).toEqual({
      "files.file.read": "handler",
      "owner.question.ask": "question",
      "owner.question.choose": "question",
      "program.code.run": "program",
    });
  });

  test("a second tool of a name never replaces the first, and Elwood's own is first wherever it stands", () => {
    const fake = defineTool({ ...readFile, description: "Not what you think." });
    const alike = defineTool({ ...readFile, id: "files.file.Read" });
    const { toolSnapshot, problems } = buildToolSnapshot(
      [
        { source: "mcp", tools: [fake] },
        { source: "workspace", tools: [alike] },
        { source: "built-in", tools: [readFile] },
      ],
      { sha256 },
    );
    expect(toolSnapshot.list()).toHaveLength(1);
    expect(toolSnapshot.get("files.file.read")).toMatchObject({
      source: "built-in",
      contract: { description: "Reads a file." },
    });
    expect(problems).toEqual([
      "The tool files.file.Read (workspace) was left out: its name can be taken for files.file.read. Give it another id.",
      "The tool files.file.read (mcp) was left out: there is a tool of that name already. Give it another id.",
    ]);
  });
});

describe("the contract's hash", () => {
  const hash = (more: Partial<ToolDefinition> = {}) =>
    only(defineTool({ ...readFile, ...more })).contractHash;

  test("is the same for the same contract, in whatever order it was written", () => {
    expect(hash()).toBe(hash());
    const { description, ...rest } = readFile;
    expect(only(defineTool({ ...rest, description })).contractHash).toBe(hash());
    expect(hash()).toMatch(/^[0-9a-f]{64}$/);
  });

  test("does not depend on the words of a built-in tool, which name folders, and of any other tool it does", () => {
    const withWords = (source: "built-in" | "workspace", words: string, description = "Reads a file.") => {
      const input = z.object({ path: z.string().describe(words), description: z.string().optional() });
      const tool = defineTool({ ...readFile, description, input });
      return buildToolSnapshot([{ source, tools: [tool] }], { sha256 }).toolSnapshot.list()[0]!.contractHash;
    };
    expect(withWords("built-in", "In /a.")).toBe(withWords("built-in", "In /b.", "Reads a file!"));
    expect(withWords("workspace", "In /a.")).not.toBe(withWords("workspace", "In /b."));
    expect(withWords("workspace", "In /a.")).not.toBe(withWords("workspace", "In /a.", "Reads a file!"));
    // An argument of that name is one.
    expect(withWords("built-in", "In /a.")).not.toBe(hash({ input: z.object({ path: z.string() }) }));
  });

  test.each<[string, Partial<ToolDefinition>]>([
    ["risk", { risk: "write" }],
    ["labels", { labels: { ...readFile.labels, egress: "owner" } }],
    ["input", { input: z.object({ path: z.string() }) }],
    ["output", { output: z.object({}) }],
    ["policy", { policy: { default: "ask" } }],
    ["approval", { requiresApproval: true }],
    ["secrets", { secrets: ["KEY"] }],
    ["timeout", { timeoutMs: 5 }],
  ])("changes with its %s", (_what, more) => {
    expect(hash(more)).not.toBe(hash());
  });
});

describe("JV-5: one contract for running a tool", () => {
  test("the handler gets its call, progress and the secrets it declared, and nothing else", async () => {
    let seen: ToolContext | undefined;
    const said: string[] = [];
    const tool = only(
      defineTool({
        id: "a.b.c",
        risk: "read",
        input: z.object({}),
        secrets: ["MINE"],
        handler: async (_input, ctx) => {
          seen = ctx;
          ctx.progress("half");
          return result("done", { exitCode: 0, truncated: true });
        },
      }),
      { secret: (name) => ({ MINE: "m", OTHERS: "o" })[name] },
    );
    const answer = await tool.handle({}, context({ progress: (message) => said.push(message) }));
    expect(answer).toEqual({ ok: true, value: { value: "done", exitCode: 0, truncated: true } });
    expect(said).toEqual(["half"]);
    expect(Object.keys(seen!).sort()).toEqual([
      "callId",
      "fetch",
      "idempotencyKey",
      "progress",
      "secrets",
      "session",
      "signal",
    ]);
    expect(seen!.secrets).toEqual({ MINE: "m" });
  });

  test("a secret that is not set ends the call before its handler runs", async () => {
    const tool = only(
      defineTool({
        id: "a.b.c",
        risk: "read",
        input: z.object({}),
        secrets: ["MINE"],
        handler: () => expect.unreachable(),
      }),
    );
    expect(await tool.handle({}, context())).toMatchObject({ ok: false, error: { code: "secret_missing" } });
  });

  test("fetch comes from the host alone, made for this tool", async () => {
    const asked: string[] = [];
    const own = async () => new Response("hello");
    const tool = only(
      defineTool({
        id: "a.b.c",
        risk: "read",
        input: z.object({}),
        handler: async (_input, ctx) => (await ctx.fetch("https://example.com")).text(),
      }),
      {
        fetch: ({ id }) => {
          asked.push(id);
          return own;
        },
      },
    );
    expect(await tool.handle({}, context())).toEqual({ ok: true, value: { value: "hello" } });
    expect(asked).toEqual(["a.b.c"]);
  });

  test("what a handler answers is its answer; what breaks it is not", async () => {
    const answering = (handler: () => unknown) =>
      only(defineTool({ id: "a.b.c", risk: "write", input: z.object({}), handler })).handle({}, context());
    const gone = { code: "gone", message: "It is gone.", retryable: false };
    expect(await answering(() => err(gone))).toEqual({ ok: false, error: gone });
    expect(
      await answering(() => {
        throw new ToolError("gone", "It is gone.");
      }),
    ).toEqual({ ok: false, error: gone });
    await expect(
      answering(async () => {
        throw new Error("socket closed");
      }),
    ).rejects.toThrow("socket closed");
  });

  test("optional parts are there only where the author wrote them", async () => {
    expect(Object.keys(only(readFile))).not.toContain("undo");
    const tool = only(
      defineTool({
        ...readFile,
        id: "a.b.c",
        preview: (input) => ({ sentence: `Reads ${(input as { path: string }).path}` }),
        undo: () => ({ text: "back" }),
        reconcile: () => "happened",
        facts: () => [{ kind: "ask", rule: "ask.x", reason: "Because." }],
      }),
    );
    expect(tool.contract).toMatchObject({ canPreview: true, canUndo: true, canReconcile: true });
    expect(await tool.preview!({ path: "a" }, context().signal, {})).toEqual({ sentence: "Reads a" });
    expect(await tool.undo!({}, {}, context())).toEqual({ ok: true, value: { value: { text: "back" } } });
    expect(await tool.reconcile!({}, "k")).toBe("happened");
    expect(await tool.facts({}, {})).toHaveLength(1);
  });

  test("what a call is about is said from its critical arguments where the author says nothing", () => {
    expect(only(readFile).target({ path: "notes.md", lines: 3 })).toBe("notes.md");
    expect(only(defineTool({ ...readFile, target: () => "your notes" })).target({ path: "x" })).toBe(
      "your notes",
    );
    expect(only(taking(z.object({ a: z.string() }))).target({ a: "x" })).toBeUndefined();
  });
});

describe("which tools a model is shown", () => {
  const named = (id: string) => defineTool({ ...readFile, id });
  const ids = ["web.page.fetch", "files.file.write", "files.file.read", "shell.command.run"];
  const { toolSnapshot } = buildToolSnapshot([{ source: "built-in", tools: ids.map(named) }], { sha256 });

  test("always in the same order, under names a provider takes", () => {
    const shown = toolSpecs(toolSnapshot, undefined);
    expect(shown.map((spec) => spec.toolId)).toEqual([...ids].sort());
    for (const { toolId } of shown) expect(toWireName(toolId)).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(shown[0]).toMatchObject({ description: "Reads a file.", inputSchema: { type: "object" } });
  });

  test.each<[string[], string[]]>([
    [["files.*"], ["files.file.read", "files.file.write"]],
    [
      ["read_file", "bash"],
      ["files.file.read", "shell.command.run"],
    ],
    [["*"], [...ids].sort()],
    [[], []],
    [["file"], []],
    [["files"], []],
  ])("an agent with %j gets %j", (patterns, expected) => {
    expect(toolsFor(toolSnapshot, patterns).map((tool) => tool.contract.id)).toEqual(expected);
  });

  test("a tool is found under its alias too", () => {
    expect(toolSnapshot.get("web_fetch")?.contract.id).toBe("web.page.fetch");
  });

  test.each([
    "functions.web.page.fetch",
    "functions.web__page__fetch",
    "web_page_fetch",
    "web/page/fetch",
    "Web.Page.Fetch()",
    "default_api.web.page.fetch",
  ])("%s is understood", (name) => {
    expect(toolSnapshot.get(name)?.contract.id).toBe("web.page.fetch");
  });

  test("a name that could mean two tools, or none, means none", () => {
    const two = ["a-b.c", "a.b-c", "functions.file.read"].map(named);
    const { toolSnapshot: table } = buildToolSnapshot([{ source: "workspace", tools: two }], { sha256 });
    expect(table.get("a_b_c")).toBeUndefined();
    expect(table.get("a-b.c")?.contract.id).toBe("a-b.c");
    expect(table.get("functions.file.read")?.contract.id).toBe("functions.file.read");
    expect(toolSnapshot.get("fetch_page")).toBeUndefined();
  });
});

describe("a reload", () => {
  test("puts a tool that joins behind those that models were offered already", async () => {
    let tools = [defineTool({ ...readFile, id: "m.n.o" })];
    const built = { source: "built-in", tools: [readFile] } as const;
    const registry = new ToolRegistry(async () => [built, { source: "workspace", tools }], { sha256 });
    await registry.reload();
    const before = toolSpecs(registry.toolSnapshot(), undefined);
    tools = [...tools, defineTool({ ...readFile, id: "a.first.one" })];
    await registry.reload();
    const after = toolSpecs(registry.toolSnapshot(), undefined);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.at(-1)?.toolId).toBe("a.first.one");
  });

  test("swaps the whole table, tells what changed, and leaves the old one to those who hold it", async () => {
    let tools = [readFile, taking(z.object({}))];
    const registry = new ToolRegistry(async () => [{ source: "workspace", tools }], { sha256 });
    expect(await registry.reload()).toEqual({
      added: ["a.b.c", "files.file.read"],
      changed: [],
      removed: [],
      problems: [],
    });
    const old = registry.toolSnapshot();
    tools = [defineTool({ ...readFile, description: "Other." }), defineTool({ ...readFile, id: "x.y.z" })];
    expect(await registry.reload()).toEqual({
      added: ["x.y.z"],
      changed: ["files.file.read"],
      removed: ["a.b.c"],
      problems: [],
    });
    expect(
      registry
        .toolSnapshot()
        .list()
        .map(({ contract }) => contract.id),
    ).toEqual(["files.file.read", "x.y.z"]);
    expect(old.get("a.b.c")).toBeDefined();
    expect(old.get("files.file.read")?.contract.description).toBe("Reads a file.");
    expect(registry.toolSnapshot().get("a.b.c")).toBeUndefined();
  });

  test("that fails leaves the table as it was", async () => {
    let broken = false;
    const registry = new ToolRegistry(
      async () => {
        if (broken) throw new Error("disk");
        return [{ source: "built-in", tools: [readFile] }];
      },
      { sha256 },
    );
    await registry.reload();
    broken = true;
    await expect(registry.reload()).rejects.toThrow("disk");
    expect(registry.toolSnapshot().list()).toHaveLength(1);
  });
});
