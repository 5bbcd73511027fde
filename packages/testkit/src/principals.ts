import { OWNER_TOKEN_ID, SCOPES, type Principal } from "@elwood/runtime/ports/ports";

/** The owner, as their own token makes them known. */
export function ownerOf(tenant: string): Principal {
  return { tenant, tokenId: OWNER_TOKEN_ID, name: "owner", scopes: new Set(SCOPES) };
}

/** A program with a token that may talk and nothing else. */
export function programOf(tenant: string): Principal {
  return { tenant, tokenId: "tok_program", name: "a program", scopes: new Set(["chat"]) };
}

/** What the engine needs to know of the sender of a message that the owner typed. */
export function fromOwner(tenant: string) {
  return { principal: ownerOf(tenant), origin: "owner" } as const;
}
