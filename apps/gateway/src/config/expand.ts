import type { Setting } from "./file-layer.ts";
import type { Environment } from "./outside-layers.ts";
import {
  isSecretPath,
  looksSecret,
  namesSecret,
  originText,
  problemAt,
  type ConfigProblem,
  type Notice,
} from "./problem.ts";
import { hasEffect } from "./schema.ts";
import type { Secret } from "./secrets.ts";

export interface Expanded {
  readonly settings: readonly Setting[];
  /** Secret values that stand in settings now, for the redactor. */
  readonly secrets: readonly string[];
  /** A secret is written out in the file itself. */
  readonly literal: boolean;
  readonly problems: readonly ConfigProblem[];
  readonly notices: readonly Notice[];
}

/**
 * Fills `${NAME}` from the environment, in settings that hold secrets and nowhere else:
 * there it keeps keys out of the file; elsewhere it would let a variable change what a
 * file plainly says. A missing variable is a problem only where the setting has effect.
 */
export function expandSecrets(
  settings: readonly Setting[],
  env: Environment,
  found: ReadonlyMap<string, Secret>,
): Expanded {
  const secrets: string[] = [];
  let literal = false;
  const problems: ConfigProblem[] = [];
  const notices: Notice[] = [];
  const expanded = settings.map((setting) => {
    if (typeof setting.value !== "string" || !isSecretPath(setting.path)) return setting;
    let complete = true;
    let filledIn = false;
    const value = setting.value.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (whole, name: string) => {
      const filled = found.get(name)?.value ?? env[name];
      if (filled !== undefined && filled !== "") {
        filledIn = true;
        secrets.push(filled);
        return filled;
      }
      complete = false;
      const key = setting.path.join(".");
      const saying = `reads the variable ${name}, which is not set.`;
      // A server, an integration or a connection that lacks a variable is off; the others and all else still work.
      if (hasEffect(setting.path) && !/^(mcpServers|integrations|connections)$/.test(setting.path[0] ?? ""))
        problems.push(problemAt(setting.place, key, saying));
      else {
        notices.push({
          kind: "warning",
          key,
          text: `${originText(setting.place)} \`${key}\` ${saying}`,
        });
      }
      return whole;
    });
    // A header or variable without a telling name (`accept: application/json`) is no secret to hunt for,
    // unless its value looks like one: to leave out a harmless value from a log costs nothing.
    const named = namesSecret(setting.path.at(-1)!);
    if (complete && (filledIn || named || looksSecret(value))) secrets.push(value, ...secretWords(value));
    if (complete && named) literal ||= !filledIn && value !== "";
    return { ...setting, value };
  });
  return { settings: expanded, secrets, literal, problems, notices };
}

/** `Bearer abc…`: whoever repeats it may leave out the first word. */
function secretWords(value: string): string[] {
  return value.split(/\s+/).filter((word) => word !== value && looksSecret(word));
}
