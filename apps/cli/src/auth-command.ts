import { fail, FailureError, type Failure } from "@elwood/core/base/failure";
import type { Result } from "@elwood/core/base/result";
import { formatModelRef } from "@elwood/core/model/model";
import type { Clock, ResolvedModel } from "@elwood/runtime/ports/ports";
import type { ProfileView } from "@elwood/gateway/auth/credentials";
import { keyless } from "@elwood/gateway/auth/check-input";
import type { AuthService, TestPassed } from "@elwood/gateway/auth/auth-service";
import {
  knownProvider,
  PROVIDER_APIS,
  providerTitle,
  type ProviderApi,
} from "@elwood/providers/known-providers";
import { EXIT, ownName, type Io } from "./io.ts";
import { restReason } from "@elwood/core/model/rest-reason";
import { table } from "./table.ts";
import { LIMITS } from "@elwood/core/base/limits";
import { agoText, failureText, gatewayText, say, timeText } from "./words/say.ts";

export interface AuthDeps {
  readonly authService: AuthService;
  readonly clock: Pick<Clock, "now">;
  readonly timeZone: string;
  readonly askSecret?: AskSecret;
  /** The model that answers now, by the rules of a run. */
  readonly answering?: () => Promise<Result<Pick<ResolvedModel, "ref" | "demo">, Failure>>;
  /** Makes a model the one that answers, unless the owner chose one before. */
  readonly choose?: (model: string) => Promise<void>;
  /** Where the owner can name another one. */
  readonly configFile?: string;
}

interface AddOptions {
  readonly provider: string;
  readonly name?: string;
  readonly baseUrl?: string;
  /** As typed. */
  readonly api?: string;
  readonly model?: string;
  readonly replace?: boolean;
  readonly keyStdin: boolean;
  readonly json: boolean;
}

/** `elwood auth <provider>`: takes a key, tries it with one real call, and stores it only if that works. */
export async function addKey(io: Io, deps: AuthDeps, options: AddOptions): Promise<number> {
  const { provider, name, baseUrl, model, replace } = options;
  const api = options.api === undefined ? undefined : checkedApi(options.api);
  const title = providerTitle(provider);
  const page = knownProvider(provider)?.keyPage;
  if (page !== undefined && io.stdin.isTTY) io.stderr.write(`${say(io, "Keys for {0}: {1}", title, page)}\n`);
  const question = keyless(provider, baseUrl)
    ? say(io, "Key for {0} (leave empty if it needs none)", title)
    : say(io, "Key for {0}", title);
  const secret = await readSecret(io, question, options.keyStdin, deps.askSecret);
  if (io.stderr.isTTY) io.stderr.write(`${say(io, "Trying it with one small call to {0} …", title)}\n`);
  const saved = await deps.authService.set({ provider, secret, name, baseUrl, api, model, replace });
  if (options.json) return writeJson(io, saved);
  io.stdout.write(`${answered(io, title, saved)} ${say(io, "Saved as {0}.", saved.profile.id)}\n`);
  if (!saved.profile.preferred) {
    const command = `${ownName(io.env)} auth prefer ${saved.profile.id}`;
    io.stdout.write(`${say(io, "Another key for {0} goes first. To use this one: {1}", title, command)}\n`);
  }
  const next = await whoAnswers(io, deps, options);
  if (next !== undefined) io.stdout.write(`${next}\n`);
  return EXIT.ok;
}

/**
 * Whether what was connected answers from now on; where not, what does and how to change that. A
 * model that was named with its server answers where otherwise the demo would.
 */
async function whoAnswers(
  io: Io,
  { answering, choose, configFile = "config.yaml" }: AuthDeps,
  { provider, model }: AddOptions,
): Promise<string | undefined> {
  let found = await answering?.();
  if (found?.ok && found.value.demo && model !== undefined) {
    await choose?.(formatModelRef({ provider, model }));
    found = await answering?.();
  }
  if (found === undefined || !found.ok) return found && failureText(io, found.error);
  const { ref, demo } = found.value;
  const name = formatModelRef(ref);
  if (ref.provider === provider && (model === undefined || model === ref.model))
    return say(io, '{0} answers now. Talk to it: {1} "hello"', name, ownName(io.env));
  const wanted = formatModelRef({ provider, model: model ?? "NAME" });
  const now = demo ? say(io, "The demo model still answers.") : say(io, "{0} answers.", name);
  const which = model === undefined ? say(io, "a model of {0}", provider) : wanted;
  return `${now} ${say(io, "To have {0} answer, write this into {1}: model: {2}", which, configFile, wanted)}`;
}

