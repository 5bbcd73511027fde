import { ok } from "@elwood/core/base/result";
import type { Clock } from "@elwood/runtime/ports/ports";
import { testFolder, type TestFolder } from "../config/test-folder.ts";
import { makeCredentials, type Credentials } from "../../src/auth/credentials.ts";
import { makeAuthService, type AuthService, type TestCredential } from "../../src/auth/auth-service.ts";

/** A state directory with credentials and an AuthService; the test decides what the provider answers. */
export interface TestAuthService<C extends Clock> {
  readonly folder: TestFolder;
  readonly clock: C;
  readonly credentials: Credentials;
  readonly authService: AuthService;
  /** What the live test was called with. */
  readonly tested: Parameters<TestCredential>[];
  readonly learned: string[];
}

export async function testAuthService<C extends Clock>(
  clock: C,
  options: {
    readonly env?: Record<string, string>;
    readonly config?: string;
    readonly answer?: TestCredential;
  } = {},
): Promise<TestAuthService<C>> {
  const folder = testFolder();
  if (options.config !== undefined) folder.write("home/config.yaml", options.config);
  const loaded = await folder.load({ env: options.env ?? {}, systemTimeZone: "UTC" });
  const tested: Parameters<TestCredential>[] = [];
  const learned: string[] = [];
  const credentials = makeCredentials(loaded, clock);
  const authService = makeAuthService({
    credentials,
    clock,
    learnSecrets: (secrets) => learned.push(...secrets),
    testCredential: async (...given) => {
      tested.push(given);
      if (options.answer !== undefined) return options.answer(...given);
      return ok({ model: `${given[0]}/small`, ms: 12 });
    },
  });
  return { folder, clock, credentials, authService, tested, learned };
}

export const SETUP_TOKEN = `sk-ant-oat01-${"canary".repeat(14)}`;
