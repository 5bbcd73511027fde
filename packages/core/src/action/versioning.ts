/** How an import treats what is stored under the same name. */
export const VERSIONING = ["AlwaysBump", "ReuseIfUnchanged", "ForceRollbackToLatest"] as const;
export type Versioning = (typeof VERSIONING)[number];

/** What is stored under a name: its newest version, and the one that `latest` means now. */
export interface StoredVersions {
  readonly newest: { readonly version: number; readonly digest: string };
  readonly current: number;
}

/** What an import does with one entry. */
export type VersionStep =
  /** A version is added, and `latest` means it. */
  | { readonly kind: "create"; readonly version: number }
  /** Nothing is added; `latest` means this version from now on, which may be no change. */
  | { readonly kind: "point"; readonly version: number; readonly changed: boolean }
  /** Nothing is stored under the name, and the strategy adds nothing. */
  | { readonly kind: "refuse" };

/**
 * `AlwaysBump` adds a version whatever is there. `ReuseIfUnchanged` adds one only where the content differs
 * from the newest version. `ForceRollbackToLatest` adds nothing: the newest stored version becomes the current
 * one, whatever the file says.
 */
export function versionStep(
  strategy: Versioning,
  stored: StoredVersions | undefined,
  digest: string,
): VersionStep {
  if (!stored)
    return strategy === "ForceRollbackToLatest" ? { kind: "refuse" } : { kind: "create", version: 1 };
  const { newest, current } = stored;
  const same = newest.digest === digest;
  if (strategy === "AlwaysBump" || (strategy === "ReuseIfUnchanged" && !same))
    return { kind: "create", version: newest.version + 1 };
  return { kind: "point", version: newest.version, changed: current !== newest.version };
}
