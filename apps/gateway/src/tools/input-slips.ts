import { isRecord } from "@elwood/core/base/is-record";
import type { ToolContract } from "@elwood/core/tool/tool";

/**
 * Input in which a number or a truth value was written as text, as small models do: `"3"` for 3.
 * What decides on the call (its critical arguments, ids and times) is never changed: there a model
 * that writes something else is asked to write it again. Undefined where nothing is to be changed.
 */
export function withoutSlips(
  value: unknown,
  { input, labels }: Pick<ToolContract, "input" | "labels">,
): Record<string, unknown> | undefined {
  const properties = input["properties"];
  if (!isRecord(value) || !isRecord(properties) || labels.critical.includes("*")) return undefined;
  const decisive = new Set([...labels.critical, ...labels.time, ...Object.keys(labels.ids)]);
  const mended = Object.entries(value).map(([name, given]): [string, unknown] => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return decisive.has(name) || !isRecord(schema)
      ? [name, given]
      : [name, meantValue(given, schema["type"])];
  });
  return mended.some(([name, meant]) => meant !== value[name]) ? Object.fromEntries(mended) : undefined;
}

const PLAIN_NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/;

function meantValue(given: unknown, type: unknown): unknown {
  if (typeof given !== "string") return given;
  const text = given.trim();
  if ((type === "number" || type === "integer") && PLAIN_NUMBER.test(text)) return Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return given;
}
