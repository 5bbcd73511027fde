import { isTimeZone } from "@elwood/core/base/local-time";
import { z } from "zod";
import { unwrapped } from "./schema-walk.ts";
import { closest } from "@elwood/core/base/suggest";

/** What the person most likely meant, as they would write it; only what the schema would accept. */
export function suggestValue(schema: z.ZodType, found: unknown): string | undefined {
  for (const candidate of candidates(schema, found)) {
    if (schema.safeParse(candidate).success) return shown(candidate);
  }
  return undefined;
}

function* candidates(schema: z.ZodType, found: unknown): Generator {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodArray && !Array.isArray(found)) yield [found];
  if (inner instanceof z.ZodString && typeof found === "number") yield String(found);
  if (typeof found !== "string") return;
  const text = found.trim();
  // "30", "30m", "18,789", "$5", "30 min"
  const number = /^[$€]?\s*(-?\d[\d,_]*(?:\.\d+)?)\s*[a-z%]*$/i.exec(text)?.[1];
  if (number !== undefined) yield Number(number.replaceAll(/[,_]/g, ""));
  if (/^(yes|on|y)$/i.test(text)) yield true;
  if (/^(no|off|n)$/i.test(text)) yield false;
  if (inner instanceof z.ZodBoolean && /^(true|false)$/i.test(text)) yield text.toLowerCase() === "true";
  if (inner instanceof z.ZodEnum) yield closest(text, inner.options.map(String));
  if (inner instanceof z.ZodString && schema.safeParse("UTC").success && !isTimeZone(text)) {
    const zones = Intl.supportedValuesOf("timeZone");
    yield closest(text, zones) ?? zones.find((zone) => zone.toLowerCase().endsWith(`/${text.toLowerCase()}`));
  }
}

function shown(value: unknown): string {
  if (typeof value === "string") return `"${value}"`;
  return JSON.stringify(value);
}
