import { LEFT_OVER } from "./key-files.ts";
import { foldNames, startsWithNames } from "./path-text.ts";

/** Folders whose whole content is keys. */
const SECRET_FOLDERS = new Set([".ssh", ".gnupg", ".password-store"]);

/** Files and folders that hold keys where they lie below a certain folder. */
const SECRET_PATHS: readonly (readonly string[])[] = [
  [".aws", "credentials"],
  [".aws", "sso"],
  [".aws", "cli"],
  [".azure"],
  ["library", "keychains"],
  [".config", "gcloud"],
  [".config", "gh"],
  [".config", "rclone"],
  [".kube", "config"],
  [".docker", "config.json"],
  [".cargo", "credentials"],
  [".cargo", "credentials.toml"],
  [".gem", "credentials"],
  [".terraform.d", "credentials.tfrc.json"],
];

const SECRET_FILES = new Set([
  ".netrc",
  "_netrc",
  ".authinfo",
  ".git-credentials",
  ".npmrc",
  ".pypirc",
  ".pgpass",
  ".my.cnf",
  ".envrc",
  ".vault-token",
  ".htpasswd",
  "auth-profiles.json",
  "key4.db",
  "logins.json",
  "login data",
  "cookies.sqlite",
]);

const SECRET_ENDING = /\.(?:pem|p12|pfx|jks|keystore|ppk|kdbx|kdb)$/;
const SSH_KEY = /^(?:id|ssh_host)_(?:rsa|dsa|ecdsa|ed25519|ed448|xmss)(?!.*\.pub$)/;
/** Files that projects publish to say which settings exist. */
const ENV_TEMPLATE = /\.env\.(?:example|sample|template|dist|defaults)$/;

/**
 * Whether a path, as names from the top of the file system, is where people keep keys.
 * Environment files: `.env`, `<anything>.env` and either with `.<anything>` behind it
 * (`prod.env.local`) are secret; the templates `.env.example`, `.sample`, `.template`, `.dist` and `.defaults` are not. A left-over copy
 * (`id_rsa.bak`, `.env~`) is as secret as what it is a copy of.
 */
export function isSecretPath(names: readonly string[]): boolean {
  const folded = foldNames(names);
  if (folded.some((name) => SECRET_FOLDERS.has(name))) return true;
  if (SECRET_PATHS.some((tail) => folded.some((_, i) => startsWithNames(folded.slice(i), tail)))) return true;
  const last = folded.at(-1);
  return last !== undefined && isSecretLast(last);
}

/** The same for a name in a folder that is none, both folded; for those who look at many. */
export function isSecretIn(folder: readonly string[], name: string): boolean {
  return SECRET_ENDS.has(name) ? isSecretPath([...folder, name]) : isSecretLast(name);
}

const SECRET_ENDS: ReadonlySet<string> = new Set([
  ...SECRET_FOLDERS,
  ...SECRET_PATHS.map((tail) => tail.at(-1)!),
]);

function isSecretLast(last: string): boolean {
  const plain = last.replace(LEFT_OVER, "");
  // An editor's swap file is `.name.swp`, with a dot in front of the name.
  return [last, plain, plain.replace(/^\.(?=\.)/, ""), plain.replace(/^[.#](?=id_|auth)/, "")].some(
    isSecretName,
  );
}

function isSecretName(name: string): boolean {
  if (ENV_TEMPLATE.test(name)) return false;
  if (/\.env(?:\.|$)/.test(name)) return true;
  return SECRET_FILES.has(name) || SECRET_ENDING.test(name) || SSH_KEY.test(name);
}

const AGENT_FILES = new Set(["soul.md", "agents.md", "tools.md", "heartbeat.md"]);
const AGENT_FOLDERS = new Set(["skills", "tools"]);

/**
 * Whether a change at this path could change what an agent is told or can do. The four files
 * count in any folder, since a folder may become an agent's. `skills` and `tools` count directly
 * in a workspace and in `agents/<id>/` below it, and so does all above them up to the workspace:
 * whoever moves the folder moves what is in it.
 */
export function isAgentPath(names: readonly string[], workspace: readonly string[]): boolean {
  const path = foldNames(names);
  const home = foldNames(workspace);
  if (path.some((name) => AGENT_FILES.has(name))) return true;
  if (startsWithNames(home, path)) return true;
  if (!startsWithNames(path, home)) return false;
  const [first, , third] = path.slice(home.length);
  if (first !== undefined && AGENT_FOLDERS.has(first)) return true;
  if (first !== "agents") return false;
  return path.length <= home.length + 2 || (third !== undefined && AGENT_FOLDERS.has(third));
}
