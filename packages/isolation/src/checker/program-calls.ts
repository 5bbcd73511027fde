import type { AnyNode, CallExpression, Program } from "acorn";
import type { DeclaredTool } from "@elwood/runtime/programs/declarations";
import { nearestNames } from "@elwood/runtime/programs/tool-search";
import type { Scopes } from "./scopes.ts";

/** Tells, for a place in a program, which tool is meant there. */
export class ProgramCalls {
  readonly #nodes: readonly AnyNode[];
  readonly #parents: ReadonlyMap<AnyNode, AnyNode>;
  readonly #scopes: Scopes;
  readonly #tools: ReadonlyMap<string, DeclaredTool>;

  constructor(
    nodes: readonly AnyNode[],
    parents: ReadonlyMap<AnyNode, AnyNode>,
    scopes: Scopes,
    tools: readonly DeclaredTool[],
  ) {
    this.#nodes = nodes;
    this.#parents = parents;
    this.#scopes = scopes;
    this.#tools = new Map(tools.flatMap((tool) => tool.paths.map((path) => [path.join("."), tool] as const)));
  }

  /** The tool of the innermost call around a place, or of the call whose result is used there. */
  toolAt(at: number): DeclaredTool | undefined {
    const around = this.#nodes.filter((node) => node.start <= at && at < node.end).toReversed();
    for (const node of around) {
      const tool = node.type === "CallExpression" ? this.#toolOf(node) : undefined;
      if (tool) return tool;
    }
    const identifier = around.find((node) => node.type === "Identifier" && this.#scopes.variableOf(node));
    const root = identifier ?? this.#rootAt(around);
    return root?.type === "Identifier" ? this.#origin(root) : undefined;
  }

  /** The first tool called within a piece. */
  toolWithin(start: number, end: number): DeclaredTool | undefined {
    for (const node of this.#nodes) {
      if (node.start < start || node.end > end || node.type !== "CallExpression") continue;
      const tool = this.#toolOf(node);
      if (tool) return tool;
    }
    return undefined;
  }

  /** The path written at a place, such as `files.fil.read`, where it begins with the global `tools`. */
  pathAt(at: number): string | undefined {
    const member = this.#nodes.find((node) => node.type === "MemberExpression" && node.property.start === at);
    let top = member;
    for (let up = member; up?.type === "MemberExpression"; up = this.#parents.get(up)) top = up;
    return top && this.#pathOf(top)?.join(".");
  }

  /** Names of tools that a misspelt one may have meant. */
  meant(path: string): string[] {
    const names = [...this.#tools.keys()];
    const near = nearestNames(path, names);
    const last = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
    const sameAction = names.filter((name) => name.slice(name.lastIndexOf(".") + 1).toLowerCase() === last);
    return [...new Set([...near, ...sameAction])].slice(0, 3);
  }

  #rootAt(around: readonly AnyNode[]): AnyNode | undefined {
    let node: AnyNode | undefined = around.find((each) => each.type === "MemberExpression");
    while (node?.type === "MemberExpression") node = node.object;
    return node;
  }

  #origin(identifier: AnyNode & { type: "Identifier" }): DeclaredTool | undefined {
    for (const binding of this.#scopes.variableOf(identifier)?.bindings ?? []) {
      let up = this.#parents.get(binding);
      while (up && up.type !== "VariableDeclarator" && !up.type.endsWith("Statement"))
        up = this.#parents.get(up);
      if (up?.type === "VariableDeclarator" && up.init) return this.toolWithin(up.init.start, up.init.end);
    }
    return undefined;
  }

  #toolOf({ callee }: CallExpression): DeclaredTool | undefined {
    const path = this.#pathOf(callee);
    return path && this.#tools.get(path.join("."));
  }

  #pathOf(node: AnyNode): string[] | undefined {
    const path: string[] = [];
    let at: AnyNode = node;
    while (at.type === "MemberExpression" || at.type === "ChainExpression") {
      if (at.type === "ChainExpression") {
        at = at.expression;
        continue;
      }
      const { property } = at;
      if (!at.computed && property.type === "Identifier") path.unshift(property.name);
      else if (property.type === "Literal" && typeof property.value === "string")
        path.unshift(property.value);
      else return undefined;
      at = at.object;
    }
    return at.type === "Identifier" && at.name === "tools" && this.#scopes.globals.has("tools")
      ? path
      : undefined;
  }
}

/** A program that only declares a function is meant to run it. */
export function uncalledMain(program: Program, scopes: Scopes): string | undefined {
  const declared = program.body.flatMap((statement) => {
    if (statement.type === "FunctionDeclaration") return [statement.id];
    if (statement.type !== "VariableDeclaration") return [];
    return statement.declarations.flatMap(({ id, init }) =>
      id.type === "Identifier" &&
      (init?.type === "ArrowFunctionExpression" || init?.type === "FunctionExpression")
        ? [id]
        : [],
    );
  });
  const uncalled = declared.filter((id) => scopes.variableOf(id)?.reads.length === 0);
  const acts = program.body.some((each) => !/^(Function|Variable|Class|Empty)/.test(each.type));
  if (acts || uncalled.length === 0) return undefined;
  const main =
    uncalled.find((id) => MAIN_NAMES.has(id.name)) ?? (uncalled.length === 1 ? uncalled[0] : undefined);
  return main?.name;
}

/** A last statement that starts the whole program without waiting for it: `main();`, `(async () => { … })();` */
export function unawaitedEntry(program: Program, scopes: Scopes): AnyNode | undefined {
  const last = program.body.findLast(
    (each) => each.type !== "EmptyStatement" && each.type !== "FunctionDeclaration",
  );
  if (last?.type !== "ExpressionStatement") return undefined;
  let at: AnyNode = last.expression;
  // main().catch(console.error)
  while (at.type === "CallExpression" && at.callee.type === "MemberExpression") {
    const { object, property }: AnyNode & { type: "MemberExpression" } = at.callee;
    if (property.type !== "Identifier" || !/^(then|catch|finally)$/.test(property.name)) return undefined;
    at = object;
  }
  if (at.type !== "CallExpression") return undefined;
  const { callee } = at;
  const isInline = callee.type === "ArrowFunctionExpression" || callee.type === "FunctionExpression";
  if (isInline) return callee.async ? last.expression : undefined;
  if (callee.type !== "Identifier" || at.arguments.length > 0) return undefined;
  const bound = scopes.variableOf(callee)?.bindings ?? [];
  return MAIN_NAMES.has(callee.name) && bound.length > 0 ? last.expression : undefined;
}

const MAIN_NAMES = new Set(["main", "run", "program", "execute", "start", "handler", "_main", "task"]);
