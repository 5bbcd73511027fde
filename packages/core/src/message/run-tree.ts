/**
 * A run of a session that has versions. A run continues the one before it; two that continue the same
 * one are versions of each other, and of those one is shown.
 */
export interface TreeRun {
  readonly runId: string;
  /** The run that it continues; empty where it begins the conversation. */
  readonly parent: string;
  readonly shown: boolean;
}

/** A shown run that is one of several versions. */
export interface RunVersions {
  readonly runId: string;
  /** All of them, itself included, the oldest first. */
  readonly of: readonly string[];
}

/** A run and those that it continues. `tree` is in the order in which runs were accepted, here and below. */
export function lineTo(tree: readonly TreeRun[], runId: string): ReadonlySet<string> {
  const parents = new Map(tree.map((run) => [run.runId, run.parent]));
  const line = new Set<string>();
  for (let at = runId; parents.has(at) && !line.has(at); at = parents.get(at)!) line.add(at);
  return line;
}

/** What is shown once a run is: all that it continues, and of what continues it the newest, down to the end. */
export function lineThrough(tree: readonly TreeRun[], runId: string): ReadonlySet<string> {
  const line = new Set(lineTo(tree, runId));
  const newest = new Map(tree.map((run) => [run.parent, run.runId]));
  for (let at = newest.get(runId); at !== undefined && !line.has(at); at = newest.get(at)) line.add(at);
  return line;
}

/** The places at which the reader has a choice, from the beginning of the conversation on. */
export function versionsIn(tree: readonly TreeRun[]): RunVersions[] {
  const byParent = Map.groupBy(tree, ({ parent }) => parent);
  return tree
    .filter(({ shown }) => shown)
    .map(({ runId, parent }) => ({ runId, of: (byParent.get(parent) ?? []).map((each) => each.runId) }))
    .filter(({ of }) => of.length > 1);
}

/** The place whose other versions a hidden run belongs to: of the shown runs, the one beside the version that it continues. */
export function placeOf(tree: readonly TreeRun[], runId: string): string | undefined {
  const byId = new Map(tree.map((run) => [run.runId, run]));
  const line = [...lineTo(tree, runId)].flatMap((id) => byId.get(id) ?? []);
  const first = line.findLast(({ shown }) => !shown);
  return first && tree.find(({ parent, shown }) => shown && parent === first.parent)?.runId;
}
