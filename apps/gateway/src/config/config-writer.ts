import { access, chown, constants, readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { fail, failure, FailureError, type Failure } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { err, ok, type Result } from "@elwood/core/base/result";
import { writeFileAtomic } from "@elwood/platform/atomic-file";
import { acquireLock, type StateLock } from "@elwood/platform/lock";
import { storageFailure } from "@elwood/platform/storage-failure";
import { sha256 } from "@elwood/platform/system";
import { errorCode, isMissing } from "@elwood/platform/system-error";
import type { Clock, Person } from "@elwood/runtime/ports/ports";
import { isInside } from "./agent-folder.ts";
import type { FileEdit } from "./edit-settings.ts";
import { pathKey } from "./file-layer.ts";
import { loadConfig, type LoadedConfig, type LoadOptions } from "./load.ts";
import { leavesOf } from "./origins.ts";
import { isToml } from "./parse-settings.ts";
import { dotted, isPlainValue, isSecretPath } from "./problem.ts";
import { readSecretsFile, SECRET_NAME, SECRET_VALUE, writeSecretsFile } from "./secrets-file.ts";

/** One setting by its own path. Without a value it is removed, and its default counts again. */
export interface SettingChange {
  readonly path: readonly string[];
  readonly value: unknown;
  /** What the one who changes it saw; where the setting is another one by now, nothing is changed. */
  readonly expected?: { readonly value: unknown };
}

export interface SettingsChange {
  readonly settings: readonly SettingChange[];
  /** Secrets that the settings name as `${NAME}`, kept in a file of their own; undefined removes one. */
  readonly secrets?: Readonly<Record<string, string | undefined>>;
  /** The file that the one who changes it saw, by `revision`. */
  readonly revision?: string;
}

export interface ChangedSettings {
  readonly file: string;
  readonly revision: string;
  /** The configuration as the next start will load it; the caller decides what of it counts at once. */
  readonly loaded: LoadedConfig;
}

/**
 * The only code that changes the settings of the owner.
 *
 * W1 A change is made whole or not at all: all its settings and secrets, or none. The file is replaced
 *    in one step, under a lock against other processes of Elwood; one that an editor changed meanwhile is
 *    a conflict, and the editor's version stays.
 * W2 Nothing else in the file changes: comments, order, spelling and rights stay as they are.
 * W3 What would not load, or would not count because something else goes before the file, is not written.
 * W4 A secret never gets into the settings: there it is named as `${NAME}`.
 * W5 Each change leaves a receipt before it counts.
 */
export interface ConfigWriter {
  /** What the file is now. */
  revision(): Promise<string>;
  /** The settings as the next start would load them, or why it could not. */
  look(): Promise<Result<SettingsNow, Failure>>;
  change(change: SettingsChange, by: Person): Promise<Result<ChangedSettings, Failure>>;
}

export interface SettingsNow {
  readonly file: string;
  readonly revision: string;
  readonly loaded: LoadedConfig;
  /** Why a setting cannot be changed here, in words; undefined where it can. */
  readonly fixed: (path: readonly string[]) => string | undefined;
  /** The same for a secret that is kept beside the file. */
  readonly fixedSecret: (name: string) => string | undefined;
}

export interface ConfigWriterOptions {
  /** What the process was started with. */
  readonly load: Omit<LoadOptions, "draft">;
  readonly clock: Clock;
  /** Told of secrets before they are stored. */
  readonly learnSecrets: (secrets: Iterable<string>) => unknown;
  /** Leaves the receipt; what it throws prevents the change. */
  readonly record: (change: RecordedChange, by: Person) => Promise<void>;
}

export interface RecordedChange {
  readonly keys: readonly string[];
  readonly removed: readonly string[];
  readonly secrets: readonly string[];
  readonly revision: string;
}

export function configWriter(options: ConfigWriterOptions): ConfigWriter {
  return {
    async revision() {
      const { text } = await currentFile(await load(options.load));
      return sha256(text);
    },
    async look() {
      return inFailure(async () => {
        const loaded = await load(options.load);
        const file = await currentFile(loaded);
        const closed = await closedFile(file);
        return {
          file: file.named,
          revision: sha256(file.text),
          loaded,
          fixed: (path) =>
            reasonOf(() => checkSetting({ path, value: undefined }, loaded, file.named)) ??
            closed([dotted(path)]),
          fixedSecret: (name) => secretFixed(name, loaded),
        };
      });
    },
    async change(change, by) {
      return inFailure(async () => {
        const current = await load(options.load);
        const lock = await waitForLock(join(current.paths.home, "config.lock"), options.clock);
        try {
          return await makeChange(change, by, options);
        } finally {
          lock.release();
        }
      });
    },
  };
}

async function inFailure<T>(work: () => Promise<T>): Promise<Result<T, Failure>> {
  try {
    return ok(await work());
  } catch (error) {
    if (error instanceof FailureError) return err(error.failure);
    throw error;
  }
}

function reasonOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof FailureError) return error.failure.message;
    throw error;
  }
}

