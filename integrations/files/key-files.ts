import { foldNames, startsWithNames } from "./path-text.ts";

/**
 * Files that usually hold keys, passwords or what somebody typed, by their names. They can be
 * ordinary files too, so opening one asks; what is always a key is refused (`protected-names.ts`).
 * All names are in lower case. A left-over copy (`server.key.bak`) is as good as the file.
 */
export const KEY_FILES = {
  /** Whole names, in any folder. */
  names: [
    // Credentials of applications
    ".credentials",
    ".credentials.json",
    ".secrets",
    ".token",
    "access_token",
    "application_default_credentials.json",
    "auth.json",
    "credentials",
    "credentials.csv",
    "credentials.db",
    "credentials.json",
    "credentials.toml",
    "credentials.xml",
    "credentials.yaml",
    "credentials.yml",
    "database.yml",
    "kubeconfig",
    "local_settings.py",
    "passwd",
    "password.txt",
    "passwords",
    "passwords.csv",
    "passwords.json",
    "passwords.txt",
    "secret.json",
    "secret.yaml",
    "secret.yml",
    "secrets",
    "secrets.json",
    "secrets.toml",
    "secrets.yaml",
    "secrets.yml",
    "token",
    "token.json",
    "token.pickle",
    "token.txt",
    "wp-config.php",
    // Credentials of tools
    ".boto",
    ".claude.json",
    ".databrickscfg",
    ".dockercfg",
    ".dockerconfigjson",
    ".fetchmailrc",
    ".ftpconfig",
    ".mbsyncrc",
    ".msmtprc",
    ".muttrc",
    ".mylogin.cnf",
    ".offlineimaprc",
    ".passwd-s3fs",
    ".remote-sync.json",
    ".restic-password",
    ".s3cfg",
    ".smbcredentials",
    ".terraformrc",
    ".vault_pass",
    ".vault_pass.txt",
    ".yarnrc.yml",
    "clouds.yaml",
    "consolehost_history.txt",
    "gshadow",
    "kaggle.json",
    "master.passwd",
    "nuget.config",
    "oauth_creds.json",
    "recentservers.xml",
    "settings-security.xml",
    "sftp-config.json",
    "shadow",
    "sitemanager.xml",
    "terraform.rc",
    "wpa_supplicant.conf",
    // Browsers
    "cookies",
    "cookies-journal",
    "cookies.binarycookies",
    "cookies.txt",
    "formhistory.sqlite",
    "history",
    "key3.db",
    "local state",
    "login data for account",
    "logins-backup.json",
    "places.sqlite",
    "sessionstore.jsonlz4",
    "signons.sqlite",
    "web data",
    "webappsstore.sqlite",
    // Keyrings and wallets
    "keystore.json",
    "mnemonic.txt",
    "secring.gpg",
    "seed.txt",
    "wallet.dat",
    "wallet.json",
    // What was typed
    ".dbshell",
    ".histfile",
    ".history",
    ".lesshst",
    ".viminfo",
    ".zhistory",
    "fish_history",
  ],
  endings: [
    ".1pif",
    ".1pux",
    ".agekey",
    ".jceks",
    ".key",
    ".keychain",
    ".keychain-db",
    ".keyring",
    ".keytab",
    ".kubeconfig",
    ".kwl",
    ".openssh",
    ".ovpn",
    ".p8",
    ".pkcs12",
    ".privkey",
    ".psafe3",
    ".pvk",
    ".secret",
    ".secrets",
    ".tfstate",
    ".tfvars",
    ".tfvars.json",
    ".wallet",
    ".walletx",
  ],
  /** Names made up of words. */
  patterns: [
    /^\.env(?!ironment)/,
    /^\..+_history$/,
    /^(?:client|app)_?secrets?.*\.json$/,
    /^(?:.*[-_.])?service[-_]?account.*\.json$/,
    /^.+-[0-9a-f]{12}\.json$/,
    /(?:^|[-_.])(?:private|secret)[-_.]?keys?(?:[-_.]|$)/,
    /^(?:.*[-_.])?(?:recovery|backup)[-_]codes?(?:\.|$)/,
    /^.*[-_.](?:credentials|secrets)\.(?:json|ya?ml|toml|ini|txt)$/,
    /^bitwarden_export.*\.(?:json|csv)$/,
    /^terraform\.tfstate/,
  ],
  /** Files below a folder, and folders with all that is in them. */
  places: [
    // Tools
    [".git", "config"],
    [".bundle", "config"],
    [".anthropic"],
    [".claude", ".credentials.json"],
    [".cloudflared"],
    [".codex", "auth.json"],
    [".config", ".wrangler"],
    [".config", "age"],
    [".config", "anthropic"],
    [".config", "bitwarden"],
    [".config", "bitwarden cli"],
    [".config", "borg"],
    [".config", "composer", "auth.json"],
    [".config", "configstore"],
    [".config", "doctl"],
    [".config", "fly"],
    [".config", "git", "credentials"],
    [".config", "github-copilot"],
    [".config", "glab-cli"],
    [".config", "hub"],
    [".config", "netlify"],
    [".config", "ngrok"],
    [".config", "op"],
    [".config", "openai"],
    [".config", "restic"],
    [".config", "solana"],
    [".config", "sops"],
    [".config", "stripe"],
    [".config", "syncthing"],
    [".config", "weechat", "sec.conf"],
    [".composer", "auth.json"],
    [".fly"],
    [".gemini"],
    [".gradle", "gradle.properties"],
    [".cache", "huggingface", "token"],
    [".huggingface"],
    [".irssi", "config"],
    [".local", "share", "keyrings"],
    [".local", "share", "kwalletd"],
    [".local", "share", "nushell"],
    [".m2", "settings.xml"],
    [".netlify"],
    [".ngrok2"],
    [".openai"],
    [".oci"],
    [".purple", "accounts.xml"],
    [".railway"],
    [".snowsql", "config"],
    [".vercel"],
    [".weechat", "sec.conf"],
    [".wrangler"],
    ["etc", "wireguard"],
    ["networkmanager", "system-connections"],
    // Browsers and mail
    [".mozilla", "firefox"],
    [".thunderbird"],
    [".config", "bravesoftware"],
    [".config", "chromium"],
    [".config", "discord"],
    [".config", "google-chrome"],
    [".config", "microsoft-edge"],
    [".config", "opera"],
    [".config", "signal"],
    [".config", "slack"],
    [".config", "vivaldi"],
    ["application support", "bravesoftware"],
    ["application support", "firefox"],
    ["application support", "google", "chrome"],
    ["google", "chrome", "user data"],
    ["microsoft", "edge", "user data"],
    ["mozilla", "firefox", "profiles"],
    // Wallets
    [".bitcoin"],
    [".electrum"],
    [".ethereum"],
    [".monero"],
  ],
} as const satisfies {
  readonly names: readonly string[];
  readonly endings: readonly string[];
  readonly patterns: readonly RegExp[];
  readonly places: readonly (readonly string[])[];
};

