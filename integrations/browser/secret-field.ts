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

const FILLED = /^(\s*- (?:textbox|searchbox|spinbutton)\b.*\[ref=(\w+)\].*?): .+$/;

/** The lines of a page without what stands in its fields for secrets. */
export async function withoutSecrets(page: Page, lines: string[], limits: BrowserLimits): Promise<string[]> {
  let looked = 0;
  const shown: string[] = [];
  for (const line of lines) {
    const [, head, ref] = FILLED.exec(line) ?? [];
    const isField = head !== undefined && ref !== undefined;
    if (!isField || (looked++ < limits.filledFieldsMax && !(await holdsSecret(page, ref, head, limits)))) {
      shown.push(line);
    } else {
      shown.push(`${head}: (not shown)`);
    }
  }
  return shown;
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