/** `elwood auth anthropic setup-token`: the token of a Claude subscription, pasted by the person who made it. */
export async function addSetupToken(
  io: Io,
  deps: AuthDeps,
  options: { readonly keyStdin: boolean; readonly json: boolean },
): Promise<number> {
  const self = ownName(io.env);
  io.stderr.write(
    [
      say(io, "A setup token lets Elwood use a Claude subscription instead of an API key."),
      "",
      say(io, "Before you go on: Anthropic's terms allow subscription tokens in its own products only."),
      say(io, "Using one here may be against them, and Anthropic may block the token or the account."),
      say(io, "The plain way is an API key: {0} auth anthropic", self),
      "",
      say(io, "1. In another terminal run: claude setup-token"),
      say(io, "2. Copy the token it prints; it begins with sk-ant-oat01-"),
      say(io, "3. Paste it here."),
      "",
      "",
    ].join("\n"),
  );
  const token = await readSecret(io, say(io, "Setup token"), options.keyStdin, deps.askSecret);
  const profile = await deps.authService.setToken(token);
  if (options.json) return writeJson(io, { ok: true, profile });
  io.stdout.write(
    `${say(io, "Saved as {0} ({1}), and it goes before your other keys for Anthropic.", profile.id, profile.hint)} ` +
      `${say(io, "It was not tried yet: {0} auth test {1}", self, profile.id)}\n`,
  );
  return EXIT.ok;
}

interface OAuthOptions extends Omit<AddOptions, "api"> {
  readonly tokenUrl: string;
  readonly clientId: string;
}

/** `elwood auth <provider> oauth`: access that runs out and is renewed by a refresh token. */
export async function addOAuth(io: Io, deps: AuthDeps, options: OAuthOptions): Promise<number> {
  const { provider, name, baseUrl, model, replace, tokenUrl, clientId, keyStdin, json } = options;
  const refresh = await readSecret(io, say(io, "Refresh token"), keyStdin, deps.askSecret);
  const saved = await deps.authService.setOAuth({
    provider,
    name,
    baseUrl,
    model,
    replace,
    tokenUrl,
    clientId,
    refresh,
  });
  if (json) return writeJson(io, saved);
  const title = providerTitle(provider);
  io.stdout.write(
    `${answered(io, title, saved)} ${say(io, "Saved as {0}; its access is renewed when it runs out.", saved.profile.id)}\n`,
  );
  return EXIT.ok;
}

/** `elwood auth list`. */
export async function listKeys(io: Io, deps: AuthDeps, options: { readonly json: boolean }): Promise<number> {
  const { profiles } = await deps.authService.list();
  if (options.json) return writeJson(io, { profiles });
  if (profiles.length === 0) {
    io.stdout.write(`${say(io, "No key is stored or set. Add one: {0} auth anthropic", ownName(io.env))}\n`);
    return EXIT.ok;
  }
  const rows = profiles.map((profile) => [
    profile.id,
    profile.type,
    profile.hint,
    profile.baseUrl ?? "",
    profile.source,
    stateOf(io, profile, deps),
  ]);
  const columns = [
    { title: "PROFILE" },
    { title: "TYPE" },
    { title: "KEY" },
    { title: "SERVER" },
    { title: "FROM", flexible: true },
    { title: "STATE" },
  ] as const;
  io.stdout.write(table(io, columns, rows));
  return EXIT.ok;
}

/** `elwood auth test [profile]`: one real call with it, or with each of them. 1 where any fails. */
export async function testKeys(
  io: Io,
  deps: AuthDeps,
  options: { readonly profile?: string; readonly json: boolean },
): Promise<number> {
  const ids =
    options.profile === undefined
      ? (await deps.authService.list()).profiles.map(({ id }) => id)
      : [await meant(deps.authService, options.profile)];
  if (ids.length === 0) {
    fail("NOT_FOUND", `No key is stored or set. Add one: ${ownName(io.env)} auth anthropic`);
  }
  const results = [];
  for (const id of ids) {
    const result = await tested(deps.authService, id);
    results.push({ id, ...result });
    if (!options.json)
      io.stdout.write(
        `${id}: ${result.ok ? answered(io, say(io, "It"), result) : failureText(io, result.error)}\n`,
      );
  }
  if (options.json) writeJson(io, { results });
  return results.every((result) => result.ok) ? EXIT.ok : EXIT.failed;
}

