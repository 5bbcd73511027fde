import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const DRIVER = "playwright-core";

/** Where parts are installed that Elwood does not bring along. */
export function partFolder(home: string): string {
  return join(home, "parts", "node_modules");
}

/** What drives the browser: built in, at an address to import, or not there. */
export function findDriver(home: string): "built in" | URL | undefined {
  try {
    createRequire(import.meta.url).resolve(DRIVER);
    return "built in";
  } catch {
    const path = join(partFolder(home), DRIVER, "index.mjs");
    return existsSync(path) ? pathToFileURL(path) : undefined;
  }
}
