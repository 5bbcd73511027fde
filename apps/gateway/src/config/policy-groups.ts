import { resolveToolName, TOOL_ALIASES } from "@elwood/core/tool/tool";
import { z } from "zod";
import { group, listOf, named, numberAbove, oneOf, words, yesOrNo } from "./leaves.ts";

const DECISIONS = ["allow", "ask", "deny"] as const;
const EXPIRY_HOURS_MAX = 8_760;

export const POLICY_DEFAULTS = {
  mode: "balanced",
  rules: [] as { tool: string; decision: (typeof DECISIONS)[number] }[],
  approvalExpiryHours: 168,
  approver: true,
  knownDestinations: false,
} as const;

/** What Elwood may do unasked, and where its file tools may reach. */
export const policyGroups = {
  permissions: () =>
    group({
      safeCommands: listOf(text()).optional(),
      dangerousPatterns: listOf(pattern(), "a list of regular expressions").optional(),
      toolPolicy: named(oneOf(DECISIONS))
        .superRefine((policy, context) => {
          for (const name of Object.keys(policy)) {
            const problem = toolNameProblem(name);
            if (problem === undefined) continue;
            context.addIssue({ code: "custom", path: [name], message: problem, params: { sentence: true } });
          }
        })
        .optional(),
    }).optional(),
  policy: () =>
    group({
      mode: oneOf(["balanced", "trusting", "strict"]).default(POLICY_DEFAULTS.mode),
      rules: listOf(group({ tool: toolPattern(), decision: oneOf(DECISIONS) }), "a list of rules").default(
        [],
      ),
      /** How long a question to the owner waits. */
      approvalExpiryHours: numberAbove(0)
        .max(EXPIRY_HOURS_MAX, { error: `must be a number above 0, at most ${EXPIRY_HOURS_MAX}` })
        .default(POLICY_DEFAULTS.approvalExpiryHours),
      /** False: there is nobody to ask, and what asks is denied. */
      approver: yesOrNo().default(POLICY_DEFAULTS.approver),
      /** True: where the owner let a tool go to before, by hand, it may go again unasked. */
      knownDestinations: yesOrNo().default(POLICY_DEFAULTS.knownDestinations),
    }),
  files: () => group({ roots: listOf(root(), "a list of folders").optional() }),
};

/** Settings of a group that does something, which themselves do nothing yet. */
export const IDLE_SETTINGS: ReadonlySet<string> = new Set([
  "tools.timeoutMs",
  "tools.maxOutputBytes",
  "memory.embeddingModel",
]);

/** A folder, or a folder that may be written to. Only what the owner says may be changed, may be. */
function root() {
  const folder = group({
    path: words("the path of a folder"),
    write: yesOrNo().default(false),
    synced: yesOrNo().optional(),
  });
  return z.preprocess((value) => (typeof value === "string" ? { path: value } : value), folder);
}

export function toolPattern() {
  return words("a tool's id such as files.file.write, or a pattern such as files.*").superRefine(
    (name, context) => {
      const message = toolNameProblem(name);
      if (message !== undefined) context.addIssue({ code: "custom", message, params: { sentence: true } });
    },
  );
}

/** A rule over a name that no tool can have would look like protection and be none. */
function toolNameProblem(name: string): string | undefined {
  // `files.*` is a pattern where `files.x` could be an id.
  const id = name.endsWith(".*") ? `${name.slice(0, -1)}x` : name;
  if (name === "*" || resolveToolName(id) !== undefined) return undefined;
  return `it names no tool. Write an id such as files.file.write, a pattern such as files.*, or one of ${Object.keys(TOOL_ALIASES).join(", ")}.`;
}

function text() {
  return z.string({ error: "must be text" });
}

function pattern() {
  const error = "must be a regular expression";
  return z.string({ error }).refine(isPattern, { error });
}

function isPattern(source: string): boolean {
  try {
    return new RegExp(source) instanceof RegExp;
  } catch (cause) {
    if (cause instanceof SyntaxError) return false;
    throw cause;
  }
}
