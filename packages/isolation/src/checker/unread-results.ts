import type { AnyNode, CallExpression, ObjectExpression, Pattern, VariableDeclarator } from "acorn";
import type { Scopes, Variable } from "./scopes.ts";

/** A piece of the program whose value is dropped, and what would be wrong with that. */
export interface Dropped {
  readonly kind: "unhandled" | "floating";
  readonly start: number;
  readonly end: number;
  readonly open: string;
  readonly close: string;
}

/** All pieces whose values nobody looks at, outer ones first. */
export function droppedValues(
  nodes: Iterable<AnyNode>,
  parents: ReadonlyMap<AnyNode, AnyNode>,
  scopes: Scopes,
): Dropped[] {
  const finder = new Finder(parents, scopes);
  for (const node of nodes) finder.look(node);
  for (const variable of scopes.variables) finder.lookAtVariable(variable);
  const seen = new Set<string>();
  return finder.dropped
    .toSorted((a, b) => a.start - b.start || b.end - a.end)
    .filter((each) => {
      const key = `${each.start} ${each.end} ${each.open}`;
      return !seen.has(key) && seen.add(key);
    });
}

/** `list.forEach(async …)`: nobody waits for what the function does. */
export function isUnawaitedForEach(node: AnyNode): node is CallExpression {
  if (node.type !== "CallExpression" || methodOf(node) !== "forEach") return false;
  const callback = node.arguments[0];
  return callback !== undefined && isFunction(callback) && callback.async;
}

const ADDING = new Set(["push", "unshift", "set", "add"]);
const CONTAINING = new Set([...ADDING, "sort", "reverse", "fill", "splice", "pop", "shift", "forEach"]);

class Finder {
  readonly dropped: Dropped[] = [];
  readonly #parents: ReadonlyMap<AnyNode, AnyNode>;
  readonly #scopes: Scopes;

  constructor(parents: ReadonlyMap<AnyNode, AnyNode>, scopes: Scopes) {
    this.#parents = parents;
    this.#scopes = scopes;
  }

  /** Values that are dropped where they arise. */
  look(node: AnyNode): void {
    if (node.type === "ExpressionStatement") this.#drop(node.expression);
    else if (node.type === "UnaryExpression" && node.operator === "void") this.#drop(node.argument);
    else if (node.type === "SequenceExpression")
      for (const each of node.expressions.slice(0, -1)) this.#drop(each);
    else if (node.type === "ForStatement") {
      if (node.update) this.#drop(node.update);
      if (node.init && node.init.type !== "VariableDeclaration") this.#drop(node.init);
    } else if (node.type === "CallExpression") this.#lookAtCallback(node);
    else if (node.type === "VariableDeclarator" && node.init) this.#lookAtPattern(node, node.init);
    else if (node.type === "TemplateLiteral") for (const each of node.expressions) this.#lose(each);
    else if (
      node.type === "IfStatement" ||
      node.type === "WhileStatement" ||
      node.type === "DoWhileStatement"
    ) {
      this.#lose(node.test);
    } else if (node.type === "ConditionalExpression") this.#lose(node.test);
    else if (node.type === "UnaryExpression" && node.operator === "!") this.#lose(node.argument);
    else if (node.type === "LogicalExpression" && node.operator === "&&") this.#lose(node.left);
    else if (node.type === "BlockStatement" || node.type === "Program" || node.type === "SwitchCase") {
      this.#lookForOverwritten(node.type === "SwitchCase" ? node.consequent : node.body);
    }
  }

