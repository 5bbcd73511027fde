import type { AnyNode, Identifier, Program } from "acorn";
import { childrenOf } from "./syntax.ts";

/** One binding of the program, or a name that nothing in it binds. */
export interface Variable {
  readonly name: string;
  /** Where it is bound; empty for a global. */
  readonly bindings: Identifier[];
  /** Where its value is used, and where one is put into it. */
  readonly reads: Identifier[];
  readonly writes: Identifier[];
}

export interface Scopes {
  readonly variables: readonly Variable[];
  variableOf(identifier: Identifier): Variable | undefined;
  /** Names that must come from outside. */
  readonly globals: ReadonlyMap<string, Variable>;
}

interface Scope {
  readonly parent: Scope | undefined;
  readonly ofFunction: boolean;
  readonly names: Map<string, Variable>;
}

type Use = "read" | "write" | "both";

/** Which identifier means which variable, by the language's rules for blocks, functions and hoisting. */
export function resolveScopes(program: Program): Scopes {
  const resolver = new Resolver();
  resolver.visit(program, resolver.root);
  return resolver.finish();
}

class Resolver {
  readonly root: Scope = { parent: undefined, ofFunction: true, names: new Map() };
  readonly #variables: Variable[] = [];
  readonly #uses: { identifier: Identifier; scope: Scope; use: Use }[] = [];
  readonly #byIdentifier = new Map<Identifier, Variable>();

  visit(node: AnyNode, scope: Scope): void {
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- all other nodes just hold others
    switch (node.type) {
      case "Identifier":
        this.#uses.push({ identifier: node, scope, use: "read" });
        return;
      case "FunctionDeclaration":
      case "FunctionExpression":
      case "ArrowFunctionExpression": {
        if (node.type === "FunctionDeclaration" && node.id) this.#declare(node.id, scope);
        const inner = inside(scope, true);
        if (node.type === "FunctionExpression" && node.id) this.#declare(node.id, inner);
        for (const param of node.params) this.#bind(param, inner, inner);
        this.visit(node.body, inner);
        return;
      }
      case "ClassDeclaration":
      case "ClassExpression": {
        const inner = inside(scope, false);
        if (node.id) this.#declare(node.id, node.type === "ClassDeclaration" ? scope : inner);
        if (node.superClass) this.visit(node.superClass, inner);
        this.visit(node.body, inner);
        return;
      }
      case "VariableDeclaration": {
        const home = node.kind === "var" ? functionScope(scope) : scope;
        for (const { id, init } of node.declarations) {
          this.#bind(id, home, scope);
          if (init) this.visit(init, scope);
        }
        return;
      }
      case "CatchClause": {
        const inner = inside(scope, false);
        if (node.param) this.#bind(node.param, inner, inner);
        this.visit(node.body, inner);
        return;
      }
      case "BlockStatement":
      case "ForStatement":
      case "ForInStatement":
      case "ForOfStatement":
      case "SwitchStatement":
      case "StaticBlock":
        this.#forHead(node, inside(scope, node.type === "StaticBlock"));
        return;
      case "AssignmentExpression":
        this.#assign(node.left, scope, node.operator === "=" ? "write" : "both");
        this.visit(node.right, scope);
        return;
      case "UpdateExpression":
        this.#assign(node.argument, scope, "both");
        return;
      case "MemberExpression":
        this.visit(node.object, scope);
        if (node.computed) this.visit(node.property, scope);
        return;
      case "Property":
      case "MethodDefinition":
      case "PropertyDefinition":
        if (node.computed) this.visit(node.key, scope);
        if (node.value) this.visit(node.value, scope);
        return;
      case "LabeledStatement":
        this.visit(node.body, scope);
        return;
      case "BreakStatement":
      case "ContinueStatement":
      case "MetaProperty":
        return;
      default:
        for (const child of childrenOf(node)) this.visit(child, scope);
    }
  }

  finish(): Scopes {
    const globals = new Map<string, Variable>();
    for (const { identifier, scope, use } of this.#uses) {
      let at: Scope | undefined = scope;
      while (at && !at.names.has(identifier.name)) at = at.parent;
      let variable = at?.names.get(identifier.name) ?? globals.get(identifier.name);
      if (variable === undefined) {
        variable = { name: identifier.name, bindings: [], reads: [], writes: [] };
        globals.set(identifier.name, variable);
      }
      if (use !== "write") variable.reads.push(identifier);
      if (use !== "read") variable.writes.push(identifier);
      this.#byIdentifier.set(identifier, variable);
    }
    return {
      variables: this.#variables,
      globals,
      variableOf: (identifier) => this.#byIdentifier.get(identifier),
    };
  }

  #forHead(node: AnyNode, scope: Scope): void {
    const isLoop = node.type === "ForInStatement" || node.type === "ForOfStatement";
    if (!isLoop || node.left.type === "VariableDeclaration") {
      for (const child of childrenOf(node)) this.visit(child, scope);
      return;
    }
    this.#assign(node.left, scope, "write");
    this.visit(node.right, scope);
    this.visit(node.body, scope);
  }

  /** Names of a pattern that makes variables. */
  #bind(pattern: AnyNode, home: Scope, scope: Scope): void {
    if (pattern.type === "Identifier") this.#declare(pattern, home);
    else this.#pattern(pattern, scope, (inner) => this.#bind(inner, home, scope));
  }

  /** Names of a pattern that puts values into variables that are there. */
  #assign(pattern: AnyNode, scope: Scope, use: Use): void {
    if (pattern.type === "Identifier") this.#uses.push({ identifier: pattern, scope, use });
    else if (pattern.type === "MemberExpression") this.visit(pattern, scope);
    else this.#pattern(pattern, scope, (inner) => this.#assign(inner, scope, use));
  }

  #pattern(pattern: AnyNode, scope: Scope, each: (inner: AnyNode) => void): void {
    if (pattern.type === "ArrayPattern") {
      for (const element of pattern.elements) if (element) each(element);
    } else if (pattern.type === "ObjectPattern") {
      for (const property of pattern.properties) {
        if (property.type === "RestElement") each(property.argument);
        else {
          if (property.computed) this.visit(property.key, scope);
          each(property.value);
        }
      }
    } else if (pattern.type === "RestElement") each(pattern.argument);
    else if (pattern.type === "AssignmentPattern") {
      each(pattern.left);
      this.visit(pattern.right, scope);
    } else this.visit(pattern, scope);
  }

  #declare(identifier: Identifier, scope: Scope): void {
    const known = scope.names.get(identifier.name);
    const variable = known ?? { name: identifier.name, bindings: [], reads: [], writes: [] };
    if (!known) {
      scope.names.set(identifier.name, variable);
      this.#variables.push(variable);
    }
    variable.bindings.push(identifier);
    this.#byIdentifier.set(identifier, variable);
  }
}

function inside(parent: Scope, ofFunction: boolean): Scope {
  return { parent, ofFunction, names: new Map() };
}

function functionScope(scope: Scope): Scope {
  let at = scope;
  while (!at.ofFunction && at.parent) at = at.parent;
  return at;
}
