import { defineIntegration, settingText, type IntegrationContext } from "@elwood/sdk/integration";
import {
  defineTool,
  err,
  ok,
  result,
  ToolError,
  type CallFact,
  type Settled,
  type ToolDefinition,
} from "@elwood/sdk/tool";
import { z } from "zod";
import { GithubClient, type GithubSettings } from "./client.ts";
import * as schemas from "./schemas.ts";

export default defineIntegration<GithubSettings>({
  name: "github",
  settings({ url, repositories = [] }) {
    const address = URL.parse(settingText(url) || "https://api.github.com");
    if (address === null || !/^https?:$/.test(address.protocol))
      return err("The API address must be one such as https://github.example.com/api/v3.");
    const named = (Array.isArray(repositories) ? repositories : [repositories])
      .map(settingText)
      .filter(Boolean);
    const wrong = named.find((name) => !schemas.repository().safeParse(name).success);
    if (wrong !== undefined) return err(`“${wrong}” is no repository; write owner/name, such as me/notes.`);
    return ok({
      url: address.href.replace(/\/+$/, ""),
      repositories: named.map((name) => name.toLowerCase()),
    });
  },
  tools(context: IntegrationContext<GithubSettings>) {
    const client = new GithubClient(context);
    return [
      ...issueTools(client),
      ...pullTools(client),
      commentTool(client),
      fileTool(client),
      searchTool(client),
      checksTool(client),
    ];
  },
  async check(context, signal) {
    const client = new GithubClient(context);
    try {
      const login = await client.login(schemas.wireAccount, signal);
      const notes: string[] = [];
      for (const repository of context.settings.repositories) {
        const found = await client.find(`GET /repos/${repository}`, {}, z.object({}), signal);
        if (found === undefined) notes.push(`The token does not see ${repository}.`);
      }
      return { ok: true, account: `${login} at ${client.host}`, notes };
    } catch (cause) {
      if (cause instanceof ToolError) return { ok: false, problem: cause.message };
      throw cause;
    }
  },
});

const BODY_SHOWN_MAX = 8_000;
const COMMENTS_SHOWN = 30;
const FILE_CHARS_MAX = 100_000;
const LATELY_MS = 24 * 3_600_000;
const RECONCILE_MS = 20_000;
const reads = {
  egress: "third_party",
  output: "untrusted",
  ids: {},
  content: [],
  time: [],
  sensitive: true,
} as const;
const writes = { egress: "third_party", output: "untrusted", ids: {}, time: [], sensitive: true } as const;

/** Reading a repository that the owner named tells nobody anything new; of another, which one is read. */
function ownFacts(client: GithubClient, repository: string): readonly CallFact[] {
  if (!client.isOwn(repository)) return [];
  return [
    {
      kind: "harmless",
      rule: "read.own-service",
      reason: `It only reads ${repository}, which you named as yours.`,
    },
  ];
}

