import type { PlannedCall } from "../../planned-model.ts";

/** Calls of the built-in tools, as a model writes them. */

export const list = (path: string): PlannedCall => ({ tool: "files.file.list", input: { path } });
export const read = (path: string): PlannedCall => ({ tool: "files.file.read", input: { path } });
export const search = (query: string, path = "."): PlannedCall => ({
  tool: "files.file.search",
  input: { query, path },
});
export const write = (path: string, content: string): PlannedCall => ({
  tool: "files.file.write",
  input: { path, content },
});
export const edit = (path: string, oldText: string, newText: string): PlannedCall => ({
  tool: "files.file.edit",
  input: { path, oldText, newText },
});
export const move = (from: string, to: string): PlannedCall => ({
  tool: "files.file.move",
  input: { from, to },
});
export const remove = (path: string): PlannedCall => ({ tool: "files.file.delete", input: { path } });
export const run = (...argv: string[]): PlannedCall => ({ tool: "shell.command.run", input: { argv } });
export const fetchPage = (url: string): PlannedCall => ({ tool: "web.page.fetch", input: { url } });
export const program = (purpose: string, source: string): PlannedCall => ({
  tool: "program.code.run",
  input: { purpose, source },
});
export const note = (key: string, content: string): PlannedCall => ({
  tool: "memory.note.save",
  input: { key, content, mode: "add" },
});
export const recall = (query: string): PlannedCall => ({ tool: "memory.note.search", input: { query } });
export const choose = (question: string, ...options: string[]): PlannedCall => ({
  tool: "owner.question.choose",
  input: { question, options },
});
export const askOwner = (question: string): PlannedCall => ({
  tool: "owner.question.ask",
  input: { question },
});
