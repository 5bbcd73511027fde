import { expect, test } from "vitest";
import { previewKind } from "./kind.ts";

test("a file is looked at as what its kind or its name says, and as nothing where neither is known", () => {
  expect(previewKind("a.PNG", "")).toBe("picture");
  expect(previewKind("notes.md", "application/octet-stream")).toBe("markdown");
  expect(previewKind("", "text/csv")).toBe("csv");
  expect(previewKind("report.pdf", "")).toBe("pdf");
  expect(previewKind("site.html", "text/plain")).toBe("html");
  expect(previewKind("main.rs", "")).toBe("text");
  // A picture that can hold scripts is shown as its source.
  expect(previewKind("logo.svg", "image/svg+xml")).toBe("text");
  expect(previewKind("archive.zip", "application/zip")).toBeUndefined();
  expect(previewKind("noname", "")).toBeUndefined();
});
