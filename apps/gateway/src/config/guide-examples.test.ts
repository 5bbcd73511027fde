import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testFolder } from "../../test/config/test-folder.ts";

const DOCS = join(import.meta.dirname, "../../../../docs");
/** What these show in YAML is another file: an agent, and the keys of the terminal. */
const OTHERS = ["agents.md", "terminal.md"];

const EXAMPLES = readdirSync(DOCS)
  .filter((page) => page.endsWith(".md") && !OTHERS.includes(page))
  .flatMap((page) =>
    [...readFileSync(join(DOCS, page), "utf8").matchAll(/^```yaml\n(.*?)^```$/gms)].map(
      ([, settings = ""], i) => [page, i + 1, settings] as const,
    ),
  );

test("the guides for MCP servers and for GitHub's webhooks show settings", () => {
  expect(EXAMPLES.map(([page]) => page)).toEqual(expect.arrayContaining(["mcp.md", "github.md"]));
});

test.each(EXAMPLES)(
  "the settings that %s shows (example %i) are taken as they are",
  async (_page, _i, settings) => {
    const folder = testFolder();
    folder.write("home/config.yaml", settings);
    const names = [...settings.matchAll(/\$\{([A-Z_]+)\}/g)].map(([, name]) => [name!, "a-value-00112233"]);
    const { notices } = await folder.load({ env: Object.fromEntries(names) });
    // A folder of the example's is not on this machine.
    expect(notices.filter(({ text }) => !text.includes("does not exist"))).toEqual([]);
  },
);
