import { toWireName } from "../model/model.ts";

/** One way to write a call in a program: `tools.<path[0]>.<path[1]>…(input)`. */
export interface ProgramName {
  readonly path: readonly string[];
  readonly toolId: string;
  /** A shorter way to a tool that has a full name too. */
  readonly alias: boolean;
  /** As models know the tool outside of programs, `tools.files__file__read`: understood, and not taught. */
  readonly wire?: true;
}

/** Short names that objects and promises give a meaning of their own: `await tools.x` must not call a tool. */
const NEVER_ALIASES: ReadonlySet<string> = new Set([
  "then",
  "catch",
  "finally",
  "constructor",
  "prototype",
  "toString",
  "toLocaleString",
  "valueOf",
  "toJSON",
  "hasOwnProperty",
  "isPrototypeOf",
  "propertyIsEnumerable",
]);

/**
 * The names under which programs reach tools; the declarations that a program is checked
 * against and the objects it finds in the sandbox are both built from this list.
 *
 * `a.b.c` is `tools.a.b.c`, and `tools.a.c` too where no other tool of `a` has the action
 * `c` and no resource of `a` is called `c`. An id of two parts is `tools.a.c`, or
 * `tools.a.c_` where `c` is also a resource: ids never end a part with an underscore, so
 * that name is free. Every tool can be called by its wire name too. No path is the beginning
 * of another, and the order depends on the ids alone.
 */
export function programNames(toolIds: readonly string[]): ProgramName[] {
  const ids = [...new Set(toolIds)].toSorted(byCodeUnit);
  const integrations = new Map<string, { resources: Set<string>; actions: Map<string, number> }>();
  for (const id of ids) {
    const parts = id.split(".");
    const known = integrations.get(parts[0]!) ?? { resources: new Set(), actions: new Map() };
    integrations.set(parts[0]!, known);
    const action = parts.at(-1)!;
    known.actions.set(action, (known.actions.get(action) ?? 0) + 1);
    if (parts.length > 2) known.resources.add(parts[1]!);
  }
  return ids.flatMap((toolId): ProgramName[] => {
    const parts = toolId.split(".");
    const wireName = toWireName(toolId);
    const wire: ProgramName[] =
      wireName === toolId || integrations.has(wireName)
        ? []
        : [{ path: [wireName], toolId, alias: true, wire: true }];
    const [integration, middle] = [parts[0]!, parts[1]!];
    const { resources, actions } = integrations.get(integration)!;
    if (parts.length === 2) {
      const action = resources.has(middle) ? `${middle}_` : middle;
      return [{ path: [integration, action], toolId, alias: false }, ...wire];
    }
    const full: ProgramName = { path: parts, toolId, alias: false };
    const action = parts[2]!;
    const short = actions.get(action) === 1 && !resources.has(action) && !NEVER_ALIASES.has(action);
    return [full, ...(short ? [{ path: [integration, action], toolId, alias: true }] : []), ...wire];
  });
}

/** What `tools` itself offers for finding tools, by the names that no integration has taken. */
export function discoveryNames(toolIds: readonly string[]): {
  readonly search: string;
  readonly describe: string;
} {
  const taken = new Set(toolIds.map((id) => id.split(".")[0]));
  const free = (name: string) => (taken.has(name) ? `${name}_` : name);
  return { search: free("search"), describe: free("describe") };
}

/** The same on every machine, whatever its language. */
function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
