import { fail } from "@elwood/core/base/failure";
import type { MethodResult } from "@elwood/core/protocol/results";
import { plainLine } from "@elwood/core/message/session-text";
import { SCOPES, type Clock, type Scope } from "@elwood/runtime/ports/ports";
import type { GatewayClient } from "@elwood/sdk/client";
import { EXIT, ownName, type Io } from "./io.ts";
import { table } from "./table.ts";
import { agoText, say, type Sentence, timeText } from "./words/say.ts";

/** The client is left open; who opened it closes it. */
export interface TokenDeps {
  readonly client: GatewayClient;
  readonly clock: Pick<Clock, "now">;
  readonly timeZone: string;
}

type Token = MethodResult<"tokens.list">["tokens"][number];

/**
 * `elwood token create`: the token alone on stdout, so that it can be handed on without
 * being cut out of a sentence; what to know about it on stderr.
 */
export async function createToken(
  io: Io,
  deps: TokenDeps,
  options: {
    readonly name: string;
    /** As typed; `chat` where none was. */
    readonly scopes: readonly string[];
    readonly expiresDays?: number;
    readonly tenant?: string;
    readonly json: boolean;
  },
): Promise<number> {
  const { expiresDays, tenant } = options;
  const name = options.name.trim();
  if (name === "") fail("INVALID_INPUT", "A token needs a name by which you will know it: --name laptop");
  if (
    expiresDays !== undefined &&
    !(Number.isInteger(expiresDays) && expiresDays >= 1 && expiresDays <= 3650)
  ) {
    fail("INVALID_INPUT", "--expires-days must be a whole number from 1 to 3650. No token was made.");
  }
  const scopes = options.scopes.length === 0 ? ["chat" as const] : options.scopes.map(checkedScope);
  const { token, info } = await deps.client.call("tokens.create", {
    name,
    scopes: [...new Set(scopes)],
    ...(expiresDays === undefined ? {} : { expiresInDays: expiresDays }),
    ...(tenant === undefined ? {} : { tenant }),
  });
  if (options.json) {
    io.stdout.write(`${JSON.stringify({ token, info })}\n`);
    return EXIT.ok;
  }
  io.stdout.write(`${token}\n`);
  const ends =
    info.expiresAt === undefined
      ? say(io, "until you revoke it")
      : say(io, "until {0}", timeText(io, info.expiresAt, deps.timeZone));
  io.stderr.write(
    `${say(io, 'This is the token "{0}" ({1}), good {2}. It is shown only now: keep it where its program finds it. End it with: {3} token revoke {4}', plainLine(info.name), info.scopes.join(", "), ends, ownName(io.env), info.id)}\n`,
  );
  if (info.tenant !== undefined)
    io.stderr.write(
      `${say(io, "It opens what belongs to the tenant {0} and nothing of yours; workspace, tools and model keys are shared.", info.tenant)}\n`,
    );
  const powers = info.scopes.flatMap((scope) => {
    const power = POWERS[scope];
    return power === undefined ? [] : [say(io, power)];
  });
  if (powers.length > 0)
    io.stderr.write(`${say(io, "Whoever has it can {0}.", powers.join(say(io, " and ")))}\n`);
  return EXIT.ok;
}

const POWERS: Readonly<Partial<Record<Scope, Sentence>>> = {
  approve: "approve actions in your name",
  admin: "make tokens and change model keys",
};

/** `elwood token list` */
export async function listTokens(
  io: Io,
  deps: TokenDeps,
  options: { readonly json: boolean },
): Promise<number> {
  const { tokens } = await deps.client.call("tokens.list", {});
  if (options.json) {
    io.stdout.write(`${JSON.stringify({ tokens })}\n`);
    return EXIT.ok;
  }
  if (tokens.length === 0) {
    const self = ownName(io.env);
    io.stdout.write(
      `${say(io, "No tokens were made. Your own clients need none; make one for a program with: {0} token create --name my-program", self)}\n`,
    );
    return EXIT.ok;
  }
  const now = deps.clock.now();
  const ago = (ts: number | undefined) =>
    ts === undefined ? say(io, "never") : agoText(io, ts, now, deps.timeZone);
  // Whoever has no tenants reads nothing about them.
  const shared = tokens.some(({ tenant }) => tenant !== undefined);
  const columns = COLUMNS.filter(({ title }) => shared || title !== "TENANT");
  const rows = tokens.map((token) => [
    token.id,
    plainLine(token.name),
    token.scopes.join(", "),
    ...(shared ? [token.tenant ?? ""] : []),
    ago(token.createdAt),
    ago(token.lastUsedAt),
    ending(io, token, now, deps.timeZone),
  ]);
  io.stdout.write(table(io, columns, rows));
  return EXIT.ok;
}

const COLUMNS = [
  { title: "TOKEN" },
  { title: "NAME", flexible: true },
  { title: "SCOPES" },
  { title: "TENANT" },
  { title: "MADE" },
  { title: "USED" },
  { title: "ENDS" },
] as const;

/** `elwood token revoke <id>`: by its id, the end of it, or its name where only one has that. */
export async function revokeToken(
  io: Io,
  deps: TokenDeps,
  options: { readonly token: string; readonly json: boolean },
): Promise<number> {
  const { tokens } = await deps.client.call("tokens.list", {});
  const token = findToken(tokens, options.token);
  await deps.client.call("tokens.revoke", { tokenId: token.id });
  if (options.json) io.stdout.write(`${JSON.stringify({ revoked: token.id })}\n`);
  else
    io.stdout.write(
      `${say(io, 'The token "{0}" is revoked, and its connections are closed.', plainLine(token.name))}\n`,
    );
  return EXIT.ok;
}

function findToken(tokens: readonly Token[], wanted: string): Token {
  if (wanted.startsWith("elw_")) {
    fail("INVALID_INPUT", "That is a token itself, not its id. Find its id with: elwood token list");
  }
  const exact = tokens.find((token) => token.id === wanted);
  if (exact) return exact;
  const fits = (token: Token) => token.name === wanted || (wanted.length >= 4 && token.id.endsWith(wanted));
  const [match, ...others] = tokens.filter(fits);
  if (match === undefined) {
    fail(
      "NOT_FOUND",
      `No token is called "${wanted}". Nothing was revoked. See them with: elwood token list`,
    );
  }
  if (others.length === 0) return match;
  const shown = [match, ...others].slice(0, 5).map((token) => `  ${token.id}`);
  return fail(
    "INVALID_INPUT",
    `${others.length + 1} tokens are called "${wanted}"; write the id:\n${shown.join("\n")}`,
  );
}

function checkedScope(text: string): Scope {
  const scope = SCOPES.find((each) => each === text);
  if (scope) return scope;
  return fail("INVALID_INPUT", `--scope must be ${SCOPES.join(", ")}, not "${text}". No token was made.`);
}

function ending(io: Io, token: Token, nowMs: number, timeZone: string): string {
  if (token.expiresAt === undefined) return say(io, "when revoked");
  return token.expiresAt <= nowMs ? say(io, "expired") : timeText(io, token.expiresAt, timeZone);
}
