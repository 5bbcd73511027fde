import { testContext, ToolError, type ToolDefinition } from "@elwood/sdk/tool";
import { LoopbackServer, type Answer } from "@elwood/testkit/loopback-server";
import { afterAll, beforeAll, expect, test } from "vitest";
import integration from "./index.ts";

const NOW = Date.UTC(2026, 10, 16, 8, 0);
const CREATED = "2026-11-16T07:59:00Z";
let server: LoopbackServer;
let tools: ReadonlyMap<string, ToolDefinition>;
beforeAll(async () => {
  server = await new LoopbackServer().start();
  server.always("GET /user", json(200, { login: "ada" }));
  tools = new Map(integration.tools(context()).map((tool) => [tool.id, tool]));
});
afterAll(() => server.close());

function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (exchange) => {
    exchange.head(status, { "content-type": "application/json; charset=utf-8", ...headers });
    exchange.end(status === 204 ? "" : JSON.stringify(body));
  };
}

function context(given: Record<string, unknown> = {}) {
  const settings = integration.settings({ url: `${server.url}/`, repositories: ["Me/Notes"], ...given });
  if (!settings.ok) throw new Error(settings.error);
  return {
    settings: settings.value,
    secrets: { token: "ghp_token" },
    fetch: globalThis.fetch,
    timeZone: "UTC",
    now: () => NOW,
  };
}

async function call(id: string, input: object) {
  const tool = tools.get(id)!;
  const parsed = (tool.input as { parse(value: unknown): unknown }).parse(input);
  const answer = await tool.handler(parsed, testContext());
  const { value = answer, text = "" } = answer as { value?: unknown; text?: string };
  return { value, text };
}
const issue = (number: number, more: object = {}) => ({
  number,
  title: `Issue ${number}`,
  state: "open",
  body: "It breaks.",
  user: { login: "bob" },
  labels: [{ name: "bug" }],
  comments: 1,
  created_at: CREATED,
  html_url: `https://github.com/me/notes/issues/${number}`,
  ...more,
});
const comment = (id: number, login: string, body: string) => ({
  id,
  body,
  user: { login },
  created_at: CREATED,
  html_url: `https://github.com/me/notes/issues/1#issuecomment-${id}`,
});
const pull = (number: number) => ({
  ...issue(number),
  draft: false,
  merged_at: null,
  head: { ref: "fix", sha: "abc" },
  base: { ref: "main" },
  additions: 2,
  deletions: 1,
  changed_files: 1,
});
const notes = { repository: "me/notes" };

test("OA-13: issues are read with the token, pull requests among them left out", async () => {
  server.script("GET /repos/me/notes/issues", json(200, [issue(1), issue(2, { pull_request: {} })]));
  const { value, text } = await call("github.issue.list", notes);
  expect(value).toMatchObject({ issues: [{ number: 1, author: "bob", labels: ["bug"] }] });
  expect(text).toBe("- #1 Issue 1 (open, by bob)");
  expect(server.last().headers["authorization"]).toBe("token ghp_token");
  server.script("GET /repos/me/notes/issues/1", json(200, issue(1)));
  server.script("GET /repos/me/notes/issues/1/comments", json(200, [comment(7, "eve", "Me too.")]));
  expect((await call("github.issue.get", { ...notes, number: 1 })).value).toMatchObject({
    issue: { body: "It breaks." },
    comments: [{ author: "eve", body: "Me too." }],
  });
});

test("reading a repository that the owner named needs no question; another one, and a search, do", async () => {
  const tool = tools.get("github.issue.list")!;
  expect(await tool.facts!({ repository: "ME/notes" }, {})).toMatchObject([{ kind: "harmless" }]);
  expect(await tool.facts!({ repository: "eve/trap" }, {})).toEqual([]);
  expect(tools.get("github.search.query")!.facts).toBeUndefined();
});

