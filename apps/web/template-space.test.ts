import { parseAst } from "vite";
import { expect, test } from "vitest";
import { withoutTemplateSpace } from "./template-space.ts";

const short = (code: string) => withoutTemplateSpace(code, (text) => parseAst(text));

test("line breaks and indentation of templates become one space, also between attributes and in templates inside", () => {
  const code = [
    "const a = html`<p",
    "    class=${x}",
    '    title="é ✓"',
    "  >",
    "    ${list.map(",
    "      (each) => html`<b>",
    "        ${each}  two</b>`,",
    "    )}",
    "  </p>`;",
  ].join("\n");
  expect(short(code)).toBe(
    'const a = html`<p class=${x} title="é ✓"> ${list.map(\n      (each) => html`<b> ${each}  two</b>`,\n    )} </p>`;',
  );
  expect(short("svg`<path\n  d=${d} />`")).toBe("svg`<path d=${d} />`");
});

test("what stands in a pre or a textarea stays, with the templates inside of it", () => {
  const code =
    "html`<div>\n  <pre>\n a ${rows.map((row) => html`\n  ${row}\n`)}\n b</pre>\n  <textarea>\n x</textarea>\n</div>`";
  expect(short(code)).toBe(
    "html`<div> <pre>\n a ${rows.map((row) => html`\n  ${row}\n`)}\n b</pre> <textarea>\n x</textarea> </div>`",
  );
});

test("the end of a tag hugs it, but for the slash behind a value without quotes", () => {
  expect(short("html`<a\n  .b=${c}\n  >d</a\n> <input\n  .b=${c}\n/>`")).toBe(
    "html`<a .b=${c}>d</a> <input .b=${c} />`",
  );
});

test("attributes of a textarea are no text of it", () => {
  const code = "html`<textarea\n  rows=${n}\n  .value=${html`<b>\n  c</b>`}\n>\n a > b\n</textarea\n>\n d`";
  expect(short(code)).toBe("html`<textarea rows=${n} .value=${html`<b> c</b>`}>\n a > b\n</textarea> d`");
});

test("other templates are nobody's markup", () => {
  const code = "const a = `one\n  two`; const b = sql`one\n  two`; const c = css`a {\n  b: c;\n}`;";
  expect(short(code)).toBe(code);
});