function issueTools(client: GithubClient): ToolDefinition[] {
  const place = "/repos/{owner}/{repo}/issues";
  const list = defineTool({
    id: "github.issue.list",
    description: "Issues of a repository, the newest first; pull requests are left out.",
    risk: "read",
    input: schemas.listIssues,
    output: z.strictObject({ issues: z.array(schemas.issue) }),
    labels: { ...reads, critical: ["repository"], local: ["limit"], lists: "issue" },
    idempotent: true,
    facts: ({ repository }) => ownFacts(client, repository),
    async handler({ repository, state, labels, limit }, { signal }) {
      const asked = {
        ...at(repository),
        state,
        ...(labels && { labels: labels.join(",") }),
        per_page: Math.min(100, limit * 2),
      };
      const found = await client.read(`GET ${place}`, asked, z.array(schemas.wireIssue), signal);
      const issues = found
        .filter((each) => each.pull_request === undefined)
        .slice(0, limit)
        .map((each) => issueOf(each, false));
      return result(
        { issues },
        { text: issues.length === 0 ? "There are none." : issues.map(line).join("\n") },
      );
    },
  });
  const get = defineTool({
    id: "github.issue.get",
    description: "An issue with its text and its first comments.",
    risk: "read",
    input: schemas.getNumbered,
    output: z.strictObject({ issue: schemas.issue, comments: z.array(schemas.comment) }),
    labels: { ...reads, critical: ["repository", "number"] },
    idempotent: true,
    target: ({ repository, number }) => `${repository}#${number}`,
    facts: ({ repository }) => ownFacts(client, repository),
    async handler({ repository, number }, { signal }) {
      const where = { ...at(repository), issue_number: number };
      const issue = issueOf(
        await client.read(`GET ${place}/{issue_number}`, where, schemas.wireIssue, signal),
        true,
      );
      const asked = { ...where, per_page: COMMENTS_SHOWN };
      const comments = await client.read(
        `GET ${place}/{issue_number}/comments`,
        asked,
        z.array(schemas.wireComment),
        signal,
      );
      return { issue, comments: comments.map(commentOf) };
    },
  });
  const create = defineTool({
    id: "github.issue.create",
    description: "Opens an issue. Everybody who can see the repository can read it.",
    risk: "write",
    input: schemas.createIssue,
    output: z.strictObject({ number: z.number(), url: z.string() }),
    labels: { ...writes, critical: ["repository"], content: ["title", "body"] },
    target: ({ repository }) => repository,
    preview: ({ repository, title, body, labels = [] }) => ({
      sentence: `Open an issue in ${repository}: ${title}`,
      after: [title, ...(labels.length === 0 ? [] : [`Labels: ${labels.join(", ")}`]), "", body ?? ""]
        .join("\n")
        .trimEnd(),
      subject: repository,
      creates: true,
      undoable: true,
    }),
    async handler({ repository, title, body, labels }, { signal }) {
      const sent = {
        ...at(repository),
        title,
        ...(body !== undefined && { body }),
        ...(labels && { labels }),
      };
      const { number, html_url: url } = await client.write(`POST ${place}`, sent, schemas.wireIssue, signal);
      return result({ number, url }, { text: `Opened ${repository}#${number}: ${url}` });
    },
    async undo({ repository }, { number, url }, { signal }) {
      const closed = {
        ...at(repository),
        issue_number: number,
        state: "closed",
        state_reason: "not_planned",
      };
      await client.write(`PATCH ${place}/{issue_number}`, closed, schemas.wireIssue, signal);
      return result(
        { number, url },
        { text: `Closed ${repository}#${number}. GitHub lets nobody but an administrator delete it.` },
      );
    },
    async reconcile({ repository, title, body }) {
      const signal = AbortSignal.timeout(RECONCILE_MS);
      const creator = await client.login(schemas.wireAccount, signal);
      const asked = {
        ...at(repository),
        creator,
        state: "all",
        sort: "created",
        direction: "desc",
        per_page: 20,
      };
      const found = await client.read(`GET ${place}`, asked, z.array(schemas.wireIssue), signal);
      return settled(
        found.some(
          (each) =>
            each.title === title &&
            (each.body ?? "") === (body ?? "") &&
            isLate(each.created_at, client.now()),
        ),
      );
    },
  });
  const update = defineTool({
    id: "github.issue.update",
    description: "Changes an issue: its title, text, labels, or whether it is open. What is left out stays.",
    risk: "write",
    input: schemas.updateIssue,
    output: z.strictObject({ before: before, url: z.string() }),
    labels: {
      ...writes,
      critical: ["repository", "number", "state"],
      content: ["title", "body"],
      verbs: ["write", "control", "delete"],
    },
    target: ({ repository, number }) => `${repository}#${number}`,
    facts: ({ title, body, state, labels }): readonly CallFact[] =>
      [title, body, state, labels].every((each) => each === undefined)
        ? [{ kind: "deny", rule: "hard.nothing", reason: "Nothing of the issue would be changed." }]
        : [],
    preview: ({ repository, number, ...change }) => ({
      sentence: `Change ${repository}#${number}${change.state === undefined ? "" : change.state === "closed" ? " and close it" : " and open it again"}.`,
      after: Object.entries(change)
        .flatMap(([key, value]) =>
          value === undefined ? [] : [`${key}: ${Array.isArray(value) ? value.join(", ") : value}`],
        )
        .join("\n"),
      subject: `${repository}#${number}`,
      undoable: true,
    }),
    async handler({ repository, number, ...change }, { signal }) {
      const where = { ...at(repository), issue_number: number };
      const was = await client.read(`GET ${place}/{issue_number}`, where, schemas.wireIssue, signal);
      const { html_url: url } = await client.write(
        `PATCH ${place}/{issue_number}`,
        { ...where, ...given(change) },
        schemas.wireIssue,
        signal,
      );
      const kept = {
        title: was.title,
        body: was.body ?? "",
        state: was.state === "closed" ? ("closed" as const) : ("open" as const),
        labels: labelsOf(was),
      };
      return result({ before: kept, url }, { text: `Changed ${repository}#${number}: ${url}` });
    },
    async undo({ repository, number, ...change }, { before: was, url }, { signal }) {
      const back = Object.fromEntries(
        Object.entries(was).filter(([key]) => change[key as keyof typeof change] !== undefined),
      );
      await client.write(
        `PATCH ${place}/{issue_number}`,
        { ...at(repository), issue_number: number, ...back },
        schemas.wireIssue,
        signal,
      );
      return result({ before: was, url }, { text: `${repository}#${number} is what it was.` });
    },
    async reconcile({ repository, number, ...change }) {
      const where = { ...at(repository), issue_number: number };
      const now = await client.read(
        `GET ${place}/{issue_number}`,
        where,
        schemas.wireIssue,
        AbortSignal.timeout(RECONCILE_MS),
      );
      const shown = {
        title: now.title,
        body: now.body ?? "",
        state: now.state,
        labels: labelsOf(now).toSorted().join("\n"),
      };
      return settled(
        (change.title === undefined || change.title === shown.title) &&
          (change.body === undefined || change.body === shown.body) &&
          (change.state === undefined || change.state === shown.state) &&
          (change.labels === undefined || change.labels.toSorted().join("\n") === shown.labels),
      );
    },
  });
  return [list, get, create, update];
}

