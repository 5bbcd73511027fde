import { defineTool, type ToolDefinition, type TrustLabels } from "@elwood/sdk/tool";
import { LIMITS } from "@elwood/core/base/limits";
import { z } from "zod";
import type { MemoryActions } from "./memory-actions.ts";
import { GET_TOOL, SEARCH_TOOL } from "@elwood/core/memory/read-labels";

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const LINES = /^\d{1,7}(?:-\d{1,7})?$/;

/** What is in memory is private, and some of it others wrote. */
const READ_LABELS: TrustLabels = {
  egress: "none",
  output: "untrusted",
  critical: [],
  ids: {},
  content: [],
  time: [],
  sensitive: true,
};

const shownLine = z.strictObject({
  source: z.string(),
  line: z.number(),
  day: z.string(),
  speaker: z.string(),
  origin: z.string(),
  text: z.string(),
  /** Absent for a line that stands beside one that was found. */
  score: z.number().optional(),
  remark: z.string().optional(),
});

/** Contracts alone: what the tools do is loaded with the first of their calls. */
export function memoryTools(actions: () => Promise<MemoryActions>): ToolDefinition[] {
  return [saveTool(actions), searchTool(actions), getTool(actions), forgetTool(actions)];
}

function saveTool(actions: () => Promise<MemoryActions>): ToolDefinition {
  return defineTool({
    id: "memory.note.save",
    description:
      'Writes a note for later conversations: one per subject, one bullet per fact ("- Car: Volvo"), in the owner\'s words, with nothing added.',
    risk: "write",
    // What the owner said is written down unasked; what nobody said asks first. The name is only where it lies.
    labels: { egress: "none", output: "trusted", critical: [], content: ["content"], sensitive: false },
    input: z.strictObject({
      key: z.string().min(1).max(120),
      content: z.string().min(1),
      mode: z.enum(["replace", "add"]).default("replace").describe("add keeps what is there"),
    }),
    output: z.strictObject({
      key: z.string(),
      source: z.string(),
      created: z.boolean(),
      changed: z.boolean(),
      bytes: z.number(),
      /** Secrets were taken out of it. */
      redacted: z.boolean(),
      /** The most doubtful origin of what was new in it. */
      origin: z.string(),
      call: z.string(),
    }),
    target: ({ key }) => key,
    facts: async (input) => (input.mode === "add" ? [] : (await actions()).saveFacts(input)),
    preview: async (input) => (await actions()).previewSave(input),
    handler: async (input, ctx) => (await actions()).save(input, ctx),
    undo: async (_input, output) => (await actions()).undoSave(output.call),
    reconcile: async (_input, key) => (await actions()).reconcileSave(key),
  });
}

function searchTool(actions: () => Promise<MemoryActions>): ToolDefinition {
  return defineTool({
    id: SEARCH_TOOL,
    description: "Searches notes and earlier conversations.",
    risk: "read",
    labels: READ_LABELS,
    input: z.strictObject({
      query: z.string().min(1).max(1_000),
      limit: z.number().int().min(1).max(50).default(10),
      since: z.string().regex(DAY).optional().describe("YYYY-MM-DD"),
      until: z.string().regex(DAY).optional(),
    }),
    output: z.strictObject({ found: z.number(), lines: z.array(shownLine) }),
    target: ({ query }) => query,
    handler: async (input, ctx) => (await actions()).search(input, ctx),
  });
}

function getTool(actions: () => Promise<MemoryActions>): ToolDefinition {
  return defineTool({
    id: GET_TOOL,
    description: "Reads a note, or lines of a source that a search named; without either, lists the notes.",
    risk: "read",
    labels: READ_LABELS,
    input: z.strictObject({
      key: z.string().min(1).max(120).optional(),
      source: z.string().min(1).max(300).optional(),
      lines: z.string().regex(LINES).optional().describe("3-20"),
    }),
    output: z.strictObject({ source: z.string(), lines: z.array(shownLine), more: z.boolean() }),
    target: ({ key, source }) => key ?? source,
    handler: async (input) => (await actions()).get(input),
  });
}

function forgetTool(actions: () => Promise<MemoryActions>): ToolDefinition {
  return defineTool({
    id: "memory.note.forget",
    description:
      "Forgets for good: a note, one line of it (line, with its text), or all that mentions a word, in notes and conversations. A note alone leaves what conversations say.",
    risk: "destructive",
    labels: { egress: "none", output: "trusted", critical: ["key", "word"], content: [], sensitive: false },
    input: z.strictObject({
      key: z.string().min(1).max(120).optional(),
      word: z.string().min(1).max(LIMITS.forgetWordCharsMax).optional(),
      line: z.number().int().min(1).optional(),
      text: z.string().max(4_000).optional(),
    }),
    output: z.strictObject({
      files: z.array(z.string()),
      lines: z.number(),
      outOfReach: z.array(z.string()),
    }),
    target: ({ key, line, word }) =>
      word !== undefined ? `“${word}”` : line === undefined ? key : `${key}, line ${line}`,
    preview: async (input) => (await actions()).previewForget(input),
    handler: async (input, ctx) => (await actions()).forget(input, ctx),
  });
}
