import { err, ok, type Result } from "../base/result.ts";

export type TemplateValue = string | number | boolean;

const PLACE = /\{\{\s*([A-Za-z_][A-Za-z0-9_]{0,63})\s*\}\}/g;
/** A brace pair that is no place for a variable: most likely one that was written wrongly. */
const BROKEN = /\{\{(?!\s*[A-Za-z_][A-Za-z0-9_]{0,63}\s*\}\})/;

/** The variables of a template, each once, in their order. */
export function variablesOf(template: string): string[] {
  return [...new Set([...template.matchAll(PLACE)].map((found) => found[1]!))];
}

/** Why a template cannot be used; undefined where it can. */
export function templateProblem(template: string): string | undefined {
  return BROKEN.test(template)
    ? "has {{ without a variable's name and }} after it; a variable is written {{name}}"
    : undefined;
}

/**
 * Puts values into their places, as they are: what a value holds is never read as a template again. A
 * variable without a value is an error that names it; so nobody is sent a text with a hole in it.
 */
export function renderTemplate(
  template: string,
  values: Readonly<Record<string, TemplateValue>>,
): Result<string, string> {
  const missing = variablesOf(template).filter((name) => !Object.hasOwn(values, name));
  if (missing.length > 0) return err(`There is no value for ${missing.join(", ")}.`);
  return ok(template.replaceAll(PLACE, (_whole, name: string) => String(values[name])));
}
