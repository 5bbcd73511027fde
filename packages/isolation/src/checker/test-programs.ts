import { createHash } from "node:crypto";
import { LIMITS } from "@elwood/core/base/limits";
import { WORST_LABELS, type Risk, type ToolContract } from "@elwood/core/tool/tool";
import { declarationsFor } from "@elwood/runtime/programs/declarations";

/** Tools and programs that the tests of the checker and its benchmark share. */

export const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest("hex");

export function contract(
  id: string,
  risk: Risk,
  input: Record<string, unknown>,
  output: Record<string, unknown> = {},
  description = `Does ${id}.`,
): ToolContract {
  return {
    id,
    description,
    risk,
    labels: WORST_LABELS,
    requiresApproval: false,
    idempotent: false,
    canPreview: false,
    canUndo: false,
    canReconcile: false,
    timeoutMs: LIMITS.toolTimeoutMs,
    input,
    output,
  };
}

export function object(properties: Record<string, unknown>, optional: readonly string[] = []) {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: "object", properties, required, additionalProperties: false };
}

const text = { type: "string" };
const number = { type: "number" };

export const CONTRACTS: readonly ToolContract[] = [
  contract("files.file.read", "read", object({ path: text }), object({ text })),
  contract(
    "files.file.list",
    "read",
    object({ path: text }),
    object({ entries: { type: "array", items: text } }),
  ),
  contract("files.file.write", "write", object({ path: text, content: text }), object({ bytes: number })),
  contract("files.file.delete", "destructive", object({ path: text })),
  contract(
    "github.issue.list",
    "read",
    object({ repo: text, state: { enum: ["open", "closed"] } }, ["state"]),
    object({
      issues: {
        type: "array",
        items: object({ number, title: text, labels: { type: "array", items: text } }),
      },
    }),
  ),
  contract(
    "github.issue.close",
    "write",
    object({ repo: text, number }),
    object({ closed: { type: "boolean" } }),
  ),
  contract(
    "github.comment.create",
    "write",
    object({ repo: text, number, body: text }),
    object({ id: number }),
  ),
  contract(
    "mail.message.send",
    "write",
    object({ to: text, subject: text, body: text }),
    object({ id: text }),
  ),
];

export const DECLARATIONS = declarationsFor(CONTRACTS, sha256);

/** Some hundred tools of many shapes. */
export function manyContracts(count: number): ToolContract[] {
  const words = [
    "account",
    "booking",
    "contact",
    "document",
    "event",
    "folder",
    "invoice",
    "label",
    "message",
    "order",
  ];
  const actions = [
    "list",
    "get",
    "create",
    "update",
    "remove",
    "search",
    "move",
    "share",
    "archive",
    "export",
  ];
  const perIntegration = words.length * actions.length;
  return Array.from({ length: count }, (_, i) => {
    const word = words[Math.floor(i / actions.length) % words.length]!;
    const action = actions[i % actions.length]!;
    const risk: Risk = i % 10 < 2 || i % 10 === 5 ? "read" : i % 10 === 4 ? "destructive" : "write";
    const item = object({ id: text, name: text, size: number, tags: { type: "array", items: text } }, [
      "tags",
    ]);
    return contract(
      `service${Math.floor(i / perIntegration)}.${word}.${action}`,
      risk,
      object(
        {
          id: { ...text, description: `Which ${word} it is about.` },
          limit: { type: "integer", minimum: 1, maximum: 100, default: 20 },
          state: { enum: ["open", "closed", "all"] },
          since: { ...text, format: "date-time" },
        },
        ["limit", "state", "since"],
      ),
      object({ items: { type: "array", items: item }, next: { type: ["string", "null"] } }),
      `Will ${action} one ${word} of the service, or several where the service allows that.`,
    );
  });
}
