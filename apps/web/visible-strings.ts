import { parseAst } from "rolldown/parseAst";

/**
 * What people would read and no table has: texts and labels in the page's templates, and strings that look
 * like words. Small words in lower case are missed, because most of those are names of things; what is
 * reported and is none of the reader's is on the list of exceptions in the test.
 */
export function visibleStrings(code: string): string[] {
  const found: string[] = [];
  visit(parse(code), undefined, "", found);
  return found;
}

/** Words of a table that are read while the file is loaded, when the page may not speak its language yet. */
export function earlyWords(code: string): string[] {
  const found: string[] = [];
  early(parse(code), found);
  return found;
}

interface Node {
  readonly type: string;
  readonly [part: string]: unknown;
}

function parse(code: string): unknown {
  return parseAst(code, { lang: "ts" }).body;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

const LABELS = /\s(?:aria-label|aria-description|title|placeholder|alt|label)="([^"]*)"/g;
const TAG = /<\/?[a-zA-Z](?:"[^"]*"|'[^']*'|[^>"'])*>/g;
/** In these, text is no language. */
const VERBATIM = /<(code|kbd|samp|style)\b[^>]*>[^]*?<\/\1>/g;
const HOLE = "\u0001";

function visit(node: unknown, parent: Node | undefined, part: string, found: string[]): void {
  if (Array.isArray(node)) for (const each of node) visit(each, parent, part, found);
  if (!isNode(node) || isOutside(node)) return;
  if (node.type === "TaggedTemplateExpression") {
    const { tag, quasi } = node as Node & { tag: Node; quasi: Node };
    if (tag["name"] === "html") found.push(...templateStrings(cooked(quasi).join(HOLE)));
    visit(quasi["expressions"], node, "expressions", found);
    return;
  }
  if (node.type === "Literal" && typeof node["value"] === "string") {
    if (!isPlumbing(parent, part) && looksSpoken(node["value"])) found.push(node["value"]);
    return;
  }
  if (node.type === "TemplateLiteral") {
    const text = cooked(node);
    const words = text.join("");
    if (!isPlumbing(parent, part) && /\p{L}\S*\s|\s\S*\p{L}/u.test(words) && !/^[/#<]/.test(words))
      found.push(text.join("…"));
    visit(node["expressions"], node, "expressions", found);
    return;
  }
  for (const [key, value] of Object.entries(node)) visit(value, node, key, found);
}

function isOutside({ type }: Node): boolean {
  return /^TS(?!AsExpression|SatisfiesExpression|NonNull)/.test(type) || type === "ImportDeclaration";
}

function cooked(template: Node): string[] {
  return (template["quasis"] as { value: { cooked: string } }[]).map(({ value }) => value.cooked);
}

function templateStrings(markup: string): string[] {
  const shown = markup.replaceAll(/<!--[^]*?-->/g, "").replaceAll(VERBATIM, "");
  const labels = [...shown.matchAll(LABELS)].map(([, label = ""]) => label);
  return [...labels, ...shown.replaceAll(TAG, HOLE).split(HOLE)]
    .map((text) =>
      text
        .replaceAll(HOLE, "…")
        .replaceAll(/&[a-z]+;/g, " ")
        .trim(),
    )
    .filter((text) => /\p{L}/u.test(text) && text !== "Elwood");
}

/** Functions that are handed names, not sentences. */
const NAMES =
  /^(?:icon|querySelector(?:All)?|(?:add|remove)EventListener|call|may|has|(?:get|set|remove)Item|define|matches|closest|createElement|(?:set|get|remove|toggle)Attribute|split|join|startsWith|endsWith|includes|CustomEvent|Error|TypeError|RegExp|Set|fetch|replaceAll|matchMedia|get|set)$/;

function isPlumbing(parent: Node | undefined, part: string): boolean {
  if (!parent) return false;
  if (["BinaryExpression", "SwitchCase", "ImportExpression", "MethodDefinition"].includes(parent.type))
    return true;
  if (part === "key" || (parent.type === "MemberExpression" && part === "property")) return true;
  if (parent.type !== "CallExpression" && parent.type !== "NewExpression") return false;
  const callee = parent["callee"] as Node & { property?: { name: string }; name?: string };
  return NAMES.test(callee.property?.name ?? callee.name ?? "");
}

function looksSpoken(text: string): boolean {
  if (!/\p{L}/u.test(text) || /^(?:https?:|[/.#@]|--)/.test(text)) return false;
  return /^[A-Z][a-z]+(?:[…?!.:]|$)/.test(text) || /\p{L}\S*\s+\S*\p{L}/u.test(text);
}

function early(node: unknown, found: string[]): void {
  if (Array.isArray(node)) for (const each of node) early(each, found);
  if (!isNode(node) || isOutside(node)) return;
  if (/Function|PropertyDefinition/.test(node.type)) return;
  const { object, property } = node as { object?: { name?: string }; property?: { name?: string } };
  if (node.type === "MemberExpression" && object?.name === "say") found.push(property?.name ?? "");
  for (const value of Object.values(node)) early(value, found);
}