test("a comment is shown before, written once, found again by its text, and deleted by undo", async () => {
  const tool = tools.get("github.comment.create")!;
  const input = { ...notes, number: 1, body: "Thanks!" };
  expect(await tool.preview!(input, new AbortController().signal, {})).toMatchObject({
    sentence: "Comment on me/notes#1.",
    after: "Thanks!",
    undoable: true,
  });
  server.script("POST /repos/me/notes/issues/1/comments", json(201, comment(9, "ada", "Thanks!")));
  const { value } = await call("github.comment.create", input);
  expect(server.last().body).toEqual({ body: "Thanks!" });
  const list = "GET /repos/me/notes/issues/1/comments";
  server.script(
    list,
    json(200, [comment(8, "eve", "Thanks!"), comment(9, "ada", "Thanks!")]),
    json(200, [comment(8, "eve", "Thanks!")]),
  );
  expect(await tool.reconcile!(input, "k")).toBe("happened");
  expect(server.last(list).query.get("since")).toBe("2026-11-15T08:00:00.000Z");
  expect(await tool.reconcile!(input, "k")).toBe("did-not-happen");
  server.script("DELETE /repos/me/notes/issues/comments/9", json(204, undefined));
  expect(await tool.undo!(input, value, testContext())).toMatchObject({
    text: expect.stringContaining("Deleted the comment"),
  });
});

test("an issue is opened, and closed by undo, since GitHub deletes none", async () => {
  server.script("POST /repos/me/notes/issues", json(201, issue(3)));
  const input = { ...notes, title: "Crash", body: "On start" };
  const { value } = await call("github.issue.create", input);
  expect(server.last().body).toEqual({ title: "Crash", body: "On start" });
  server.script("PATCH /repos/me/notes/issues/3", json(200, issue(3, { state: "closed" })));
  await tools.get("github.issue.create")!.undo!(input, value, testContext());
  expect(server.last().body).toEqual({ state: "closed", state_reason: "not_planned" });
  const { reconcile } = tools.get("github.issue.create")!;
  server.script("GET /repos/me/notes/issues", json(200, [issue(3, { title: "Crash", body: "On start" })]));
  expect(await reconcile!(input, "k")).toBe("happened");
  server.script(
    "GET /repos/me/notes/issues",
    json(200, [issue(3, { title: "Crash", body: "On start", created_at: "2025-01-01T00:00:00Z" })]),
  );
  expect(await reconcile!(input, "k")).toBe("did-not-happen");
});

test("what is changed of an issue is put back by undo, and nothing else of it", async () => {
  const place = "/repos/me/notes/issues/1";
  server.script(`GET ${place}`, json(200, issue(1)));
  server.script(`PATCH ${place}`, json(200, issue(1, { state: "closed" })), json(200, issue(1)));
  const input = { ...notes, number: 1, state: "closed" };
  const { value } = await call("github.issue.update", input);
  expect(server.last().body).toEqual({ state: "closed" });
  await tools.get("github.issue.update")!.undo!(input, value, testContext());
  expect(server.last().body).toEqual({ state: "open" });
  expect(await tools.get("github.issue.update")!.facts!({ ...notes, number: 1 }, {})).toMatchObject([
    { kind: "deny" },
  ]);
  server.script(`GET ${place}`, json(200, issue(1, { state: "closed" })));
  expect(await tools.get("github.issue.update")!.reconcile!(input, "k")).toBe("happened");
});

test("pull requests are read and opened, and say how much they change", async () => {
  server.script("GET /repos/me/notes/pulls/5", json(200, pull(5)));
  server.script("GET /repos/me/notes/issues/5/comments", json(200, []));
  expect((await call("github.pull.get", { ...notes, number: 5 })).value).toMatchObject({
    pull: { head: "fix", base: "main", changes: "1 files, +2 −1, at abc" },
  });
  server.script("POST /repos/me/notes/pulls", json(201, pull(6)));
  const input = { ...notes, title: "Fix", head: "fix", base: "main", draft: false };
  expect((await call("github.pull.create", input)).value).toMatchObject({ number: 6 });
  server.script("GET /repos/me/notes/pulls", json(200, [pull(6)]));
  expect(await tools.get("github.pull.create")!.reconcile!(input, "k")).toBe("happened");
  expect(server.last().query.get("head")).toBe("me:fix");
});

