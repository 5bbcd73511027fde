import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const FIRST_ROUTE_KB_MAX = 70;
export const ALL_KB_MAX = 230;

const DIST = fileURLToPath(new URL("../apps/web/dist/", import.meta.url));

/** What few visits need: another language, and the writing of formulas. Each is fetched by itself. */
const APART = /\/(?:german|math)-[^/]+\.js$/;

/** The built scripts that a visit of every page fetches, as names below the page's root. */
export function allScripts(): string[] {
  return readdirSync(DIST, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".js") && !APART.test(name),
  );
}

/** What a new conversation cannot be shown without: the document's scripts, the chat's, and all they import at once. */
export function firstRouteScripts(): string[] {
  const document = readFileSync(join(DIST, "index.html"), "utf8");
  const needed = [...document.matchAll(/<script[^>]* src="\/([^"]+\.js)"/g)].map(([, name]) => name ?? "");
  needed.push(...allScripts().filter((name) => /\/chat-view-[^/]+\.js$/.test(name)));
  return withImports(needed);
}

/** The first script's own imports that import it in turn: one of the two would run before the other is there. */
export function circlesOfFirst(): string[] {
  const [first = ""] = allScripts().filter((name) => /\/index-[^/]+\.js$/.test(name));
  return importsOf(first).filter((name) => withImports([name]).includes(first));
}

function withImports(names: string[]): string[] {
  // Grows while it is gone through.
  for (const name of names) for (const file of importsOf(name)) if (!names.includes(file)) names.push(file);
  return names;
}

function importsOf(name: string): string[] {
  const imports = readFileSync(join(DIST, name), "utf8").matchAll(
    /\b(?:from|import)\s*["'`]\.\/([^"'`]+)["'`]/g,
  );
  return [...imports].map(([, file]) => `assets/${file}`);
}

/** As it is sent: compressed, where that was worth it. */
export function scriptKb(names: readonly string[]): number {
  const bytes = [...new Set(names)]
    .filter((name) => name.endsWith(".js"))
    .map((name) => (existsSync(join(DIST, `${name}.gz`)) ? `${name}.gz` : name))
    .reduce((sum, name) => sum + statSync(join(DIST, name)).size, 0);
  return bytes / 1024;
}