/** `elwood auth remove <profile>`. */
export async function removeKey(
  io: Io,
  deps: AuthDeps,
  options: { readonly profile: string; readonly json: boolean },
): Promise<number> {
  const profile = await meant(deps.authService, options.profile);
  const result = await deps.authService.remove(profile);
  if (options.json) return writeJson(io, result);
  io.stdout.write(
    `${say(io, "{0} was removed here. It is still valid at the provider until you revoke it there.", profile)}\n`,
  );
  return EXIT.ok;
}

/** `elwood auth prefer <profile>`. */
export async function preferKey(
  io: Io,
  deps: AuthDeps,
  options: { readonly profile: string; readonly json: boolean },
): Promise<number> {
  const profile = await deps.authService.prefer(await meant(deps.authService, options.profile));
  if (options.json) return writeJson(io, { ok: true, profile });
  io.stdout.write(`${say(io, "{0} goes first for {1} now.", profile.id, providerTitle(profile.provider))}\n`);
  return EXIT.ok;
}

/** A provider's name is enough where it has only one stored key. */
async function meant(authService: AuthService, written: string): Promise<string> {
  if (written.includes(":")) return written;
  const { profiles } = await authService.list();
  const stored = profiles.filter(({ id }) => id.startsWith(`${written}:`));
  if (stored.length > 1) {
    const ids = stored.map(({ id }) => id).join(", ");
    fail("INVALID_INPUT", `${providerTitle(written)} has several keys. Nothing was done. Say which: ${ids}`);
  }
  return stored[0]?.id ?? written;
}

async function tested(authService: AuthService, id: string) {
  try {
    return await authService.test(id);
  } catch (cause) {
    if (cause instanceof FailureError) return { ok: false as const, error: cause.failure };
    throw cause;
  }
}

function answered(io: Io, who: string, { model, ms, costUsd }: TestPassed): string {
  const cost =
    costUsd === undefined ? "" : say(io, ", about {0}", `$${costUsd.toFixed(costUsd < 0.01 ? 5 : 2)}`);
  return say(io, "{0} answered ({1}, {2} ms{3}).", who, model, ms, cost);
}

function stateOf(io: Io, profile: ProfileView, { clock, timeZone }: AuthDeps): string {
  const now = clock.now();
  const { expiresAt, cooldownUntil, cooldownReason, lastUsedAt } = profile;
  if (expiresAt !== undefined && expiresAt <= now)
    return say(io, "expired {0}", timeText(io, expiresAt, timeZone));
  if (cooldownUntil !== undefined && cooldownUntil > now) {
    const why = gatewayText(io, restReason(cooldownReason));
    return say(
      io,
      "resting until {0}{1}",
      timeText(io, cooldownUntil, timeZone),
      why === "" ? "" : ` (${why})`,
    );
  }
  const used = lastUsedAt === undefined ? "" : say(io, "used {0}", agoText(io, lastUsedAt, now, timeZone));
  return [profile.preferred ? say(io, "goes first") : "", used].filter((part) => part !== "").join(", ");
}

function checkedApi(text: string): ProviderApi {
  const api = PROVIDER_APIS.find((each) => each === text);
  return (
    api ??
    fail("INVALID_INPUT", `--api must be ${PROVIDER_APIS.join(", ")}, not "${text}". Nothing was saved.`)
  );
}

function writeJson(io: Io, document: unknown): number {
  io.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
  return EXIT.ok;
}

/** Asks for a secret without showing it. Undefined means that the person thought better of it. */
type AskSecret = (io: Io, question: string) => Promise<string | undefined>;

/**
 * A secret from whoever hands it over: typed behind a mask where a person sits there,
 * from standard input where a program does (or `fromStdin` says so). Never an argument:
 * those stand in the shell's history and in every process list.
 */
export async function readSecret(
  io: Io,
  question: string,
  fromStdin: boolean,
  ask: AskSecret = askMasked,
): Promise<string> {
  if (fromStdin || io.stdin.isTTY !== true) return readStdin(io);
  return (await ask(io, question)) ?? fail("ABORTED", "Nothing was saved.");
}

async function readStdin(io: Io): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of io.stdin) {
    const buffer = Buffer.from(chunk as string | Uint8Array);
    bytes += buffer.length;
    if (bytes > LIMITS.secretBytesMax) {
      fail("INVALID_INPUT", "What came in on standard input is far too long to be a key. Nothing was saved.");
    }
    chunks.push(buffer);
  }
  return Buffer.concat(chunks).toString("utf8").trim();
}

/** The question goes to stderr, so that stdout stays the answer's. */
async function askMasked(io: Io, question: string): Promise<string | undefined> {
  const { isCancel, password } = await import("@clack/prompts");
  const answer = await password({ message: question, mask: "•", input: io.stdin, output: io.stderr });
  return isCancel(answer) ? undefined : answer;
}
