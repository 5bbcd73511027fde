/** The gateway's OpenAPI document, held against the standard's own schema: `npm run test:real -- openapi`. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startTestGateway } from "../test-gateway.ts";

const run = promisify(execFile);
const PACKAGE = "@seriousme/openapi-schema-validator@2.11.0";
const installed = join(tmpdir(), "elwood-real-openapi");
const command = join(installed, "node_modules/.bin/validate-api");

test("a validator of others accepts the document", async () => {
  mkdirSync(installed, { recursive: true });
  if (!existsSync(command)) {
    writeFileSync(join(installed, "package.json"), "{}");
    await run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", PACKAGE], { cwd: installed });
  }
  await using started = await startTestGateway();
  const document = await (await fetch(`${started.gateway.url}/api/v1/openapi.json`)).text();
  const check = async (name: string, text: string) => {
    const file = join(installed, name);
    writeFileSync(file, text);
    return run(process.execPath, [command, file]);
  };
  await expect(check("elwood.json", document)).resolves.toMatchObject({ stderr: "" });
  // It does refuse what is wrong.
  await expect(check("broken.json", document.replace('"responses"', '"answers"'))).rejects.toThrow();
});
