import { parseAst } from "rolldown/parseAst";

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [part: string]: unknown;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

/** Functions whose words have a table of their own, with a test that none is missing there. */
const ELSEWHERE: ReadonlyMap<string, readonly number[]> = new Map([
  ["say", [1]],
  ["sayCount", [2, 3]],
  ["working", [0]],
  // Failures, with their reason: `german-failures.ts`.
  ["fail", [0, 1]],
  ["failure", [0, 1]],
  ["fileFailure", [2]],
  ["storageFailure", [2]],
  // Help, and what is wrong with a command line: `german-help.ts`.
  ["command", [0]],
  ["description", [0]],
  ["option", [0, 1]],
  ["requiredOption", [0, 1]],
  ["argument", [0, 1]],
  ["Option", [0, 1]],
  ["addHelpText", [0, 1]],
  ["InvalidArgumentError", [0]],
  // Bugs and the log, which are for programmers.
  ["Error", [0]],
  ["error", [0]],
]);

/** Two words, a sentence's end, or a word as a title has it. Names, paths and keys are none. */
const FOR_PEOPLE = /\p{L}{2,}[,.:;”"')]* \p{L}|^\p{Lu}\p{Ll}+\b|\p{L}[.:?!…]$|^\p{Lu}{2,}$/u;

/**
 * Words for people that stand in the code of a command and in no table: every text that reads like a sentence or a
 * title, wherever it stands, and every word beside a value in what is written out.
 */
export function strayWords(code: string): string[] {
  const found: string[] = [];
  const look = (node: unknown, written: boolean): void => {
    if (Array.isArray(node)) for (const each of node) look(each, written);
    if (!isNode(node) || /^(?:Import|ExportAll|TS(?!As|Satisfies|NonNull))/.test(node.type)) return;
    switch (node.type) {
      case "Literal":
        if (typeof node["value"] === "string") tell(node["value"], written);
        return;
      case "TemplateLiteral": {
        const pieces = (node["quasis"] as { value: { cooked: string } }[]).map(({ value }) => value.cooked);
        tell(
          pieces.reduce((text, piece, at) => `${text}{${at - 1}}${piece}`),
          written,
        );
        look(node["expressions"], false);
        return;
      }
      case "BinaryExpression":
        if (node["operator"] === "+") break;
        return;
      case "SwitchCase":
        look(node["consequent"], written);
        return;
      case "MemberExpression":
        look(node["object"], false);
        return;
      case "Property":
        // The title of a column is typed as a sentence, and `table` says it.
        if ((node["key"] as { name?: string }).name !== "title") look(node["value"], written);
        return;
      case "VariableDeclarator":
        // Typed as sentences: what is not in the table does not compile.
        if (SENTENCES.test(code.slice(node.start, (node["id"] as { end: number }).end))) return;
        break;
      case "TSSatisfiesExpression":
        if (SENTENCES.test(code.slice((node["typeAnnotation"] as Node).start, node["end"] as number))) return;
        break;
      case "CallExpression":
      case "NewExpression": {
        const callee = node["callee"] as Node & { name?: string; property?: { name?: string } };
        const name = callee.name ?? callee.property?.name ?? "";
        const skipped = ELSEWHERE.get(name) ?? [];
        look(callee["object"], false);
        for (const [at, each] of (node["arguments"] as Node[]).entries())
          if (!skipped.includes(at)) look(each, name === "write");
        return;
      }
      default:
    }
    for (const value of Object.values(node)) look(value, written);
  };
  const tell = (text: string, written: boolean) => {
    const words = text.replaceAll(/\{\d+\}/g, "").trim();
    if (FOR_PEOPLE.test(words) || (written && /\p{L}{2,}/u.test(words))) found.push(text);
  };
  look(parseAst(code, { lang: "ts" }).body, false);
  return found;
}

/** A type that holds nothing but sentences. */
const SENTENCES = /:[^]*\bSentence\b|^(?:readonly )?Sentence\b|^readonly Sentence\[\]/;
