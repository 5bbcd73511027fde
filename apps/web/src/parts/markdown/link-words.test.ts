import { expect, test } from "vitest";
import { escapeProse } from "./escape-text.ts";
import { hostToShow, linkTarget } from "./link-words.ts";
import { spokenText } from "./spoken-text.ts";

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
