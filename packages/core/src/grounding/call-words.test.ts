import { expect, test } from "vitest";
import type { ActivityItem } from "../tool/activity.ts";
import { LOCALES } from "../request/language.ts";
import { callName, callTarget, effectVerb } from "./call-words.ts";

const item = (of: Partial<ActivityItem>): ActivityItem => ({
  cite: "c1",
  callId: "call-1",
  toolId: "files.file.delete",
  target: "compras.txt",
  status: "denied",
  risk: "destructive",
  when: 1,
  receiptRef: "r1",
  summary: "",
  ...of,
});

test("what a move is about has no English word in a reply of another language", () => {
  const move = item({ toolId: "files.file.move", target: "termine.md to alt.md" });
  expect(callTarget(move)).toBe("termine.md to alt.md");
  expect(callTarget(move, "de")).toBe("termine.md → alt.md");
  expect(callName(move, "fr")).toContain("termine.md → alt.md");
  expect(callTarget(item({ target: "ode to joy.txt" }), "de")).toBe("ode to joy.txt");
});

test("an action is named in the language of the reply, a look as a look and a change as a change", () => {
  const named = (of: Partial<ActivityItem>) => LOCALES.map((locale) => callName(item(of), locale));
  expect(callName(item({}), "de")).toBe("löschen → compras.txt");
  expect(callName(item({}), "es")).toBe("borrar → compras.txt");
  const look = named({ toolId: "web.page.fetch", risk: "read", target: "https://example.com" });
  const change = named({ toolId: "files.file.write", risk: "write", target: "https://example.com" });
  for (const [i, locale] of LOCALES.entries()) {
    expect(look[i], locale).not.toBe(change[i]);
    if (locale !== "en") expect(look[i], locale).not.toMatch(/fetch|page|file|write|delete/);
  }
});

test("a file that is written is not told as changed, in any language", () => {
  const told = (toolId: string) =>
    LOCALES.map((locale) => effectVerb(item({ toolId, risk: "write", status: "succeeded" }), locale));
  expect(told("files.file.write")).toEqual([
    "Wrote",
    "Geschrieben:",
    "Escrito:",
    "Écrit :",
    "已写入：",
    "書き込み：",
  ]);
  expect(told("files.file.edit")).toEqual([
    "Changed",
    "Geändert:",
    "Cambiado:",
    "Modifié :",
    "已更改：",
    "変更：",
  ]);
  expect(effectVerb(item({ toolId: "calendar.event.create", risk: "write" }), "de")).toMatch(
    /^(?:Angelegt|Geplant):$/,
  );
  expect(callName(item({ toolId: "files.file.write", risk: "write", target: "a.txt" }), "de")).toBe(
    "schreiben → a.txt",
  );
});

test("a tool of an MCP server is called by its own name, in every language", () => {
  const call = item({ toolId: "mcp-memory.create_entities.call", target: "create_entities (memory)" });
  expect(LOCALES.map((locale) => callName(call, locale))).toEqual(
    LOCALES.map(() => "create_entities (memory)"),
  );
});