const NOTHING = "Nothing was changed.";

async function makeChange(
  change: SettingsChange,
  by: Person,
  { load: from, learnSecrets, record }: ConfigWriterOptions,
): Promise<ChangedSettings> {
  const current = await load(from);
  const file = await currentFile(current);
  for (const setting of change.settings) checkSetting(setting, current, file.named);
  if (change.revision !== undefined && change.revision !== sha256(file.text)) changedMeanwhile(file.named);
  const secrets = await secretsAfter(change.secrets ?? {}, current);
  learnSecrets(secrets.added);

  const text = await editedText(file, change.settings, current);
  const draft = { text, secrets: secrets.after };
  const loaded = await loadConfig({ ...from, draft });
  if (!loaded.ok)
    fail("INVALID_INPUT", `${loaded.error.map((problem) => problem.text).join(" ")} ${NOTHING}`);

  if (text === file.onDisk && !secrets.changed)
    return { file: file.named, revision: sha256(text), loaded: loaded.value };

  const names = (removed: boolean) =>
    change.settings.filter(({ value }) => (value === undefined) === removed).map(({ path }) => dotted(path));
  const recorded: RecordedChange = {
    keys: names(false),
    removed: names(true),
    secrets: Object.keys(change.secrets ?? {}),
    revision: sha256(text),
  };
  await inWords(file.named, async () => {
    await checkWritable(file, [...recorded.keys, ...recorded.removed]);
    let secretsWritten = false;
    try {
      await writeFileAtomic(file.path, text, {
        mode: file.mode,
        async beforeReplace() {
          if ((await textOf(file.path)) !== file.onDisk) changedMeanwhile(file.named);
          if (secrets.changed) {
            secretsWritten = true;
            await writeSecretsFile(current.paths.secrets, secrets.after);
          }
          await record(recorded, by);
        },
      });
    } catch (error) {
      if (secretsWritten) await writeSecretsFile(current.paths.secrets, secrets.before);
      throw error;
    }
    if (file.uid !== undefined && file.uid !== process.getuid?.())
      await chown(file.path, file.uid, file.gid ?? file.uid);
  });
  return { file: file.named, revision: recorded.revision, loaded: loaded.value };
}

interface SettingsFile {
  /** As the owner knows it. */
  readonly named: string;
  /** Where it really lies. */
  readonly path: string;
  readonly text: string;
  /** Undefined where there is no file yet. */
  readonly onDisk: string | undefined;
  readonly mode: number;
  readonly uid?: number;
  readonly gid?: number;
}

async function load(options: Omit<LoadOptions, "draft">): Promise<LoadedConfig> {
  const loaded = await loadConfig(options);
  if (loaded.ok) return loaded.value;
  return fail(
    "CONFLICT",
    `The settings have mistakes: ${loaded.error[0]?.text ?? ""} ${NOTHING} Mend them first: elwood config check`,
  );
}

