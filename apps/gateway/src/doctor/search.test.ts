import { err } from "@elwood/core/base/result";
import { expect, test } from "vitest";
import { testFolder } from "../../test/config/test-folder.ts";
import type { DoctorContext } from "./finding.ts";
import { search } from "./search.ts";

async function said(config: string, env: Record<string, string> = {}): Promise<string[]> {
  const f = testFolder();
  f.write("home/config.yaml", config);
  const value = await f.load({ env });
  // The check looks at nothing else of its context.
  const findings = await search.run({ loaded: { ok: true, value } } as unknown as DoctorContext);
  return findings.map(({ id, severity, what, evidence }) => `${severity} ${id}: ${what} (${evidence})`);
}

test("the doctor says whether the web can be searched, and by whom", async () => {
  expect(await said("")).toEqual([
    "info search.off: Web search is off because no search service is set up. (no key, no address)",
  ]);
  expect(await said("web: { search: { searxngUrl: 'http://127.0.0.1:8888' } }")).toEqual([
    "ok search.service: The web can be searched. (http://127.0.0.1:8888)",
  ]);
  expect(await said("", { BRAVE_SEARCH_API_KEY: "a-key-of-brave" })).toEqual([
    "ok search.service: The web can be searched. (the Brave Search API)",
  ]);
  // The one that was named has no key, and the other is not asked instead.
  expect(
    await said("web: { search: { provider: brave, searxngUrl: 'http://127.0.0.1:8888' } }"),
  ).toHaveLength(1);
});

test("a configuration that cannot be read is told by its own check", async () => {
  expect(await search.run({ loaded: err([]) } as unknown as DoctorContext)).toEqual([]);
});
