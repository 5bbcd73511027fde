/**
 * The reference of the SDK, out of its sources: what each entry point exports, with its comment and its signature.
 * `node scripts/write-sdk-reference.ts` writes docs/sdk-reference.md, and a test compares.
 */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseSync } from "vite";

export const REFERENCE = "docs/sdk-reference.md";
const SOURCES = "packages/sdk/src";

/** In the order in which a reader needs them. */
const ENTRIES: readonly (readonly [name: string, file: string, about: string])[] = [
  ["@elwood/sdk", "index.ts", "Assistants, conversations, tools, and the engine over a gateway."],
  [
    "@elwood/sdk/local",
    "local.ts",
    "The engine in this process. It needs Node 24.15 and the package `elwood`.",
  ],
  ["@elwood/sdk/testing", "testing.ts", "For tests."],
  ["@elwood/sdk/client", "client.ts", "The client of the gateway, in Node and browsers."],
  ["@elwood/sdk/tool", "tool.ts", "Tools that the gateway loads: see [tools](tools.md)."],
  ["@elwood/sdk/channel", "channel.ts", "Chat services."],
];

/** As much of a syntax tree as is looked at. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

interface Source {
  readonly path: string;
  readonly text: string;
  readonly body: readonly Node[];
  readonly comments: readonly { readonly value: string; readonly start: number; readonly end: number }[];
}

export function sdkReference(root: string): string {
  const parts = ENTRIES.map(([name, file, about]) => {
    const entry = parsed(root, `${SOURCES}/${file}`);
    const items = exportsOf(root, entry).map(({ name: exported, source, node }) =>
      [`### ${exported}`, docOf(source, node), codeOf(source, node)].filter(Boolean).join("\n\n"),
    );
    return [`## ${name}`, about, ...items].join("\n\n");
  });
  return `${[INTRODUCTION, ...parts].join("\n\n")}\n`;
}

const INTRODUCTION = `# SDK reference

What each entry point of \`@elwood/sdk\` exports. [Assistants as code](sdk.md) says how it goes together. This page is written from the sources by \`node scripts/write-sdk-reference.ts\`.`;

interface Exported {
  readonly name: string;
  readonly source: Source;
  readonly node: Node;
}

function exportsOf(root: string, source: Source): Exported[] {
  return source.body.flatMap((statement): Exported[] => {
    if (statement.type !== "ExportNamedDeclaration") return [];
    const declared = statement["declaration"] as Node | null;
    if (declared) return [{ name: nameOf(declared), source, node: statement }];
    const from = statement["source"] as { readonly value: string } | null;
    const specifiers = statement["specifiers"] as readonly Node[];
    const target = (local: string) => {
      const name = from?.value ?? importedFrom(source, local);
      return name === undefined ? undefined : parsed(root, pathOf(root, name, source.path));
    };
    return specifiers.map((specifier) => {
      const local = (specifier["local"] as { readonly name: string }).name;
      const behind = target(local);
      const found = behind && exportsOf(root, behind).find(({ name }) => name === local);
      if (!found) throw new Error(`${source.path} exports ${local}, which is not found`);
      return { ...found, name: (specifier["exported"] as { readonly name: string }).name };
    });
  });
}

/** Where a name that is exported again was imported from. */
function importedFrom({ body }: Source, local: string): string | undefined {
  const found = body.find(
    (statement) =>
      statement.type === "ImportDeclaration" &&
      (statement["specifiers"] as readonly Node[]).some(
        (specifier) => (specifier["local"] as { readonly name: string }).name === local,
      ),
  );
  return (found?.["source"] as { readonly value: string } | undefined)?.value;
}