const before = z.strictObject({
  title: z.string(),
  body: z.string(),
  state: z.enum(["open", "closed"]),
  labels: z.array(z.string()),
});

function commentTool(client: GithubClient): ToolDefinition {
  const place = "/repos/{owner}/{repo}/issues/{issue_number}/comments";
  return defineTool({
    id: "github.comment.create",
    description:
      "Writes a comment under an issue or a pull request. Everybody who can see the repository can read it.",
    risk: "write",
    input: schemas.createComment,
    output: z.strictObject({ id: z.number(), url: z.string() }),
    labels: { ...writes, critical: ["repository", "number"], content: ["body"] },
    target: ({ repository, number }) => `${repository}#${number}`,
    preview: ({ repository, number, body }) => ({
      sentence: `Comment on ${repository}#${number}.`,
      after: body,
      subject: `${repository}#${number}`,
      creates: true,
      undoable: true,
    }),
    async handler({ repository, number, body }, { signal }) {
      const sent = { ...at(repository), issue_number: number, body };
      const { id, html_url: url } = await client.write(`POST ${place}`, sent, schemas.wireComment, signal);
      return result({ id, url }, { text: `Commented on ${repository}#${number}: ${url}` });
    },
    async undo({ repository, number }, { id, url }, { signal }) {
      await client.remove(
        "DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}",
        { ...at(repository), comment_id: id },
        signal,
      );
      return result(
        { id, url },
        { text: `Deleted the comment on ${repository}#${number}. Who was notified has read it already.` },
      );
    },
    async reconcile({ repository, number, body }) {
      const signal = AbortSignal.timeout(RECONCILE_MS);
      const login = await client.login(schemas.wireAccount, signal);
      const since = new Date(client.now() - LATELY_MS).toISOString();
      const asked = { ...at(repository), issue_number: number, since, per_page: 100 };
      const found = await client.read(`GET ${place}`, asked, z.array(schemas.wireComment), signal);
      return settled(found.some((each) => each.user?.login === login && each.body === body));
    },
  });
}

