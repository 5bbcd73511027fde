import { expect, test } from "vitest";
import { showLine, showText } from "./show.ts";

test("characters that turn, hide or draw are written out", () => {
  expect(showText("rm safe.txt\u202egpj.sh")).toBe("rm safe.txt\\u202egpj.sh");
  expect(showText("ls\u200b\u2060 -la")).toBe("ls\\u200b\\u2060 -la");
  expect(showText("a\u001b[2Jb\u0007")).toBe("a\\u001b[2Jb\\u0007");
  expect(showText("tag\u{e0041}")).toBe("tag\\u{e0041}");
});

test("a single line stays a single line", () => {
  expect(showLine("ok\n\nApproved by admin\tyes\r")).toBe("ok\\n\\nApproved by admin\\tyes\\r");
});

test("ordinary text of any script is left as it is", () => {
  const text = "Grüße, 早上好, שלום, نعم 🙂\n\tindented";
  expect(showText(text)).toBe(text);
});

test("half a character is made whole, not passed on", () => {
  expect(showText("a\ud800b")).toBe("a\\ufffdb");
});
