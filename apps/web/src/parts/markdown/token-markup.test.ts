import { Lexer, Parser } from "marked";
import { expect, test } from "vitest";
import { READING } from "./blocks.ts";
import type { ReplySegment } from "@elwood/core/message/message";
import { markedReply, MARK_SIGN } from "@elwood/sdk/view-state/mark-sign";
import { escapeProse, hostToShow, linkTarget, tokenMarkup } from "./token-markup.ts";
import { spokenText } from "./spoken-text.ts";

const markup = (text: string) => tokenMarkup(Lexer.lex(text, READING));
const ofLibrary = (text: string) =>
  Parser.parse(Lexer.lex(text, READING), { ...READING }).replaceAll("\n", "");

test.each([
  "Some *words* with **weight**, ~~gone~~, `a < b && c` and \\*none\\*.",
  "Two\nlines, and  \na third.",
  "- one\n- two\n  - inner\n\n    a paragraph\n- three",
  "3. third\n4. fourth",
  "1. first",
  "> quoted\n> > twice\n\n***\n\nbehind",
  "| a | b |\n|---|---|\n| 1 | **2** |\n| 3 | 4 |",
  "| a |\n|---|",
  "[a]: https://example.com\n\nA definition is nothing to see.",
])("%j becomes the elements that the library makes of it", (text) => {
  expect(markup(text)).toBe(ofLibrary(text));
});

test("what a list or a quotation holds of code keeps its language and its lines", () => {
  expect(markup('- a\n\n  ```ts twice\n  x < "1"\n\n  y\n  ```')).toBe(
    '<ul><li><p>a</p><pre><code class="language-ts">x &lt; &quot;1&quot;\n\ny</code></pre></li></ul>',
  );
});

test("formulas stay as they were written, inside a sentence and on lines of their own", () => {
  const math = (text: string) => `<code class="math">${text}</code>`;
  expect(markup("So \\(a^2\\) and \\[ \\int_0^1 x\\,dx \\].")).toBe(
    `<p>So ${math("\\(a^2\\)")} and ${math("\\[ \\int_0^1 x\\,dx \\]")}.</p>`,
  );
  expect(markup("$a_1 * b_2 * c$ is $x$, $$y_1 + y_2$$")).toBe(
    `<p>${math("$a_1 * b_2 * c$")} is ${math("$x$")}, ${math("$$y_1 + y_2$$")}</p>`,
  );
  expect(markup("$$\n\\sum_{i=0}^n\n- i < 3\n$$\n\nAfter")).toBe(
    `<p>${math("$$\n\\sum_{i=0}^n\n- i &lt; 3\n$$")}</p><p>After</p>`,
  );
  expect(markup("It costs $5, or 10$ *at most*; \\[not\\(")).toBe(
    "<p>It costs $5, or 10$ <em>at most</em>; [not(</p>",
  );
  expect(markup("`\\(a\\)` and \\$x_1\\$")).toBe("<p><code>\\(a\\)</code> and $x_1$</p>");
});

test("footnotes are raised where they are named, and told where they stand", () => {
  expect(markup("So it is.[^1]\n\n[^1]: Says *who*?\n[^b]: https://a.example/x")).toBe(
    '<p>So it is.<sup class="footnote-mark">1</sup></p><p class="footnote"><sup>1</sup> Says <em>who</em>?</p>' +
      '<p class="footnote"><sup>b</sup> <a href="https://a.example/x" title="https://a.example/x">https://a.example/x</a></p>',
  );
});

test("tasks are boxes whose letters can be copied, headings have one level, and cells a side", () => {
  expect(markup("- [x] done\n- [ ] not\n- plain")).toBe(
    '<ul><li class="task"><span class="box checked"><span class="unseen">[x] </span></span>done</li>' +
      '<li class="task"><span class="box"><span class="unseen">[ ] </span></span>not</li><li>plain</li></ul>',
  );
  expect(markup("# A\n\n#### B *c*")).toBe('<h3 class="h-1">A</h3><h3 class="h-4">B <em>c</em></h3>');
  expect(markup("| a |\n|--:|\n| 1 |")).toBe(
    '<table><thead><tr><th class="to-right">a</th></tr></thead><tbody><tr><td class="to-right">1</td></tr></tbody></table>',
  );
});

test("a mark says what it means in the words that it brings along, and one whose call was undone is no tick", () => {
  const reply = (more: Partial<ReplySegment>) =>
    markup(markedReply([{ text: "So ist es.", by: "model", ...more }]));
  const doubted = {
    verified: "unsupported",
    why: "you said no",
    words: "nicht belegt: du hast es abgelehnt",
  } as const;
  expect(reply(doubted)).toBe(
    '<p>So ist es. <span class="not-verified" title="du hast es abgelehnt">nicht belegt</span></p>',
  );
  expect(reply({ ...doubted, words: "non vérifié : vous avez refusé", cites: ["c6"] })).toBe(
    '<p>So ist es. <span class="cited" title="c6">c6</span><span class="not-verified" title="vous avez refusé">non vérifié</span></p>',
  );
  expect(reply({ verified: "unsupported", words: "未经核实：您已拒绝" })).toContain(
    'title="您已拒绝">未经核实</span>',
  );
  expect(reply({ verified: "unmatched", cites: ["c6"], words: "c6: nicht gefunden." })).toBe(
    '<p>So ist es. <span class="cited" title="c6: nicht gefunden.">c6</span></p>',
  );
  expect(reply({ verified: "supported", cites: ["c6"], words: "c6" })).toContain('title="c6">✓</span>');
  expect(reply({ verified: "supported", cites: ["c6"], undone: true, words: "c6: undone since" })).toBe(
    '<p>So ist es. <span class="tick undone" title="c6: undone since">↩</span></p>',
  );
  const cell = [
    { text: "| a |\n|---|\n| ", by: "model" },
    { text: "x |", by: "model", ...doubted },
  ] as const;
  expect(markup(markedReply(cell))).toContain(">nicht belegt</span></td>");
});

