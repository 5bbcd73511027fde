import { z } from "zod";
import { err, ok, type Result } from "../base/result.ts";

/**
 * What an integration says of itself before any of its code is loaded: `manifest.json` in its folder.
 * Titles and sentences are for people.
 */
export interface IntegrationManifest {
  /** The name of its folder, and the first part of the ids of its tools. */
  readonly name: string;
  readonly title: string;
  /** One sentence. */
  readonly summary: string;
  /** What it can do, a sentence each. */
  readonly can: readonly string[];
  readonly settings: readonly IntegrationSetting[];
  readonly secrets: readonly IntegrationSecret[];
  /** Host names that it reaches, or `{key}` for the address in that setting; it reaches no others. */
  readonly hosts: readonly string[];
  /** The page in docs/ that tells how to connect it. */
  readonly guide?: string | undefined;
}

export interface IntegrationSetting {
  readonly key: string;
  readonly title: string;
  readonly kind: "text" | "address" | "list";
  readonly required: boolean;
  readonly help?: string | undefined;
  readonly example?: string | undefined;
  /** Not asked for; Elwood finds it out while connecting. */
  readonly found?: boolean | undefined;
}

export interface IntegrationSecret {
  /** The key in the settings, which name the secret as `${variable}`. */
  readonly key: string;
  readonly variable: string;
  readonly title: string;
  readonly help?: string | undefined;
  readonly required: boolean;
}

export const INTEGRATION_NAME = /^[a-z][a-z0-9]{1,31}$/;

const LIST_MAX = 16;
const words = () => z.string().trim().min(1).max(300);
const key = () => z.string().regex(/^[a-z][A-Za-z0-9]{0,31}$/);

function manifestSchema() {
  return z.strictObject({
    name: z.string().regex(INTEGRATION_NAME),
    title: words(),
    summary: words(),
    can: z.array(words()).min(1).max(LIST_MAX),
    settings: z
      .array(
        z.strictObject({
          key: key(),
          title: words(),
          kind: z.enum(["text", "address", "list"]),
          required: z.boolean().default(false),
          help: words().optional(),
          example: words().optional(),
          found: z.boolean().optional(),
        }),
      )
      .max(LIST_MAX),
    secrets: z
      .array(
        z.strictObject({
          // Settings of these names are never shown, and filled in from variables.
          key: z.enum(["token", "apiKey", "password", "secret"]),
          variable: z.string().regex(/^(?!ELWOOD_)[A-Z][A-Z0-9_]{0,63}$/),
          title: words(),
          help: words().optional(),
          required: z.boolean().default(true),
        }),
      )
      .max(LIST_MAX),
    hosts: z.array(z.string().regex(/^(?:\{[a-z][A-Za-z0-9]*\}|[a-z0-9.-]+)$/)).max(LIST_MAX),
    guide: z
      .string()
      .regex(/^docs\/[a-z-]+\.md(?:#[a-z-]+)?$/)
      .optional(),
  });
}

/** The error completes "manifest.json of …". */
export function readManifest(value: unknown, folder: string): Result<IntegrationManifest, string> {
  const parsed = manifestSchema().safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return err(`is not right at ${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`);
  }
  const manifest = parsed.data;
  if (manifest.name !== folder) return err(`names ${manifest.name}, and its folder is ${folder}`);
  const keys = manifest.settings.map((each) => each.key);
  const twice = [...keys, ...manifest.secrets.map((each) => each.key)].find(
    (each, i, all) => all.indexOf(each) !== i,
  );
  if (twice !== undefined) return err(`has ${twice} twice`);
  if (keys.includes("enabled")) return err("may not have a setting called enabled");
  const lost = manifest.hosts.find((host) => host.startsWith("{") && !keys.includes(host.slice(1, -1)));
  return lost === undefined
    ? ok(manifest)
    : err(`names the setting ${lost} among its hosts, which it does not have`);
}

/**
 * Where an integration may go, as it is set up: `owned` are addresses that the owner wrote. One that was
 * found out while connecting is the other side's word, and gets no further than any host of the web.
 */
export function placesOf(
  { hosts, settings: known }: Pick<IntegrationManifest, "hosts" | "settings">,
  settings: Readonly<Record<string, unknown>>,
): { readonly owned: readonly string[]; readonly hosts: readonly string[] } {
  const owned = new Set<string>();
  const open = new Set<string>();
  for (const host of hosts) {
    const key = /^\{(.+)\}$/.exec(host)?.[1];
    if (key === undefined) {
      open.add(host);
      continue;
    }
    const written = settings[key];
    const url = typeof written === "string" ? URL.parse(written) : null;
    if (url === null || !/^https?:$/.test(url.protocol)) continue;
    const isFound = known.some((each) => each.key === key && each.found === true);
    (isFound ? open : owned).add(url.origin);
  }
  return { owned: [...owned], hosts: [...open].filter((origin) => !owned.has(origin)) };
}
