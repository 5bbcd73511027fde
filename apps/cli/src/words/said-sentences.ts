import { parseAst } from "rolldown/parseAst";

/**
 * What failures say, sentence by sentence, as the code has it: a place for a value is `{0}`, `{1}` and so on, in the
 * order of the sentence. A place that holds whole sentences is left out: whoever makes those says them somewhere else.
 */
export function failureSentences(code: string): string[] {
  const found: string[] = [];
  const { body } = parseAst(code, { lang: "ts" });
  visit(body, namesIn(body, new Map()), found);
  return [...new Set(found.flatMap(sentencesOf))];
}

/** What the doctor says: every whole sentence that stands in one of its files, and what to type. */
export function findingSentences(code: string): string[] {
  const found: string[] = [];
  literals(parseAst(code, { lang: "ts" }).body, found);
  return [...new Set(found.flatMap(sentencesOf))].filter((sentence) =>
    /^(?:["“\p{Lu}{]|elwood .* says ).* .*(?:[.:]|: .+)$/u.test(sentence),
  );
}

/** Why the policy allows, asks or denies: what stands beside the rule that says so. */
export function reasonSentences(code: string): string[] {
  const found: string[] = [];
  const { body } = parseAst(code, { lang: "ts" });
  reasons(body, namesIn(body, new Map()), found);
  return [...new Set(found.flatMap(sentencesOf))];
}

interface Node {
  readonly type: string;
  readonly [part: string]: unknown;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

/** Where failures are made, and the parameter that is for people. */
const MAKERS: Readonly<Record<string, number>> = { failure: 1, fail: 1, fileFailure: 2, storageFailure: 2 };
/** Stands for a value until the places are numbered. */
const PLACE = "\u0001";

function literals(node: unknown, found: string[]): void {
  if (Array.isArray(node)) for (const each of node) literals(each, found);
  if (!isNode(node) || node.type === "ImportDeclaration" || node.type === "BinaryExpression") return;
  const text = node.type === "Literal" || node.type === "TemplateLiteral" ? textsOf(node, new Map()) : [];
  found.push(...text);
  for (const value of Object.values(node)) literals(value, found);
}

/** What a file calls by a name: texts, and functions that make one. */
type Named = Map<string, Node[]>;

function visit(node: unknown, named: Named, found: string[]): void {
  if (Array.isArray(node)) for (const each of node) visit(each, named, found);
  if (!isNode(node)) return;
  if (/Function/.test(node.type)) {
    visit(node["body"] ?? [], namesIn(node["body"], new Map(named)), found);
    return;
  }
  if (node.type === "CallExpression") {
    const at = MAKERS[(node["callee"] as { name?: string }).name ?? ""];
    const message = at === undefined ? undefined : (node["arguments"] as Node[])[at];
    if (message) found.push(...textsOf(message, named));
  }
  for (const value of Object.values(node)) visit(value, named, found);
}

/** Where verdicts and facts are made by a function, and the parameter that says why. */
const REASON_MAKERS: Readonly<Record<string, number>> = { ask: 1, denied: 1, verdict: 3 };

function reasons(node: unknown, named: Named, found: string[]): void {
  if (Array.isArray(node)) for (const each of node) reasons(each, named, found);
  if (!isNode(node)) return;
  if (/Function/.test(node.type)) {
    reasons(node["body"] ?? [], namesIn(node["body"], new Map(named)), found);
    return;
  }
  const parts = (node["properties"] ?? []) as { key?: { name?: string }; value?: Node }[];
  const value = (name: string) => parts.find(({ key }) => key?.name === name)?.value;
  const reason = node.type === "ObjectExpression" && value("rule") ? value("reason") : undefined;
  const at = REASON_MAKERS[(node["callee"] as { name?: string } | undefined)?.name ?? ""];
  const said = at === undefined ? reason : (node["arguments"] as Node[])[at];
  if (said) found.push(...textsOf(said, named).filter((text) => text !== PLACE));
  for (const each of Object.values(node)) reasons(each, named, found);
}

/** Of a file or a function, without those of functions inside it. */
function namesIn(node: unknown, named: Named): Named {
  if (Array.isArray(node)) for (const each of node) namesIn(each, named);
  if (!isNode(node)) return named;
  if (node.type === "FunctionDeclaration") {
    const { name = "" } = (node["id"] ?? {}) as { name?: string };
    named.set(name, returnsOf(node["body"]));
  }
  if (/Function/.test(node.type)) return named;
  if (node.type === "VariableDeclarator" && isNode(node["init"]) && /Literal$|^Cond/.test(node["init"].type))
    named.set((node["id"] as { name?: string }).name ?? "", [node["init"]]);
  for (const value of Object.values(node)) namesIn(value, named);
  return named;
}

function returnsOf(node: unknown): Node[] {
  if (Array.isArray(node)) return node.flatMap(returnsOf);
  if (!isNode(node) || /Function/.test(node.type)) return [];
  if (node.type === "ReturnStatement") return isNode(node["argument"]) ? [node["argument"]] : [];
  return Object.values(node).flatMap(returnsOf);
}

/** Every text that an expression can become, as far as this file says it. */
function textsOf(node: Node, named: Named): string[] {
  const part = (name: string) => textsOf(node[name] as Node, named);
  switch (node.type) {
    case "Literal":
      return [String(node["value"])];
    case "TemplateLiteral":
      return filled(node, named);
    case "BinaryExpression":
      return part("left").flatMap((left) => part("right").map((right) => left + right));
    case "ConditionalExpression":
      return [...part("consequent"), ...part("alternate")];
    case "LogicalExpression":
      return [...part("left"), ...part("right")];
    case "Identifier":
      return behind(node["name"] as string, named);
    case "CallExpression":
      return behind((node["callee"] as { name?: string }).name ?? "", named);
    default:
      return [PLACE];
  }
}

/** A text with values in it: those that are texts themselves, and stand in this file, are filled in. */
function filled(node: Node, named: Named): string[] {
  const [first = "", ...rest] = (node["quasis"] as { value: { cooked: string } }[]).map(
    ({ value }) => value.cooked,
  );
  return (node["expressions"] as Node[]).reduce<string[]>(
    (texts, each, at) => {
      const values = /^(?:Identifier|CallExpression)$/.test(each.type) ? textsOf(each, named) : [PLACE];
      return texts.flatMap((text) => values.map((value) => text + value + (rest[at] ?? "")));
    },
    [first],
  );
}

function behind(name: string, named: Named): string[] {
  const texts = named.get(name);
  if (!texts || texts.length === 0) return [PLACE];
  // A name that leads to itself ends here.
  const rest = new Map(named);
  rest.delete(name);
  return texts.flatMap((each) => textsOf(each, rest));
}

/** A place with nothing but the end of a sentence before it, and the beginning of one behind it. */
const WHOLE_SENTENCE = new RegExp(`(^|[.!?] ?|\n)${PLACE}(?=$|\n| ["“\\p{Lu}${PLACE}])`, "gu");
/** Ends of sentences; also behind a place that a colon announces, which holds a whole one. */
const BOUNDARY = new RegExp(`(?<=[.!?]|: ${PLACE}) +(?=["“\\p{Lu}${PLACE}])|\n+`, "u");

/** What is left of a sentence that another place announced. */
const LEADING_SENTENCE = new RegExp(`^${PLACE}+ (?=\\p{Lu})`, "u");

function sentencesOf(text: string): string[] {
  return text
    .replaceAll(WHOLE_SENTENCE, "$1")
    .replaceAll(WHOLE_SENTENCE, "$1")
    .split(BOUNDARY)
    .map((sentence) => {
      let place = 0;
      return sentence
        .trim()
        .replace(LEADING_SENTENCE, "")
        .replaceAll(PLACE, () => `{${place++}}`);
    })
    .filter((sentence) => /\p{L}/u.test(sentence));
}
