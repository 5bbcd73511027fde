import { z } from "zod";

const BODY_CHARS_MAX = 65_536;

export const repository = () =>
  z
    .string()
    .trim()
    .regex(/^[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})\/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/, {
      error: "must be owner/name, such as me/notes",
    });
const number = () => z.int().min(1).max(1_000_000_000);
const limit = () => z.int().min(1).max(50).default(20);
const body = () => z.string().min(1).max(BODY_CHARS_MAX);
const title = () => z.string().trim().min(1).max(256);
const label = () => z.string().min(1).max(50);
const ref = () => z.string().min(1).max(250);

export const listIssues = z.strictObject({
  repository: repository(),
  state: z.enum(["open", "closed", "all"]).default("open"),
  labels: z.array(label()).max(10).optional(),
  limit: limit(),
});
export const getNumbered = z.strictObject({ repository: repository(), number: number() });
export const listPulls = z.strictObject({
  repository: repository(),
  state: z.enum(["open", "closed", "all"]).default("open"),
  limit: limit(),
});
export const createIssue = z.strictObject({
  repository: repository(),
  title: title(),
  body: body().optional(),
  labels: z.array(label()).max(10).optional(),
});
export const updateIssue = z.strictObject({
  repository: repository(),
  number: number(),
  title: title().optional(),
  body: body().optional(),
  state: z.enum(["open", "closed"]).optional(),
  labels: z.array(label()).max(20).optional().describe("All labels that it has afterwards."),
});
export const createComment = z.strictObject({ repository: repository(), number: number(), body: body() });
export const createPull = z.strictObject({
  repository: repository(),
  title: title(),
  head: ref().describe("The branch with the changes, or owner:branch."),
  base: ref().describe("The branch they go into."),
  body: body().optional(),
  draft: z.boolean().default(false),
});
export const readFile = z.strictObject({
  repository: repository(),
  path: z.string().max(1_000).default("").describe("A folder lists what is in it."),
  ref: ref().optional().describe("A branch, tag or commit; the default branch where left out."),
});
export const search = z.strictObject({
  kind: z.enum(["issues", "code", "repositories"]).default("issues"),
  query: z.string().min(1).max(256).describe("In GitHub's own language, such as repo:me/notes is:open crash"),
  limit: limit(),
});
export const listChecks = z.strictObject({
  repository: repository(),
  ref: ref().describe("A branch, tag or commit."),
});

/** What is read of GitHub's answers; all else is left out. */
const user = z.object({ login: z.string() }).nullish();
export const wireIssue = z.object({
  number: z.number(),
  title: z.string(),
  state: z.string(),
  body: z.string().nullish(),
  user,
  labels: z.array(z.union([z.string(), z.object({ name: z.string().nullish() })])).default([]),
  comments: z.number().optional(),
  created_at: z.string(),
  html_url: z.string(),
  pull_request: z.unknown().optional(),
});
export const wireComment = z.object({
  id: z.number(),
  body: z.string().nullish(),
  user,
  created_at: z.string(),
  html_url: z.string(),
});
export const wirePull = z.object({
  number: z.number(),
  title: z.string(),
  state: z.string(),
  body: z.string().nullish(),
  user,
  draft: z.boolean().nullish(),
  merged_at: z.string().nullish(),
  head: z.object({ ref: z.string(), sha: z.string() }),
  base: z.object({ ref: z.string() }),
  additions: z.number().optional(),
  deletions: z.number().optional(),
  changed_files: z.number().optional(),
  created_at: z.string(),
  html_url: z.string(),
});
export const wireFile = z.object({
  type: z.string(),
  path: z.string(),
  size: z.number(),
  sha: z.string(),
  encoding: z.string().optional(),
  content: z.string().optional(),
});
export const wireFound = z.object({
  total_count: z.number(),
  items: z.array(z.record(z.string(), z.unknown())),
});
export const wireChecks = z.object({
  check_runs: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      conclusion: z.string().nullish(),
      html_url: z.string().nullish(),
    }),
  ),
});
export const wireStatus = z.object({
  state: z.string(),
  statuses: z.array(z.object({ context: z.string(), state: z.string(), target_url: z.string().nullish() })),
});
export const wireAccount = z.object({ login: z.string() });

export const issue = z.strictObject({
  number: z.number(),
  title: z.string(),
  state: z.string(),
  author: z.string(),
  labels: z.array(z.string()),
  comments: z.number(),
  created: z.string(),
  url: z.string(),
  body: z.string().optional(),
});
export const comment = z.strictObject({ author: z.string(), created: z.string(), body: z.string() });
export const pull = z.strictObject({
  number: z.number(),
  title: z.string(),
  state: z.string(),
  author: z.string(),
  draft: z.boolean(),
  head: z.string(),
  base: z.string(),
  created: z.string(),
  url: z.string(),
  body: z.string().optional(),
  changes: z.string().optional(),
});