  /** Values that are kept in something that nobody looks into. */
  lookAtVariable(variable: Variable): void {
    if (variable.reads.some((read) => this.#isLookedAt(read))) return;
    const unused = variable.reads.length === 0;
    for (const place of [...variable.bindings, ...variable.writes]) {
      const parent = this.#parents.get(place);
      if (parent?.type === "VariableDeclarator" && parent.id === place) {
        const loop = this.#parents.get(this.#parents.get(parent)!);
        if (parent.init?.type === "ObjectExpression") this.#markProperties(parent.init);
        else if (parent.init) this.#mark(parent.init, unused);
        else if (loop?.type === "ForOfStatement") this.#mark(loop.right, false);
      } else if (parent?.type === "AssignmentExpression" && parent.left === place) {
        // `if ((r = await …).ok)` looks at it on the way.
        if (!this.#isLookedAt(parent)) this.#mark(parent.right, unused);
      } else if (parent?.type === "ForOfStatement" && parent.left === place) this.#mark(parent.right, false);
    }
    for (const read of variable.reads) {
      const member = this.#parents.get(read);
      if (member?.type !== "MemberExpression") continue;
      const use = this.#parents.get(member);
      if (use?.type === "AssignmentExpression" && use.left === member) this.#mark(use.right, false);
      else if (use?.type === "CallExpression" && use.callee === member) {
        for (const each of use.arguments) if (each.type !== "SpreadElement") this.#mark(each, false);
      }
    }
  }

  #lookAtCallback(call: CallExpression): void {
    const callback = call.arguments[0];
    if (callback === undefined || !isFunction(callback) || call.callee.type !== "MemberExpression") return;
    const method = methodOf(call);
    if (method === "forEach" && callback.body.type !== "BlockStatement") this.#drop(callback.body);
    if (method !== "then") return;
    const first = callback.params[0];
    if (first === undefined || !this.#isUsed(first)) {
      const object = call.callee.object;
      if (object.type !== "Super") this.#mark(object, false);
    }
  }

  #lookAtPattern({ id }: VariableDeclarator, init: AnyNode): void {
    if (id.type === "ObjectPattern") {
      if (!this.#isUsed(id)) this.#mark(init, false);
    } else if (id.type === "ArrayPattern") {
      const bound = id.elements.map((each) => {
        if (each?.type === "RestElement") return 2;
        return each && this.#isUsed(each) ? 1 : 0;
      });
      const listed = listedPromises(init);
      if (bound.every((each) => each === 0)) this.#mark(init, false);
      else if (listed) {
        const rest = bound.at(-1) === 2;
        for (const [i, each] of listed.entries()) {
          if (each && (i < bound.length ? bound[i] === 0 : !rest)) this.#mark(each, false);
        }
      } else {
        const close = `, [${bound.join(", ")}])`;
        const { start, end } = init;
        this.dropped.push({ kind: "unhandled", start, end, open: "__elwoodSkipped(", close });
      }
    }
  }

  /** Whether any variable of a pattern is looked at; one that is only put somewhere counts, since its place is followed too. */
  #isUsed(pattern: Pattern): boolean {
    if (pattern.type === "Identifier") {
      const variable = this.#scopes.variableOf(pattern);
      return variable === undefined || variable.reads.some((read) => this.#isLookedAt(read));
    }
    if (pattern.type === "AssignmentPattern") return this.#isUsed(pattern.left);
    if (pattern.type === "RestElement") return this.#isUsed(pattern.argument);
    if (pattern.type === "ArrayPattern") return pattern.elements.some((each) => each && this.#isUsed(each));
    if (pattern.type !== "ObjectPattern") return true;
    return pattern.properties.some((each) => this.#isUsed(each.type === "RestElement" ? each : each.value));
  }

  /** `let r = await a(); r = await b();` with nothing between: the first is lost. */
  #lookForOverwritten(statements: readonly AnyNode[]): void {
    for (const [i, statement] of statements.entries()) {
      const stored = storeOf(statement);
      const variable = stored && this.#scopes.variableOf(stored.target);
      if (!stored || !variable) continue;
      const between = (node: AnyNode) => (read: AnyNode) => read.start >= node.start && read.end <= node.end;
      for (const later of statements.slice(i + 1)) {
        const next = storeOf(later);
        const overwrites =
          next && this.#scopes.variableOf(next.target) === variable && later.type === "ExpressionStatement";
        const touched = [...variable.reads, ...variable.writes].some(between(later));
        if (overwrites && !variable.reads.some(between(later))) this.#mark(stored.value, false);
        if (touched) break;
      }
    }
  }

  /** Whether the value that a node gives is looked at by what surrounds the node. */
  #isLookedAt(node: AnyNode): boolean {
    const parent = this.#parents.get(node);
    if (parent === undefined) return true;
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- everything else looks at it
    switch (parent.type) {
      case "ExpressionStatement":
        return false;
      case "UnaryExpression":
        return parent.operator !== "void" && parent.operator !== "!" && parent.operator !== "typeof";
      case "AwaitExpression":
      case "ChainExpression":
      case "ParenthesizedExpression":
        return this.#isLookedAt(parent);
      case "SequenceExpression":
        return parent.expressions.at(-1) === node && this.#isLookedAt(parent);
      case "LogicalExpression":
        // Whether there is a result says nothing: there always is.
        return (parent.right === node || parent.operator === "??") && this.#isLookedAt(parent);
      case "ConditionalExpression":
        return parent.test !== node && this.#isLookedAt(parent);
      case "IfStatement":
      case "WhileStatement":
      case "DoWhileStatement":
      case "ForStatement":
        return false;
      case "MemberExpression":
        return parent.object === node ? this.#isMemberLook(parent) : true;
      default:
        return true;
    }
  }

  #isMemberLook(member: AnyNode & { type: "MemberExpression" }): boolean {
    const name = !member.computed && member.property.type === "Identifier" ? member.property.name : undefined;
    // `value` behind a cast is no look at whether there is one.
    if (name === "value" || name === "length" || name === "size") return false;
    const use = this.#parents.get(member);
    if (use?.type === "AssignmentExpression" && use.left === member) return false;
    if (use?.type === "CallExpression" && use.callee === member && name !== undefined && ADDING.has(name)) {
      return this.#parents.get(use)?.type !== "ExpressionStatement";
    }
    return use?.type !== "ExpressionStatement";
  }

  /** A value that is used only for being there, or as text, which every result is and none needs. */
  #lose(expression: AnyNode): void {
    if (expression.type === "AwaitExpression" || expression.type === "CallExpression")
      this.#mark(expression, false);
  }

