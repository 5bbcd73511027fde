import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const FIRST_ROUTE_KB_MAX = 64;
export const ALL_KB_MAX = 172;

/** What each file may weigh. One that is not named here has no place in the page. */
export const PART_KB_MAX: Readonly<Record<string, number>> = {
  theme: 1.5,
  sw: 1.5,
  index: 32,
  "chat-view": 29,
  small: 2,
  "rolldown-runtime": 1,
  "message-list": 37,
  cards: 22,
  highlight: 20,
  receipts: 7,
  "welcome-page": 6,
  pages: 44,
  settings: 14,
  german: 25,
  "german-gateway": 8,
  // What few visits need, behind everything else.
  "german-failures": 20,
  math: 60,
};

const DIST = fileURLToPath(new URL("../apps/web/dist/", import.meta.url));

/** What few visits need, and each fetches by itself: another language, formulas, colours of code, and the forms that set settings. */
const APART = new Set(["german", "german-gateway", "german-failures", "math", "highlight", "settings"]);

/** All built scripts, as names below the page's root. */
export function builtScripts(): string[] {
  return readdirSync(DIST, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".js"));
}

/** Those that a visit of every page fetches, but for the parts that stand apart. */
export function allScripts(): string[] {
  return builtScripts().filter((name) => !APART.has(partOf(name)));
}

/** `assets/chat-view-CTWLJetm.js` is the part “chat-view”. */
export function partOf(name: string): string {
  return name.replace(/^assets\/(.+)-[\w-]{8}\.js$/, "$1").replace(/\.js$/, "");
}

/** What a new conversation cannot be shown without: the document's scripts, the chat's, and all they import at once. */
export function firstRouteScripts(): string[] {
  const document = readFileSync(join(DIST, "index.html"), "utf8");
  const needed = [...document.matchAll(/<script[^>]* src="\/([^"]+\.js)"/g)].map(([, name]) => name ?? "");
  needed.push(...allScripts().filter((name) => partOf(name) === "chat-view"));
  return withImports(needed);
}

/** The first script's own imports that import it in turn: one of the two would run before the other is there. */
export function circlesOfFirst(): string[] {
  const [first = ""] = allScripts().filter((name) => partOf(name) === "index");
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
