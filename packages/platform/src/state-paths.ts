import { join } from "node:path";

/** Every path under the state directory; nothing else joins these names. */
export interface StatePaths {
  readonly home: string;
  readonly config: string;
  readonly database: string;
  readonly memoryDatabase: string;
  /** What embedding has cost this month. */
  readonly memoryCosts: string;
  readonly sessions: string;
  readonly memory: string;
  readonly blobs: string;
  readonly keys: string;
  /** The owner's token where the owner set none (0600). */
  readonly ownerToken: string;
  readonly vault: string;
  readonly authProfiles: string;
  /** Secrets that the settings name as `${NAME}` (0600). */
  readonly secrets: string;
  /** The model that was chosen on the page, where the configuration names none. */
  readonly chosenModel: string;
  /** Assistants that programs have defined, a file each. */
  readonly assistants: string;
  readonly workspace: string;
  /** Files that Elwood may work on, where the owner names no other folder. */
  readonly files: string;
  /** Address and pid of the running gateway, for the command line (0600). */
  readonly gatewayInfo: string;
  readonly gatewayLock: string;
  readonly backups: string;
}

export function statePaths(home: string): StatePaths {
  return {
    home,
    config: join(home, "config.yaml"),
    database: join(home, "elwood.db"),
    memoryDatabase: join(home, "memory.db"),
    memoryCosts: join(home, "memory-costs.json"),
    sessions: join(home, "sessions"),
    memory: join(home, "memory"),
    blobs: join(home, "blobs"),
    keys: join(home, "keys"),
    ownerToken: join(home, "keys", "owner-token"),
    vault: join(home, "vault"),
    authProfiles: join(home, "auth-profiles.json"),
    secrets: join(home, "secrets.env"),
    chosenModel: join(home, "chosen-model"),
    assistants: join(home, "assistants"),
    workspace: join(home, "workspace"),
    files: join(home, "files"),
    gatewayInfo: join(home, "gateway.json"),
    gatewayLock: join(home, "gateway.lock"),
    backups: join(home, "backups"),
  };
}
