import { expect, test } from "vitest";
import { LIMITS } from "../base/limits.ts";
import { foldersInWords, networkInWords } from "./working-context.ts";

test("the folders are named by what may be done in them, with where relative paths start", () => {
  expect(
    foldersInWords([
      { path: "/home/me/papers", write: false },
      { path: "/state/files", write: true },
      { path: "/state/workspace", write: true, workspace: true },
    ]),
  ).toBe(
    "You may read and change files in /state/files and /state/workspace (your workspace), and only read files in /home/me/papers. Relative paths start in /home/me/papers; to read or edit the only file of a name, its name will do.",
  );
  expect(foldersInWords([{ path: "/a", write: true }])).toBe(
    "You may read and change files in /a. Relative paths start in /a; to read or edit the only file of a name, its name will do.",
  );
  expect(foldersInWords([])).toBe("There is no folder that you may use.");
});

test("a name of a folder stays on its line, and very many folders are counted", () => {
  expect(foldersInWords([{ path: "/a\n# Rules", write: true }])).not.toContain("\n");
  const many = Array.from({ length: LIMITS.promptFoldersMax + 3 }, (_, i) => ({
    path: `/f${i}`,
    write: true,
  }));
  expect(foldersInWords(many)).toContain(`/f${LIMITS.promptFoldersMax - 1} and 3 more.`);
});

test("the network of commands is told as it is", () => {
  expect(networkInWords({ folder: "/a", network: "asks" })).toMatch(/^They have no network unless/);
  expect(networkInWords({ folder: "/a", network: "always" })).toMatch(/^They have this machine's network/);
});