test("files, folders, checks and searches are read; what is no text is refused", async () => {
  const file = (content: string | Buffer) =>
    json(200, {
      type: "file",
      path: "a/b.md",
      size: 5,
      sha: "x",
      encoding: "base64",
      content: Buffer.from(content).toString("base64"),
    });
  server.script("GET /repos/me/notes/contents/a/b.md", file("# Hi"), file(Buffer.from([1, 0, 2])));
  expect((await call("github.file.read", { ...notes, path: "/a/b.md" })).value).toMatchObject({
    kind: "file",
    text: "# Hi",
  });
  await expect(call("github.file.read", { ...notes, path: "a/b.md" })).rejects.toThrow("is not text");
  server.script(
    "GET /repos/me/notes/contents/a",
    json(200, [{ type: "file", path: "a/b.md", size: 5, sha: "x" }]),
  );
  expect((await call("github.file.read", { ...notes, path: "a" })).value).toMatchObject({
    kind: "folder",
    entries: [{ path: "a/b.md" }],
  });
  server.script(
    "GET /repos/me/notes/commits/main/check-runs",
    json(200, { check_runs: [{ name: "test", status: "completed", conclusion: "failure" }] }),
  );
  server.script(
    "GET /repos/me/notes/commits/main/status",
    json(200, { state: "success", statuses: [{ context: "ci", state: "success" }] }),
  );
  expect((await call("github.check.list", { ...notes, ref: "main" })).text).toBe(
    "- test: failure\n- ci: success",
  );
  server.script(
    "GET /search/issues",
    json(200, { total_count: 1, items: [{ title: "Found", html_url: "https://x", state: "open" }] }),
  );
  expect((await call("github.search.query", { query: "is:open" })).text).toBe("- Found (open) https://x");
});

test.each([
  [401, {}, "does not accept the token"],
  [403, {}, "The token may not do this. Nothing was changed."],
  [403, { "x-ratelimit-remaining": "0" }, "Try again later. Nothing was changed."],
  [404, {}, "no such thing, or the token may not see it. Nothing was changed."],
  [422, {}, "refused it (422). Nothing was changed."],
])("a refusal of %i means that nothing happened, and says what to do", async (status, headers, words) => {
  server.script("POST /repos/me/notes/issues/1/comments", json(status, { message: "no" }, headers));
  const failed = call("github.comment.create", { ...notes, number: 1, body: "x" });
  await expect(failed).rejects.toThrow(ToolError);
  server.script("POST /repos/me/notes/issues/1/comments", json(status, { message: "no" }, headers));
  await expect(call("github.comment.create", { ...notes, number: 1, body: "x" })).rejects.toThrow(words);
});

test("a write that is answered with an error of the server, or breaks off, leaves open whether it happened", async () => {
  const place = "POST /repos/me/notes/issues/1/comments";
  server.script(place, json(502, {}), (exchange) => exchange.cut(), json(201, { odd: true }));
  for (let at = 0; at < 3; at++) {
    const failed = await call("github.comment.create", { ...notes, number: 1, body: "x" }).catch(
      (cause: unknown) => cause,
    );
    expect(failed).toBeInstanceOf(Error);
    expect(failed).not.toBeInstanceOf(ToolError);
  }
});

test("the live test says whose token it is, and which repository it does not see", async () => {
  server.script("GET /repos/me/notes", json(404, { message: "Not Found" }));
  expect(await integration.check(context(), new AbortController().signal)).toEqual({
    ok: true,
    account: `ada at ${new URL(server.url).host}`,
    notes: ["The token does not see me/notes."],
  });
  server.script("GET /user", json(401, { message: "Bad credentials" }));
  expect(await integration.check(context(), new AbortController().signal)).toMatchObject({ ok: false });
});

test.each([
  [{ url: "ftp://x" }, "API address"],
  [{ repositories: ["notes"] }, "no repository"],
  [{ repositories: ["me/.."] }, "no repository"],
])("settings %j are refused in words", (given, words) => {
  expect(integration.settings(given)).toMatchObject({ ok: false, error: expect.stringContaining(words) });
});
