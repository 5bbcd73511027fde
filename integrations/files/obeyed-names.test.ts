import { expect, test } from "vitest";
import { isObeyedPath, OBEYED_FILES } from "./obeyed-names.ts";

test.each([
  ".bashrc",
  ".zprofile",
  ".envrc",
  ".git/hooks/pre-commit",
  ".git/config",
  "code/.husky/pre-push",
  "code/.vscode/tasks.json",
  ".config/systemd/user/backup.service",
  "Makefile",
  "code/GNUmakefile",
  "CLAUDE.md",
  "code/Claude.MD",
  "skills/travel/SKILL.md",
  "code/package.json",
  "pyproject.toml",
  "conftest.py",
  "autostart/run.sh",
  "LaunchAgents/me.plist",
  "hooks/post-merge",
  "x.desktop",
  "code/.github/workflows/ci.yml",
  ".gitignore",
  "site-packages/a.pth",
])("%s is run or obeyed by another program", (path) => {
  expect(isObeyedPath(path.split("/"))).toBe(true);
});

test.each([
  "notes.md",
  "todo.txt",
  "code/main.py",
  "deploy.sh",
  "budget.csv",
  "makefile.md",
  "recipes/hosts.txt",
  "a.b.c",
])("%s is not", (path) => {
  expect(isObeyedPath(path.split("/"))).toBe(false);
});

test("every listed name counts in any case and in any folder", () => {
  for (const name of OBEYED_FILES) expect(isObeyedPath(["deep", "er", name.toUpperCase()])).toBe(true);
});
