import { fail } from "@elwood/core/base/failure";
import { NAME_PATTERN } from "@elwood/core/base/ids";
import { LIMITS } from "@elwood/core/base/limits";
import { isLoopbackHost, parseBaseUrl } from "@elwood/core/net/base-url";
import { knownProvider, providerTitle } from "@elwood/providers/known-providers";
import { isSubscriptionToken } from "./resolve.ts";

/** What people hand in when they add a key. Each refuses with a FailureError that never repeats a secret. */
export function checkName(name: string, what: string): string {
  if (!NAME_PATTERN.test(name)) {
    fail("INVALID_INPUT", `"${name.slice(0, 64)}" is not ${what}: lower-case letters, digits, - and _ only.`);
  }
  return name;
}

export function checkBaseUrl(text: string): string {
  const parsed = parseBaseUrl(text);
  return parsed.ok ? parsed.value : fail("INVALID_INPUT", `The base URL ${parsed.error}. Nothing was saved.`);
}

export function checkSecret(
  given: string,
  type: "api_key" | "token" | undefined,
  provider: string,
  baseUrl: string,
): string {
  const secret = given.trim();
  const title = providerTitle(provider);
  if (secret === "") {
    if (keyless(provider, baseUrl)) return "";
    fail("INVALID_INPUT", `No key was given. Nothing was saved.${keyPageHint(provider)}`);
  }
  if (secret.length > LIMITS.secretBytesMax)
    fail("INVALID_INPUT", "That is far too long to be a key. Nothing was saved.");
  if (/^(export\s+)?[A-Z][A-Z0-9_]*\s*=/.test(secret)) {
    fail("INVALID_INPUT", "That is a line of a shell script. Paste only the key itself. Nothing was saved.");
  }
  if (!/^[\x21-\x7e]+$/.test(secret)) {
    fail(
      "INVALID_INPUT",
      "That holds spaces, line breaks or other characters that no key has. Nothing was saved.",
    );
  }
  if (/^["'].*["']$/.test(secret)) fail("INVALID_INPUT", "Paste the key without quotes. Nothing was saved.");
  if (type !== "token" && provider === "anthropic" && isSubscriptionToken(secret)) {
    fail(
      "INVALID_INPUT",
      `That is a token of a Claude subscription, not a key of the ${title} API. Nothing was saved. If you want to use it: elwood auth anthropic setup-token`,
    );
  }
  return secret;
}

/** `claude setup-token` prints `sk-ant-oat01-` and a long tail. */
export function checkToken(given: string): string {
  // Terminals break long lines when they are copied; a token holds no white space.
  const token = given.replaceAll(/\s+/g, "");
  if (/^sk-ant-oat\d{2}-[A-Za-z0-9_-]{60,}$/.test(token)) return token;
  if (/^sk-ant-api\d{2}-/.test(token)) {
    fail(
      "INVALID_INPUT",
      "That is an API key, not a setup token. Nothing was saved. Store it with: elwood auth anthropic",
    );
  }
  return fail(
    "INVALID_INPUT",
    "That does not look like a setup token: those begin with sk-ant-oat01- and are about a hundred characters long. Nothing was saved. Run `claude setup-token` and copy the whole line.",
  );
}

/** Servers on the owner's own machine usually ask for no key. */
export function keyless(provider: string, baseUrl: string | undefined): boolean {
  const known = knownProvider(provider);
  if (known !== undefined) return !known.keyNeeded;
  return baseUrl !== undefined && URL.canParse(baseUrl) && isLoopbackHost(new URL(baseUrl).hostname);
}

export function keyPageHint(provider: string): string {
  const page = knownProvider(provider)?.keyPage;
  return page === undefined ? "" : ` A key for ${providerTitle(provider)} comes from ${page}`;
}