function pullTools(client: GithubClient): ToolDefinition[] {
  const place = "/repos/{owner}/{repo}/pulls";
  const list = defineTool({
    id: "github.pull.list",
    description: "Pull requests of a repository, the newest first.",
    risk: "read",
    input: schemas.listPulls,
    output: z.strictObject({ pulls: z.array(schemas.pull) }),
    labels: { ...reads, critical: ["repository"], local: ["limit"], lists: "pull" },
    idempotent: true,
    facts: ({ repository }) => ownFacts(client, repository),
    async handler({ repository, state, limit }, { signal }) {
      const found = await client.read(
        `GET ${place}`,
        { ...at(repository), state, per_page: limit },
        z.array(schemas.wirePull),
        signal,
      );
      const pulls = found.map((each) => pullOf(each, false));
      return result({ pulls }, { text: pulls.length === 0 ? "There are none." : pulls.map(line).join("\n") });
    },
  });
  const get = defineTool({
    id: "github.pull.get",
    description: "A pull request with its text, how much it changes, and its first comments.",
    risk: "read",
    input: schemas.getNumbered,
    output: z.strictObject({ pull: schemas.pull, comments: z.array(schemas.comment) }),
    labels: { ...reads, critical: ["repository", "number"] },
    idempotent: true,
    target: ({ repository, number }) => `${repository}#${number}`,
    facts: ({ repository }) => ownFacts(client, repository),
    async handler({ repository, number }, { signal }) {
      const pull = pullOf(
        await client.read(
          `GET ${place}/{pull_number}`,
          { ...at(repository), pull_number: number },
          schemas.wirePull,
          signal,
        ),
        true,
      );
      const asked = { ...at(repository), issue_number: number, per_page: COMMENTS_SHOWN };
      const comments = await client.read(
        "GET /repos/{owner}/{repo}/issues/{issue_number}/comments",
        asked,
        z.array(schemas.wireComment),
        signal,
      );
      return { pull, comments: comments.map(commentOf) };
    },
  });
  const create = defineTool({
    id: "github.pull.create",
    description: "Opens a pull request from a branch that is there. It merges nothing.",
    risk: "write",
    input: schemas.createPull,
    output: z.strictObject({ number: z.number(), url: z.string() }),
    labels: { ...writes, critical: ["repository", "head", "base"], content: ["title", "body"] },
    target: ({ repository }) => repository,
    preview: ({ repository, title, head, base, body, draft }) => ({
      sentence: `Open a ${draft ? "draft of a " : ""}pull request in ${repository}, from ${head} into ${base}.`,
      after: [title, "", body ?? ""].join("\n").trimEnd(),
      subject: repository,
      creates: true,
      undoable: true,
    }),
    async handler({ repository, title, head, base, body, draft }, { signal }) {
      const sent = { ...at(repository), title, head, base, draft, ...(body !== undefined && { body }) };
      const { number, html_url: url } = await client.write(`POST ${place}`, sent, schemas.wirePull, signal);
      return result({ number, url }, { text: `Opened ${repository}#${number}: ${url}` });
    },
    async undo({ repository }, { number, url }, { signal }) {
      await client.write(
        `PATCH ${place}/{pull_number}`,
        { ...at(repository), pull_number: number, state: "closed" },
        schemas.wirePull,
        signal,
      );
      return result({ number, url }, { text: `Closed ${repository}#${number}. The branch is untouched.` });
    },
    async reconcile({ repository, head, base }) {
      const [owner = ""] = repository.split("/");
      const asked = {
        ...at(repository),
        head: head.includes(":") ? head : `${owner}:${head}`,
        base,
        state: "open",
      };
      const found = await client.read(
        `GET ${place}`,
        asked,
        z.array(schemas.wirePull),
        AbortSignal.timeout(RECONCILE_MS),
      );
      return settled(found.length > 0);
    },
  });
  return [list, get, create];
}