/** What editors and people leave behind of a file. */
export const LEFT_OVER = /(?:~|#|\.(?:bak|backup|old|orig|save|swp|swo|tmp|copy|\d{1,3}|~\d+~))+$/;
/** Files that projects publish to say which settings exist. */
const TEMPLATE = /\.(?:example|sample|template|dist|defaults|tmpl)(?:\.[a-z0-9]{1,5})?$/;

const NAMES: ReadonlySet<string> = new Set(KEY_FILES.names);

/** Whether a path, as names from the top of the file system, is one that usually holds keys. */
export function usuallyHoldsKeys(names: readonly string[]): boolean {
  const folded = foldNames(names);
  const last = folded.at(-1);
  if (last === undefined) return false;
  if (KEY_FILES.places.some((tail) => folded.some((_, i) => startsWithNames(folded.slice(i), tail)))) {
    return true;
  }
  return isKeyName(last);
}

/** The same for a name in a folder that holds none, both folded; for those who look at many. */
export function holdsKeysIn(folder: readonly string[], name: string): boolean {
  return PLACE_ENDS.has(name) ? usuallyHoldsKeys([...folder, name]) : isKeyName(name);
}

function isKeyName(last: string): boolean {
  if (TEMPLATE.test(last)) return false;
  const plain = last.replace(LEFT_OVER, "");
  return [last, plain, plain.replace(/^\.(?=\.)/, "")].some(
    (name) =>
      NAMES.has(name) ||
      KEY_FILES.endings.some((ending) => name.endsWith(ending)) ||
      KEY_FILES.patterns.some((pattern) => pattern.test(name)),
  );
}

const PLACE_ENDS: ReadonlySet<string> = new Set(KEY_FILES.places.map((tail) => tail.at(-1)!));