async function currentFile(current: LoadedConfig): Promise<SettingsFile> {
  const named = current.file ?? current.paths.config;
  return inWords(named, async () => {
    const path = await realpath(named).catch(() => named);
    const onDisk = await textOf(path);
    const info = onDisk === undefined ? undefined : await stat(path);
    return {
      named,
      path,
      text: onDisk ?? "",
      onDisk,
      mode: info === undefined ? 0o600 : info.mode & 0o777,
      ...(info && { uid: info.uid, gid: info.gid }),
    };
  });
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function checkSetting(setting: SettingChange, current: LoadedConfig, file: string): void {
  const { path, value, expected } = setting;
  const key = dotted(path);
  for (const [leaf, origin] of current.origins) {
    if (leaf !== path.join(".") && !leaf.startsWith(`${path.join(".")}.`)) continue;
    const [, kind, name] = /^(environment|flag) (.+)$/.exec(origin) ?? [];
    if (name === undefined) continue;
    fail(
      "SETTING_FIXED",
      kind === "flag"
        ? `\`${leaf}\` is set by the flag ${name}, which goes before ${basename(file)}. ${NOTHING} Change the flag ${name}, or start Elwood without it.`
        : `\`${leaf}\` is set by the variable ${name}, which goes before ${basename(file)}. ${NOTHING} Change the variable ${name}, or start Elwood without it.`,
    );
  }
  const place = placeOf(path, current);
  if (place !== undefined && place.file !== file)
    fail(
      "SETTING_FIXED",
      `\`${key}\` is set in ${place.file}:${place.line}. ${NOTHING} Change it there, then start Elwood again.`,
    );
  for (const leaf of leavesOf(value, path)) {
    if (!isSecretPath(leaf.path) || NAMED_SECRET.test(String(leaf.value)) || leaf.value === "") continue;
    if (path[0] === "mcpServers" && isPlainValue(leaf.path.at(-1) ?? "", String(leaf.value))) continue;
    fail(
      "INVALID_INPUT",
      `\`${dotted(leaf.path)}\` is a secret, and no secret is written into ${basename(file)}. ${NOTHING} Put it into a variable of the environment, and name that here: \${NAME}.`,
    );
  }
  if (expected !== undefined && !isDeepStrictEqual(valueAt(current.config, path), expected.value)) {
    fail(
      "CONFLICT",
      `\`${key}\` was changed meanwhile, in ${file}. ${NOTHING} Look at it again, then decide.`,
    );
  }
}

/** A secret may stand after other words, as in `Bearer ${TOKEN}`. */
const NAMED_SECRET = /^([A-Za-z]+ )?\$\{[A-Za-z_][A-Za-z0-9_]*\}$/;

function valueAt(root: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, key) =>
      typeof at === "object" && at !== null && Object.hasOwn(at, key)
        ? (at as Record<string, unknown>)[key]
        : undefined,
    root,
  );
}

function changedMeanwhile(file: string): never {
  return fail("CONFLICT", `${file} was changed meanwhile. ${NOTHING} Look at it again, then decide.`);
}

async function secretsAfter(wanted: Readonly<Record<string, string | undefined>>, current: LoadedConfig) {
  const stored = await readSecretsFile(current.paths.secrets);
  if (!stored.ok) return fail("CONFLICT", `${stored.error.text} ${NOTHING} Mend that line, or remove it.`);
  const before = stored.value.secrets;
  const after = new Map(before);
  const added: string[] = [];
  for (const [name, value] of Object.entries(wanted)) {
    if (!SECRET_NAME.test(name) || (value !== undefined && !SECRET_VALUE.test(value)))
      fail(
        "INVALID_INPUT",
        `The secret ${SECRET_NAME.test(name) ? name : ""} holds spaces, line breaks or other characters that no key has. ${NOTHING} Copy it again.`,
      );
    const fixed = secretFixed(name, current);
    if (value !== undefined && fixed !== undefined && current.secrets.get(name)?.value !== value)
      fail("SETTING_FIXED", fixed);
    if (value === undefined) after.delete(name);
    else {
      after.set(name, value);
      added.push(value);
    }
  }
  return { before, after, added, changed: !isDeepStrictEqual(before, after) };
}

const STORED = "secrets.env";