function fileTool(client: GithubClient): ToolDefinition {
  return defineTool({
    id: "github.file.read",
    description: "A text file of a repository, or what a folder of it holds.",
    risk: "read",
    input: schemas.readFile,
    output: z.strictObject({
      path: z.string(),
      kind: z.enum(["file", "folder"]),
      text: z.string().optional(),
      entries: z.array(z.strictObject({ path: z.string(), kind: z.string(), bytes: z.number() })).optional(),
      truncated: z.boolean(),
    }),
    labels: { ...reads, critical: ["repository", "path"] },
    idempotent: true,
    target: ({ repository, path }) => `${repository}/${path}`,
    facts: ({ repository }) => ownFacts(client, repository),
    async handler({ repository, path, ref }, { signal }) {
      const asked = { ...at(repository), path: path.replace(/^\/+/, ""), ...(ref !== undefined && { ref }) };
      const found = await client.read(
        "GET /repos/{owner}/{repo}/contents/{+path}",
        asked,
        z.union([z.array(schemas.wireFile), schemas.wireFile]),
        signal,
      );
      if (Array.isArray(found)) {
        const entries = found.map((each) => ({ path: each.path, kind: each.type, bytes: each.size }));
        return { path, kind: "folder", entries, truncated: false };
      }
      if (found.encoding !== "base64" || found.content === undefined)
        throw new ToolError("too_large", `${path} is too large to be read by this way, or no file.`);
      const bytes = Buffer.from(found.content, "base64");
      if (bytes.subarray(0, 8_000).includes(0)) throw new ToolError("binary", `${path} is not text.`);
      const text = bytes.toString("utf8");
      const truncated = text.length > FILE_CHARS_MAX;
      return result(
        { path, kind: "file", text: text.slice(0, FILE_CHARS_MAX), truncated },
        { text: text.slice(0, FILE_CHARS_MAX), truncated },
      );
    },
  });
}

function searchTool(client: GithubClient): ToolDefinition {
  return defineTool({
    id: "github.search.query",
    description: "Searches GitHub for issues and pull requests, code, or repositories.",
    risk: "read",
    input: schemas.search,
    output: z.strictObject({
      total: z.number(),
      results: z.array(z.strictObject({ title: z.string(), url: z.string(), more: z.string() })),
    }),
    labels: { ...reads, critical: ["query"], local: ["limit"] },
    idempotent: true,
    target: ({ query }) => query,
    preview: ({ kind, query }) => ({
      sentence: `Search GitHub (${kind}) for: ${query}`,
      after: query,
      subject: client.host,
    }),
    async handler({ kind, query, limit }, { signal }) {
      const found = await client.read(
        `GET /search/${kind}`,
        { q: query, per_page: limit },
        schemas.wireFound,
        signal,
      );
      const results = found.items.slice(0, limit).map((item) => ({
        title: text(item["title"]) || text(item["full_name"]) || text(item["path"]),
        url: text(item["html_url"]),
        more:
          text(item["state"]) ||
          text(item["description"]).slice(0, 300) ||
          text((item["repository"] as Record<string, unknown> | undefined)?.["full_name"]),
      }));
      return result(
        { total: found.total_count, results },
        {
          text:
            results.map(({ title, url, more }) => `- ${title} (${more}) ${url}`).join("\n") ||
            "Nothing was found.",
        },
      );
    },
  });
}