  #drop(expression: AnyNode): void {
    if (expression.type === "AssignmentExpression" || expression.type === "UpdateExpression") return;
    if (expression.type === "Literal" || expression.type === "Identifier") return;
    // What a generator hands out is somebody else's to look at.
    if (expression.type === "YieldExpression") return;
    if (expression.type === "CallExpression" && isContainerCall(expression)) return;
    this.#mark(expression, true);
  }

  #markProperties(object: ObjectExpression): void {
    for (const each of object.properties) if (each.type === "Property") this.#mark(each.value, false);
  }

  #mark({ start, end }: AnyNode, floating: boolean): void {
    if (floating) this.dropped.push({ kind: "floating", start, end, open: "__elwoodPending((", close: "))" });
    this.dropped.push({ kind: "unhandled", start, end, open: "__elwoodUnread((", close: "))" });
  }
}

/** `results.push(r);`, `map.set(k, r);`: what such calls give back is in the container, which is followed by its name. */
function isContainerCall(call: CallExpression): boolean {
  const { callee } = call;
  return (
    callee.type === "MemberExpression" &&
    callee.object.type === "Identifier" &&
    CONTAINING.has(methodOf(call) ?? "")
  );
}

/** The members of `await Promise.all([a, b])`, where each can be told by its place. */
function listedPromises(init: AnyNode): readonly (AnyNode | null)[] | undefined {
  const call = init.type === "AwaitExpression" ? init.argument : init;
  if (call.type !== "CallExpression") return undefined;
  const list = call.arguments[0];
  const listed = list?.type === "ArrayExpression" && methodOf(call) === "all" ? list.elements : undefined;
  return listed?.some((each) => each?.type === "SpreadElement") ? undefined : listed;
}

function storeOf(statement: AnyNode) {
  if (statement.type === "VariableDeclaration" && statement.declarations.length === 1) {
    const { id, init } = statement.declarations[0]!;
    return id.type === "Identifier" && init ? { target: id, value: init } : undefined;
  }
  if (statement.type !== "ExpressionStatement" || statement.expression.type !== "AssignmentExpression")
    return undefined;
  const { left, right, operator } = statement.expression;
  return left.type === "Identifier" && operator === "=" ? { target: left, value: right } : undefined;
}

function methodOf(call: CallExpression): string | undefined {
  const { callee } = call;
  return callee.type === "MemberExpression" && callee.property.type === "Identifier"
    ? callee.property.name
    : undefined;
}

function isFunction(node: AnyNode) {
  return node.type === "ArrowFunctionExpression" || node.type === "FunctionExpression";
}
