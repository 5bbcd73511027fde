import type { Plugin, Rolldown } from "vite";

type Parse = (code: string) => unknown;

/** Of a piece of a template: in the tag that opens a `<pre>` or `<textarea>`, in its text, or elsewhere. */
type Place = "opening" | "verbatim" | "markup";

/**
 * Writes line breaks and indentation in our own templates as one space each, as a browser
 * does that lays them out: they are a good part of the script, and a browser would keep
 * them all. Those before the end of a tag go altogether. Text in `<pre>` and `<textarea>` stays. So must text of templates that styles
 * show as it was written (`white-space: pre-wrap` and its kin), and those cannot be seen
 * here: their tags hug their content in the source.
 */
export function templateSpace(folder: string): Plugin {
  return {
    name: "elwood-template-space",
    apply: "build",
    transform: {
      filter: { code: /\b(?:html|svg)`/ },
      handler(this: Rolldown.TransformPluginContext, code, id) {
        if (!id.startsWith(folder)) return undefined;
        return { code: withoutTemplateSpace(code, (text) => this.parse(text)), map: null };
      },
    },
  };
}

/** The same module, with short templates. */
export function withoutTemplateSpace(code: string, parse: Parse): string {
  const pieces: { start: number; end: number; text: string }[] = [];
  visit(parse(code), "markup", (start, end, begins) => {
    const { text, ends } = collapsed(code.slice(start, end), begins);
    pieces.push({ start, end, text });
    return ends;
  });
  let short = code;
  for (const { start, end, text } of pieces.toSorted((a, b) => b.start - a.start))
    short = short.slice(0, start) + text + short.slice(end);
  return short;
}

/** Hands each piece of text of each template to `take`, which says where it ends. */
function visit(
  node: unknown,
  begins: Place,
  take: (start: number, end: number, begins: Place) => Place,
): void {
  if (Array.isArray(node)) for (const part of node) visit(part, begins, take);
  if (!isNode(node)) return;
  const template = templateOf(node);
  if (template === undefined) {
    for (const value of Object.values(node)) visit(value, begins, take);
    return;
  }
  let place = begins;
  for (const [i, quasi] of template.quasis.entries()) {
    place = take(quasi.start, quasi.end, place);
    visit(template.expressions[i], place === "verbatim" ? place : "markup", take);
  }
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

interface Template extends Node {
  readonly quasis: readonly Node[];
  readonly expressions: readonly Node[];
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

function templateOf(node: Node): Template | undefined {
  if (node.type !== "TaggedTemplateExpression") return undefined;
  // The shape of this kind of node, by the ESTree specification.
  const { tag, quasi } = node as Node & { tag: Node & { name?: string }; quasi: Template };
  return tag.type === "Identifier" && (tag.name === "html" || tag.name === "svg") ? quasi : undefined;
}

function collapsed(text: string, begins: Place): { text: string; ends: Place } {
  let place = begins;
  const parts = text.split(/(<\/?(?:pre|textarea)\b|>)/).map((part, i, all) => {
    if (part === "<pre" || part === "<textarea") place = "opening";
    else if (part === "</pre" || part === "</textarea") place = "markup";
    else if (part === ">" && place === "opening") place = "verbatim";
    else if (place !== "verbatim") {
      const inTag = all[i + 1] === ">" ? part.replace(/\s*\n\s*$/, "") : part;
      return inTag.replace(/\s*\n\s*/g, " ");
    }
    return part;
  });
  return { text: parts.join(""), ends: place };
}