function secretFixed(name: string, { secrets }: LoadedConfig): string | undefined {
  const known = secrets.get(name);
  if (known === undefined || known.source === STORED) return undefined;
  return `${name} is set by ${known.source}, which goes before what Elwood stores. ${NOTHING} Change it there, or remove it there and start Elwood again.`;
}

async function editedText(
  file: SettingsFile,
  settings: readonly SettingChange[],
  current: LoadedConfig,
): Promise<string> {
  if (isToml(file.named))
    fail(
      "SETTING_FIXED",
      tomlWords(
        file.named,
        settings.map(({ path }) => dotted(path)),
      ),
    );
  const { editSettings } = await import("./edit-settings.ts");
  const edits = settings.map(({ path, value }): FileEdit => ({ path: writtenPath(path, current), value }));
  const text = editSettings(file.text, edits);
  if (text === undefined) {
    const keys = settings.map(({ path }) => `\`${dotted(path)}\``).join(", ");
    fail(
      "CONFLICT",
      `${file.named} is written in a way in which ${keys} cannot be changed alone. ${NOTHING} Change it there by hand.`,
    );
  }
  if (Buffer.byteLength(text) > LIMITS.configFileBytesMax)
    fail("INVALID_INPUT", `${file.named} would grow past ${LIMITS.configFileBytesMax / 1024} KB. ${NOTHING}`);
  return text;
}

/** A setting that stands in the file under a name of another dialect is changed there. */
function writtenPath(path: readonly string[], current: LoadedConfig): readonly string[] {
  const place = placeOf(path, current);
  return place === undefined ? path : [...place.path, ...path.slice(place.length)];
}

/** Where a setting stands, or the group around it, and how many of its steps that is. */
function placeOf(path: readonly string[], { places }: LoadedConfig) {
  for (let length = path.length; length > 0; length--) {
    const place = places.get(pathKey(path.slice(0, length)));
    if (place?.kind === "file") return { ...place, length };
  }
  return undefined;
}

async function checkWritable(file: SettingsFile, keys: readonly string[]): Promise<void> {
  const why = (await closedFile(file))(keys);
  if (why !== undefined) fail("SETTING_FIXED", why);
}

/** Why nothing in a file can be changed. One that another system writes is not ours to change, even where we could. */
async function closedFile({ named, path, onDisk }: SettingsFile) {
  const writable =
    (await canWrite(dirname(path))) && (onDisk === undefined || (await canWrite(path)))
      ? undefined
      : `${named} cannot be changed by the user that Elwood runs as. ${NOTHING} Change the settings where that file comes from, then start Elwood again.`;
  return (keys: readonly string[]) =>
    managedByNix(path, keys) ?? (isToml(named) ? tomlWords(named, keys) : writable);
}

function tomlWords(file: string, keys: readonly string[]): string {
  return `${file} is TOML, which Elwood reads and does not write. ${NOTHING} Change ${keys.map((key) => `\`${key}\``).join(", ")} there, then start Elwood again.`;
}

/** What to do instead, where the file lies in the store of Nix. */
export function managedByNix(path: string, keys: readonly string[]): string | undefined {
  if (!isInside(path, "/nix/store")) return undefined;
  const options = keys.map((key) => `services.assistant.settings.${key}`).join(", ");
  return `The settings are managed by Nix. ${NOTHING} Set ${options} instead, and rebuild.`;
}

async function canWrite(path: string): Promise<boolean> {
  try {
    await access(path, constants.W_OK);
    return true;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}

async function inWords<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (errorCode(cause) === undefined) throw cause;
    throw new FailureError(storageFailure(cause, path, `Change the settings where ${path} comes from.`));
  }
}

const LOCK_POLL_MS = 20;

async function waitForLock(path: string, clock: Clock): Promise<StateLock> {
  for (let waited = 0; waited <= LIMITS.configLockMs; waited += LOCK_POLL_MS) {
    const lock = await inWords(path, async () => acquireLock(path));
    if (lock !== undefined) return lock;
    await clock.sleep(LOCK_POLL_MS);
  }
  throw new FailureError(
    failure("STORAGE", `Another change of the settings does not end. ${NOTHING} Try again in a moment.`),
  );
}