/** The source behind a name: a file beside it, or one of another package of the project. */
function pathOf(root: string, name: string, from: string): string {
  if (name.startsWith(".")) return join(dirname(from), name);
  const [, part = "", rest = ""] = /^@elwood\/([^/]+)\/(.+)$/.exec(name) ?? [];
  const { exports } = JSON.parse(readFileSync(join(root, "packages", part, "package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, string>>;
  };
  return join("packages", part, exports[`./${rest}`] ?? "");
}

function nameOf(declaration: Node): string {
  const [first] = (declaration["declarations"] ?? []) as readonly Node[];
  const id = (first ?? declaration)["id"] as { readonly name: string };
  return id.name;
}

/** The words of a comment right before a node. */
function docOf({ text, comments }: Source, { start }: Node): string {
  const before = comments.find(
    (comment) =>
      comment.end <= start && text.slice(comment.end, start).trim() === "" && comment.value.startsWith("*"),
  );
  if (!before) return "";
  const lines = before.value.slice(1).split("\n");
  return lines
    .map((line) => line.replace(/^\s*\* ?/, "").trimEnd())
    .join("\n")
    .trim();
}

function codeOf(source: Source, statement: Node): string {
  const node = statement["declaration"] as Node;
  const text = node.type === "ClassDeclaration" ? classText(source, node) : declarationText(source, node);
  return `\`\`\`ts\n${withoutLintNotes(text)}\n\`\`\``;
}

/** Without bodies and without what is private. */
function classText(source: Source, node: Node): string {
  const body = node["body"] as Node;
  const members = body["body"] as readonly Node[];
  const shown = members.filter((member) => isPublic(member) && !isImplementation(members, member));
  const lines = shown.map((member) => {
    const doc = docOf(source, member);
    const comment = doc === "" ? "" : `  ${commentText(doc)}\n`;
    return `${comment}  ${memberText(source, member)}`;
  });
  return [`${source.text.slice(node.start, body.start).trim()} {`, ...lines, "}"].join("\n");
}

function commentText(doc: string): string {
  return doc.includes("\n")
    ? `/**\n${doc.replaceAll(/^/gm, "   * ").replaceAll(/ +$/gm, "")}\n   */`
    : `/** ${doc} */`;
}

function isPublic(member: Node): boolean {
  const key = member["key"] as Node | undefined;
  return key !== undefined && key.type !== "PrivateIdentifier" && member["accessibility"] !== "private";
}

/** Of overloads the signatures are shown, and not what is behind them. */
function isImplementation(members: readonly Node[], member: Node): boolean {
  if (member.type !== "MethodDefinition" || bodyOf(member) === undefined) return false;
  const name = (each: Node) => ((each["key"] ?? {}) as { readonly name?: string }).name;
  return members.some(
    (other) =>
      other !== member &&
      name(other) === name(member) &&
      other.type !== "PropertyDefinition" &&
      bodyOf(other) === undefined,
  );
}

function bodyOf(member: Node): Node | undefined {
  const value = member["value"] as Node | null | undefined;
  return (value?.["body"] as Node | null | undefined) ?? undefined;
}

function memberText({ text }: Source, member: Node): string {
  if (member.type === "PropertyDefinition") {
    const annotation = member["typeAnnotation"] as Node | null;
    const value = member["value"] as Node | null;
    const end = annotation?.end ?? (value ? value.start : member.end);
    return `${text
      .slice(member.start, end)
      .replace(/\s*=\s*$/, "")
      .replace(/;$/, "")}${annotation || !value ? "" : ` = ${text.slice(value.start, value.end)}`};`;
  }
  const body = bodyOf(member);
  return `${text
    .slice(member.start, body?.start ?? member.end)
    .trim()
    .replace(/;$/, "")};`
    .replace(/^async /, "")
    .replace(/^override /, "");
}

function declarationText({ text }: Source, node: Node): string {
  const body = node["body"] as Node | null | undefined;
  if (node.type === "FunctionDeclaration" && body)
    return `${text.slice(node.start, body.start).trim()};`.replace(/^async /, "");
  const [first] = (node["declarations"] ?? []) as readonly Node[];
  const init = first?.["init"] as Node | null | undefined;
  // A function that is a constant; of another constant the value says what it is.
  if (init?.type === "ArrowFunctionExpression")
    return `${text.slice(node.start, (init["body"] as Node).start).trim()} …`;
  return text.slice(node.start, node.end);
}

function withoutLintNotes(text: string): string {
  return text.replaceAll(/^[ \t]*\/\/ oxlint.*\n/gm, "");
}

function parsed(root: string, path: string): Source {
  const text = readFileSync(join(root, path), "utf8");
  const { program, comments } = parseSync(path, text, { lang: "ts" });
  return { path, text, body: program.body as unknown as readonly Node[], comments };
}
