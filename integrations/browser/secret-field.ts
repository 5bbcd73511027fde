import type { Page } from "playwright-core";
import type { BrowserLimits } from "./limits.ts";

const SECRET_AUTOCOMPLETE = /^(current-password|new-password|one-time-code|webauthn|cc-.+)$/;

const SECRET_HINT =
  /passw|passcode|passphrase|kennwort|contrase|mot de passe|\bpwd\b|\bpin\b|\b(otp|totp|2fa|mfa)\b|one.?time.?code|verification.?code|security.?code|\bcv[cv]2?\b|card.?number|kartennummer|\biban\b|\bssn\b|social.?security|secret|api.?key|access.?token|recovery.?(code|key|phrase)|seed.?phrase/i;

/**
 * Says of a field for passwords, codes or cards what it is; undefined of any other. A field
 * that merely looks like one counts: asking once too often costs less than a typed secret.
 */
export function secretField(field: {
  readonly type: string | undefined;
  readonly autocomplete: string | undefined;
  readonly hints: readonly (string | undefined)[];
}): string | undefined {
  if (/^password$/i.test(field.type ?? "")) return "a password field";
  const filled = (field.autocomplete ?? "").toLowerCase().split(/\s+/);
  const known = filled.find((word) => SECRET_AUTOCOMPLETE.test(word));
  if (known !== undefined)
    return known.startsWith("cc-") ? "a field for card data" : "a field for a password or code";
  const hinted = field.hints.some((hint) => SECRET_HINT.test((hint ?? "").replaceAll(/[_-]/g, " ")));
  return hinted ? "a field that seems to be for a secret" : undefined;
}

const FIELD = /^(\s*)- '?(textbox|searchbox|spinbutton|combobox|slider)\b/;
/** A field's line up to its value: role, name, marks. The whole is in quotes where the name holds a colon. */
const HEAD = /^\s*- '?\w+(?: "(?:[^"\\]|\\.)*")?(?: \[[^\]]*\])*'?(?=:|$)/;
const TEXT = /^\s*- text:/;

/** The lines of a page without what stands in its fields for secrets, behind their names or below them. */
export async function withoutSecrets(page: Page, lines: string[], limits: BrowserLimits): Promise<string[]> {
  let looked = 0;
  const shown = [...lines];
  for (const [at, line] of lines.entries()) {
    const [, indent, role] = FIELD.exec(line) ?? [];
    if (indent === undefined) continue;
    const head = HEAD.exec(line)?.[0] ?? `${indent}- ${role}`;
    const inline = line.length > head.length + 1;
    const below = textsBelow(lines, at, indent.length);
    if (!inline && below.length === 0) continue;
    // The marks come last, so that no name can pass for one.
    const ref = /.*\[ref=(\w+)\]/.exec(head)?.[1];
    const known = ref !== undefined && looked++ < limits.filledFieldsMax;
    if (known && !(await holdsSecret(page, ref, head, limits))) continue;
    if (inline) shown[at] = `${head}: (not shown)`;
    for (const each of below) shown[each] = lines[each]!.replace(/text:.*$/, "text: (not shown)");
  }
  return shown;
}

/** Where a field has a hint as well, what stands in it is told on a line of its own. */
function textsBelow(lines: readonly string[], at: number, indent: number): number[] {
  const found: number[] = [];
  for (let next = at + 1; next < lines.length; next++) {
    const line = lines[next]!;
    if (line.length - line.trimStart().length <= indent) break;
    if (TEXT.test(line)) found.push(next);
  }
  return found;
}

async function holdsSecret(page: Page, ref: string, head: string, limits: BrowserLimits): Promise<boolean> {
  const field = page.getByRef(ref);
  try {
    const [type, autocomplete, ...hints] = await Promise.all(
      ["type", "autocomplete", "name", "id", "placeholder"].map(
        async (name) => (await field.getAttribute(name, { timeout: limits.lookMs })) ?? "",
      ),
    );
    return secretField({ type, autocomplete, hints: [...hints, head] }) !== undefined;
  } catch {
    return true; // gone meanwhile: nobody knows what it was
  }
}