function checksTool(client: GithubClient): ToolDefinition {
  return defineTool({
    id: "github.check.list",
    description: "How the checks of a branch, tag or commit are doing.",
    risk: "read",
    input: schemas.listChecks,
    output: z.strictObject({
      checks: z.array(z.strictObject({ name: z.string(), state: z.string(), url: z.string().optional() })),
    }),
    labels: { ...reads, critical: ["repository", "ref"] },
    idempotent: true,
    target: ({ repository, ref }) => `${repository}@${ref}`,
    facts: ({ repository }) => ownFacts(client, repository),
    async handler({ repository, ref }, { signal }) {
      const where = { ...at(repository), ref, per_page: 100 };
      const runs = await client.read(
        "GET /repos/{owner}/{repo}/commits/{ref}/check-runs",
        where,
        schemas.wireChecks,
        signal,
      );
      const older = await client.read(
        "GET /repos/{owner}/{repo}/commits/{ref}/status",
        where,
        schemas.wireStatus,
        signal,
      );
      const checks = [
        ...runs.check_runs.map(({ name, status, conclusion, html_url }) => ({
          name,
          state: conclusion ?? status,
          ...(html_url ? { url: html_url } : {}),
        })),
        ...older.statuses.map(({ context, state, target_url }) => ({
          name: context,
          state,
          ...(target_url ? { url: target_url } : {}),
        })),
      ];
      return result(
        { checks },
        { text: checks.map(({ name, state }) => `- ${name}: ${state}`).join("\n") || "There are no checks." },
      );
    },
  });
}

function at(repository: string): { readonly owner: string; readonly repo: string } {
  const [owner = "", repo = ""] = repository.split("/");
  return { owner, repo };
}

function issueOf(wire: z.infer<typeof schemas.wireIssue>, whole: boolean): z.infer<typeof schemas.issue> {
  const { number, title, state, user, comments = 0, created_at: created, html_url: url, body } = wire;
  return {
    number,
    title,
    state,
    author: user?.login ?? "ghost",
    labels: labelsOf(wire),
    comments,
    created,
    url,
    ...(whole && body ? { body: body.slice(0, BODY_SHOWN_MAX) } : {}),
  };
}

function pullOf(wire: z.infer<typeof schemas.wirePull>, whole: boolean): z.infer<typeof schemas.pull> {
  const { number, title, user, draft, head, base, created_at: created, html_url: url, body } = wire;
  return {
    number,
    title,
    state: wire.merged_at ? "merged" : wire.state,
    author: user?.login ?? "ghost",
    draft: draft ?? false,
    head: head.ref,
    base: base.ref,
    created,
    url,
    ...(whole && body ? { body: body.slice(0, BODY_SHOWN_MAX) } : {}),
    ...(whole && wire.changed_files !== undefined
      ? {
          changes: `${wire.changed_files} files, +${wire.additions ?? 0} −${wire.deletions ?? 0}, at ${head.sha}`,
        }
      : {}),
  };
}

function commentOf({ user, created_at: created, body }: z.infer<typeof schemas.wireComment>) {
  return { author: user?.login ?? "ghost", created, body: (body ?? "").slice(0, BODY_SHOWN_MAX) };
}

function labelsOf({ labels }: z.infer<typeof schemas.wireIssue>): string[] {
  return labels.flatMap((label) => (typeof label === "string" ? [label] : label.name ? [label.name] : []));
}

function line({
  number,
  title,
  state,
  author,
}: {
  number: number;
  title: string;
  state: string;
  author: string;
}): string {
  return `- #${number} ${title} (${state}, by ${author})`;
}

function given(change: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}

function isLate(written: string, now: number): boolean {
  return Date.parse(written) > now - LATELY_MS;
}

function settled(happened: boolean): Settled {
  return happened ? "happened" : "did-not-happen";
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
