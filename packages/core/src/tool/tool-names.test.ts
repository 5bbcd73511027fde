import { array, assert, constantFrom, property } from "fast-check";
import { describe, expect, test } from "vitest";
import { discoveryNames, programNames } from "./tool-names.ts";

const written = (ids: readonly string[]) =>
  Object.fromEntries(
    programNames(ids)
      .filter(({ wire }) => !wire)
      .map(({ path, toolId }) => [path.join("."), toolId]),
  );

describe("the names of tools in programs", () => {
  test("a tool has its full name, and a short one where the action is unique in its integration", () => {
    expect(written(["files.file.read", "files.file.write", "files.folder.list"])).toEqual({
      "files.file.read": "files.file.read",
      "files.read": "files.file.read",
      "files.file.write": "files.file.write",
      "files.write": "files.file.write",
      "files.folder.list": "files.folder.list",
      "files.list": "files.folder.list",
    });
  });

  test("two tools with the same action in one integration have no short name, in two integrations they have", () => {
    expect(written(["mail.draft.send", "mail.message.send", "chat.message.send"])).toEqual({
      "chat.message.send": "chat.message.send",
      "chat.send": "chat.message.send",
      "mail.draft.send": "mail.draft.send",
      "mail.message.send": "mail.message.send",
    });
  });

  test("an action that is called like a resource of its integration has no short name", () => {
    expect(written(["web.search.query", "web.page.search"])).toEqual({
      "web.page.search": "web.page.search",
      "web.search.query": "web.search.query",
      "web.query": "web.search.query",
    });
  });

  test("an id of two parts keeps its name, or gets an underscore where a resource has it", () => {
    expect(written(["x.ping", "x.file", "x.file.ping"])).toEqual({
      "x.file_": "x.file",
      "x.file.ping": "x.file.ping",
      "x.ping": "x.ping",
    });
  });

  test("a tool is also understood by the name it has outside of programs", () => {
    const wires = programNames(["files.file.read", "x.ping"]).filter(({ wire }) => wire);
    expect(wires.map(({ path, toolId }) => [path, toolId])).toEqual([
      [["files__file__read"], "files.file.read"],
      [["x__ping"], "x.ping"],
    ]);
  });

  test("no short name makes an integration look like a promise", () => {
    expect(written(["plan.step.then", "plan.step.constructor"])).toEqual({
      "plan.step.then": "plan.step.then",
      "plan.step.constructor": "plan.step.constructor",
    });
  });

  test("the search and describe of tools give way to integrations of these names", () => {
    expect(discoveryNames(["files.file.read"])).toEqual({ search: "search", describe: "describe" });
    expect(discoveryNames(["search.web.query"])).toEqual({ search: "search_", describe: "describe" });
  });

  test("whatever the ids: every tool is reached, no name means two, none is the beginning of another, order is fixed", () => {
    const part = constantFrom("a", "b", "c", "then", "b-c", "file");
    const id = array(part, { minLength: 2, maxLength: 3 }).map((parts) => parts.join("."));
    assert(
      property(array(id, { maxLength: 20 }), (ids) => {
        const names = programNames(ids);
        expect(new Set(names.map((each) => each.toolId))).toEqual(new Set(ids));
        const paths = names.map((each) => `${each.path.join(".")}.`);
        expect(new Set(paths).size).toBe(paths.length);
        for (const path of paths) {
          expect(paths.filter((other) => other !== path && other.startsWith(path))).toEqual([]);
        }
        expect(programNames([...ids].toReversed())).toEqual(names);
      }),
    );
  });
});
