import type { LoadedConfig } from "./load.ts";

/**
 * The settings that count at the moment. `loaded` is one object for the life of the process, so that
 * whoever looks a setting up when it is needed gets the one that counts; what was read at the start
 * stays what it was until the next one.
 */
export interface LiveSettings {
  readonly loaded: LoadedConfig;
  /** From now on this setting counts as `next` has it, and no other. */
  take(path: readonly string[], next: LoadedConfig): void;
  /** The same for the secrets of the owner. */
  takeSecrets(next: LoadedConfig): void;
}

export function liveSettings(start: LoadedConfig): LiveSettings {
  let { config, origins, rules, secrets, places } = start;
  return {
    loaded: {
      ...start,
      get config() {
        return config;
      },
      get origins() {
        return origins;
      },
      get rules() {
        return rules;
      },
      get secrets() {
        return secrets;
      },
      get places() {
        return places;
      },
    },
    take(path, next) {
      // The path is one of the settings that can be set, so what comes out is a configuration again.
      config = withValueOf(config, next.config, path) as LoadedConfig["config"];
      origins = withOriginsOf(origins, next.origins, path.join("."));
      places = next.places;
      if (path[0] === "policy" || path[0] === "permissions") rules = next.rules;
    },
    takeSecrets(next) {
      secrets = next.secrets;
    },
  };
}

function withValueOf(into: unknown, from: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined) return from;
  const target = isGroup(into) ? into : {};
  const source = isGroup(from) ? from : {};
  const { [key]: before, ...others } = target;
  const value = withValueOf(before, source[key], rest);
  return value === undefined ? others : { ...target, [key]: value };
}

function withOriginsOf(
  into: LoadedConfig["origins"],
  from: LoadedConfig["origins"],
  key: string,
): LoadedConfig["origins"] {
  const isBelow = (other: string) => other === key || other.startsWith(`${key}.`);
  const stay = [...into].filter(([other]) => !isBelow(other));
  return new Map([...stay, ...[...from].filter(([other]) => isBelow(other))]);
}

function isGroup(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
