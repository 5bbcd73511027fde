import { SCOPES, type TokenInfo } from "@elwood/runtime/ports/ports";

const NAME = "browser";
const LIFE_MS = 30 * 86_400_000;

type Login = Pick<TokenInfo, "name" | "scopes" | "createdAt"> & { readonly expiresAt: number };

/** What a login link gives a browser: all that its owner may do, for a while. */
export function browserLogin(createdAt: number): Login {
  return { name: NAME, scopes: [...SCOPES], createdAt, expiresAt: createdAt + LIFE_MS };
}

/** A token that a login link made, and that nobody but a browser has. One made for a program looks otherwise. */
export function isBrowserLogin({ name, scopes, createdAt, expiresAt }: TokenInfo): boolean {
  return name === NAME && scopes.length === SCOPES.length && expiresAt === createdAt + LIFE_MS;
}
