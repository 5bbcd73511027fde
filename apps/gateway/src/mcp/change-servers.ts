import { fail } from "@elwood/core/base/failure";
import { showLine } from "@elwood/core/base/show";
import type { Person } from "@elwood/runtime/ports/ports";
import type { ConfigWriter } from "../config/config-writer.ts";
import { SECRET_VALUE } from "../config/secrets-file.ts";
import { isPlainValue } from "../config/problem.ts";
import type { McpService } from "./open-mcp.ts";
import { readServer, type WrittenServer } from "./server-settings.ts";
import { serverPart } from "./tool-names.ts";

/** Writes a server into the settings and takes it in. Keys in its variables, headers and login go to the file for secrets. */
export async function addServer(
  deps: { readonly config: ConfigWriter; readonly mcp: McpService; readonly home: string },
  name: string,
  given: WrittenServer,
  by: Person,
): Promise<void> {
  const servers = await deps.mcp.servers();
  if (servers.list().some((each) => each.name === name))
    fail(
      "CONFLICT",
      `There is an MCP server "${showLine(name)}" already. Nothing was changed. Remove it first: elwood mcp remove ${showLine(name)}`,
    );
  const read = readServer(name, withoutNames(given), deps.home);
  if (read.off !== undefined)
    fail(
      "INVALID_INPUT",
      `The MCP server "${showLine(name)}" was not added: ${read.why} Nothing was changed.`,
    );
  const secrets: Record<string, string> = {};
  const keep = (kind: "env" | "headers") => {
    const values = given[kind];
    if (values === undefined) return {};
    const kept = Object.entries(values).map(([key, value]) => [
      key,
      keptValue(name, kind, key, value, secrets),
    ]);
    return { [kind]: Object.fromEntries(kept) as Record<string, string> };
  };
  const { oauth } = given;
  const secret = oauth?.secret && keptValue(name, "oauth", "secret", oauth.secret, secrets);
  const value: WrittenServer = {
    ...given,
    ...keep("env"),
    ...keep("headers"),
    ...(secret && { oauth: { ...oauth, secret } }),
  };
  const changed = await deps.config.change(
    { settings: [{ path: ["mcpServers", name], value }], secrets },
    by,
  );
  if (!changed.ok) fail(changed.error.reason, changed.error.message);
  await deps.mcp.configure(changed.value.loaded.config.mcpServers);
}

/** Takes a server out of the settings, with the secrets that were stored for it, and ends it. */
export async function removeServer(
  deps: { readonly config: ConfigWriter; readonly mcp: McpService },
  name: string,
  by: Person,
): Promise<void> {
  const servers = await deps.mcp.servers();
  servers.view(name);
  const names = servers.given(name).map(([kind, key]) => secretName(name, kind, key));
  const secrets = Object.fromEntries(names.map((each) => [each, undefined]));
  const changed = await deps.config.change(
    { settings: [{ path: ["mcpServers", name], value: undefined }], secrets },
    by,
  );
  if (!changed.ok) fail(changed.error.reason, changed.error.message);
  await deps.mcp.configure(changed.value.loaded.config.mcpServers);
}

/** `${NAME}` stays; a harmless value too; a key is stored under a name of its own, and named. */
function keptValue(
  server: string,
  kind: SecretKind,
  key: string,
  value: string,
  secrets: Record<string, string>,
): string {
  if (/\$\{[A-Za-z_][A-Za-z0-9_]*\}/.test(value) || isPlainValue(key, value)) return value;
  const [, before = "", secret = ""] = /^([A-Za-z]+ )?(\S+)$/.exec(value) ?? [];
  if (!SECRET_VALUE.test(secret))
    return fail(
      "INVALID_INPUT",
      `The value of ${showLine(key)} has spaces or other characters that no key has. Nothing was changed. Write it into a variable of the environment, and name that: \${NAME}.`,
    );
  const name = secretName(server, kind, key);
  secrets[name] = secret;
  return `${before}\${${name}}`;
}

type SecretKind = "env" | "headers" | "oauth";

const SECRET_WORDS = { env: "", headers: "HEADER_", oauth: "OAUTH_" } as const;

function secretName(server: string, kind: SecretKind, key: string): string {
  const words = `MCP_${serverPart(server)}_${SECRET_WORDS[kind]}${key}`;
  return words
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, "_")
    .slice(0, 64);
}

/** A variable that is only named is looked up when the settings are loaded. */
function withoutNames(given: WrittenServer): WrittenServer {
  const plain = (values: Readonly<Record<string, string>> | undefined) =>
    values &&
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, value.replaceAll("${", "$")]));
  const { env, headers, oauth, ...rest } = given;
  return {
    ...rest,
    ...(env && { env: plain(env) }),
    ...(headers && { headers: plain(headers) }),
    ...(oauth && { oauth: { ...oauth, ...(oauth.secret && plain({ secret: oauth.secret })) } }),
  };
}
