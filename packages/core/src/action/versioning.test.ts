import { expect, test } from "vitest";
import { versionStep, type StoredVersions } from "./versioning.ts";

const stored = (current: number): StoredVersions => ({ newest: { version: 3, digest: "same" }, current });

test.each([
  ["AlwaysBump", undefined, "same", { kind: "create", version: 1 }],
  ["AlwaysBump", stored(3), "same", { kind: "create", version: 4 }],
  ["AlwaysBump", stored(1), "other", { kind: "create", version: 4 }],
  ["ReuseIfUnchanged", undefined, "same", { kind: "create", version: 1 }],
  ["ReuseIfUnchanged", stored(3), "same", { kind: "point", version: 3, changed: false }],
  ["ReuseIfUnchanged", stored(1), "same", { kind: "point", version: 3, changed: true }],
  ["ReuseIfUnchanged", stored(3), "other", { kind: "create", version: 4 }],
  ["ForceRollbackToLatest", undefined, "same", { kind: "refuse" }],
  ["ForceRollbackToLatest", stored(3), "other", { kind: "point", version: 3, changed: false }],
  ["ForceRollbackToLatest", stored(1), "other", { kind: "point", version: 3, changed: true }],
] as const)("AC-4: %s, with %o stored and content %s, comes to %o", (strategy, has, digest, step) => {
  expect(versionStep(strategy, has, digest)).toEqual(step);
});