test("only the gateway's marks are marks, and markup is text wherever it stands", () => {
  const s = MARK_SIGN;
  expect(markup(`Done [${s}✓ c1 c2], [✓ c1], [${s}✓ x].`)).toBe(
    '<p>Done <span class="tick" title="On record: c1 c2">✓</span>, [✓ c1], [✓ x].</p>',
  );
  expect(markup(`So [${s}◈ c3].`)).toMatch(/^<p>So <span class="cited" title="[^"<]+">c3<\/span>\.<\/p>$/);
  expect(markup(`Sent [${s}◈ not verified: no call did this].`)).toBe(
    '<p>Sent <span class="not-verified" title="On record: no call did this.">not verified</span>.</p>',
  );
  expect(markup(`\`[${s}✓ c1]\``)).toBe("<p><code>[✓ c1]</code></p>");
  const hostile = '<img src=x onerror="1">';
  for (const text of [
    hostile,
    `- ${hostile}`,
    `\`${hostile}\``,
    `# ${hostile}`,
    `[${hostile}](https://a.example)`,
  ])
    expect(markup(text)).not.toContain("<img");
  expect(markup('```"><img>\nx\n```')).not.toContain("<img");
});

test("only the web and mail can be linked to", () => {
  expect(linkTarget("https://example.com/a")?.host).toBe("example.com");
  expect(linkTarget("HTTPS://EXAMPLE.com")?.host).toBe("example.com");
  expect(linkTarget("mailto:a@example.com")?.protocol).toBe("mailto:");
  for (const dead of [
    "javascript:alert(1)",
    "data:text/html,x",
    "/approvals",
    "file:///etc/passwd",
    "",
    "//evil.example",
  ])
    expect(linkTarget(dead), dead).toBeUndefined();
});

test("words that look like another address are followed by where the link really leads", () => {
  const evil = new URL("https://evil.example/login");
  expect(hostToShow("https://bank.example/login", evil)).toBe("evil.example");
  expect(hostToShow("bank.example", evil)).toBe("evil.example");
  expect(hostToShow("www.bank.example/x", evil)).toBe("evil.example");
  expect(hostToShow("www.evil.example", evil)).toBeUndefined();
  expect(hostToShow("https://evil.example/other", evil)).toBeUndefined();
  expect(hostToShow("the login page", evil)).toBeUndefined();
});

test("letters of another script in a host do not pass for it", () => {
  const target = new URL("https://xn--pple-43d.example/");
  expect(hostToShow("https://apple.example/", target)).toBe("xn--pple-43d.example");
});

test("characters that turn or hide text are written out; emoji and joined scripts stay", () => {
  expect(spokenText("pay\u202egnihton\u202c now")).toBe("pay\\u202egnihton\\u202c now");
  expect(spokenText("in\u200bvisible and pay\u200dpal")).toBe("in\\u200bvisible and pay\\u200dpal");
  expect(spokenText("a\u001b[31mred")).toBe("a\\u001b[31mred");
  for (const honest of ["I ❤️ it", "👩‍💻 works", "1️⃣ first", "می‌خواهم", "Zürich – “quoted” …", "日本語"])
    expect(spokenText(honest)).toBe(honest);
  expect(spokenText("one\r\ntwo")).toBe("one\ntwo");
});

test("words among which another address stands are followed by where the link really leads", () => {
  const evil = new URL("https://evil.example/login");
  expect(hostToShow("Log in at bank.example, please", evil)).toBe("evil.example");
  expect(hostToShow("see (https://bank.example/x)", evil)).toBe("evil.example");
  expect(hostToShow("e.g. the login of evil.example", evil)).toBeUndefined();
  expect(hostToShow("read README first", evil)).toBeUndefined();
});

test("a name before an @ does not pass for the host", () => {
  const target = new URL("https://bank.example@evil.example/x");
  expect(hostToShow("https://bank.example@evil.example/x", target)).toBe("evil.example");
});

test("a reference to a character that turns, hides or forges is shown as it was written", () => {
  for (const hostile of [
    "&#x202e;",
    "&#8203;",
    "&#10003;",
    "&check;",
    "&zwnj;",
    "&#xE0041;",
    "&shy;",
    "&#173;",
  ])
    expect(escapeProse(`a${hostile}b`)).toBe(`a&amp;${hostile.slice(1)}b`);
  for (const honest of ["&lt;", "&nbsp;", "&#39;", "&mdash;"]) expect(escapeProse(honest)).toBe(honest);
  expect(escapeProse('<b> & "q"')).toBe("&lt;b&gt; &amp; &quot;q&quot;");
});
