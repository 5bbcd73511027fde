import { join } from "node:path";
import type { Command } from "commander";
import type { AuthDeps } from "./auth-command.ts";
import type { Wiring } from "./program.ts";
import { say } from "./words/say.ts";

const PROVIDERS = "anthropic, openai, openrouter, ollama, lmstudio, vllm, or a name of yours with --base-url";

/** auth …: credentials of models. They need no running gateway; one that runs sees the change at once. */
export function addAuthCommands(program: Command, wiring: Wiring): void {
  const { io, run } = wiring;
  const auth = program
    .command("auth")
    .description("connect a model: the key is tried with one small call and kept only if that works")
    .argument("<provider>", PROVIDERS)
    .argument(
      "[way]",
      'for anthropic: "setup-token", to use a token of `claude setup-token`; "oauth" for access that is renewed',
    )
    .option("--base-url <url>", "where the server is")
    .option("--api <api>", "how it is spoken to: anthropic, responses or chat")
    .option("--name <name>", "a name for this key, beside others of the same provider")
    .option(
      "-m, --model <model>",
      "try it with this model; it answers from then on where otherwise the demo would",
    )
    .option("--replace", "put it in the place of the server that has this name")
    .option("--token-url <url>", "for oauth: where access is renewed")
    .option("--client-id <id>", "for oauth: the program that it was given to")
    .option("--key-stdin", "read the key from standard input")
    .option("--json", "print one JSON document")
    .addHelpText(
      "after",
      "\nExamples:\n  elwood auth anthropic\n  elwood auth openai --name work\n  elwood auth home-llm --base-url http://127.0.0.1:8000/v1\n  pass show openai | elwood auth openai --key-stdin",
    )
    .action((provider: string, way: string | undefined, options: AddFlags) =>
      run(options.json ?? false, async () => {
        const { addKey, addOAuth, addSetupToken } = await import("./auth-command.ts");
        const deps = await authDeps(wiring);
        const common = { keyStdin: options.keyStdin ?? false, json: options.json ?? false };
        if (way === "setup-token" && provider === "anthropic") return addSetupToken(io, deps, common);
        const { baseUrl, api, name, model, replace, tokenUrl, clientId } = options;
        const named = {
          ...common,
          provider,
          ...(baseUrl === undefined ? {} : { baseUrl }),
          ...(name === undefined ? {} : { name }),
          ...(model === undefined ? {} : { model }),
          ...(replace === undefined ? {} : { replace }),
        };
        if (way === "oauth" && tokenUrl !== undefined && clientId !== undefined)
          return addOAuth(io, deps, { ...named, tokenUrl, clientId });
        if (way === "oauth") {
          io.stderr.write(`${say(io, "oauth needs --token-url and --client-id. Nothing was saved.")}\n`);
          return 2;
        }
        if (way !== undefined) {
          io.stderr.write(
            `${say(io, '"{0}" is not a way to connect {1}. Leave it out to paste a key.', way, provider)}\n`,
          );
          return 2;
        }
        return addKey(io, deps, { ...named, ...(api === undefined ? {} : { api }) });
      }),
    );
  addKeeping(auth, wiring);
}

interface AddFlags {
  readonly baseUrl?: string;
  readonly api?: string;
  readonly name?: string;
  readonly model?: string;
  readonly replace?: boolean;
  readonly tokenUrl?: string;
  readonly clientId?: string;
  readonly keyStdin?: boolean;
  readonly json?: boolean;
}

function addKeeping(auth: Command, wiring: Wiring): void {
  const { io, run } = wiring;
  auth
    .command("list")
    .description("keys that are stored or set, never the keys themselves")
    .option("--json", "print one JSON document")
    .action((options: { json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { listKeys } = await import("./auth-command.ts");
        return listKeys(io, await authDeps(wiring), { json: options.json ?? false });
      }),
    );
  auth
    .command("test [profile]")
    .description("try a key, or all of them, with one small call")
    .option("--json", "print one JSON document")
    .action((profile: string | undefined, options: { json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { testKeys } = await import("./auth-command.ts");
        const json = options.json ?? false;
        const given = profile === undefined ? { json } : { profile, json };
        return wiring.working("Asking the provider", async (shown) =>
          testKeys(shown, await authDeps(wiring), given),
        );
      }),
    );
  auth
    .command("remove <profile>")
    .description("forget a stored key")
    .option("--json", "print one JSON document")
    .action((profile: string, options: { json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { removeKey } = await import("./auth-command.ts");
        return removeKey(io, await authDeps(wiring), { profile, json: options.json ?? false });
      }),
    );
  auth
    .command("prefer <profile>")
    .description("use this key first among those of its provider")
    .option("--json", "print one JSON document")
    .action((profile: string, options: { json?: boolean }) =>
      run(options.json ?? false, async () => {
        const { preferKey } = await import("./auth-command.ts");
        return preferKey(io, await authDeps(wiring), { profile, json: options.json ?? false });
      }),
    );
}

async function authDeps({ commandContext }: Wiring): Promise<AuthDeps> {
  const { chosenModel } = await import("@elwood/gateway/auth/chosen-model");
  const loaded = await commandContext.load();
  const authService = await commandContext.authService(loaded);
  const chosen = chosenModel(loaded.paths.chosenModel);
  return {
    authService,
    clock: commandContext.clock,
    timeZone: loaded.config.timeZone,
    answering: async () => (await commandContext.models(loaded)).resolve(undefined),
    choose: async (model) => {
      if (loaded.config.model === undefined && chosen.current() === undefined) await chosen.choose(model);
    },
    configFile: loaded.file ?? join(loaded.paths.home, "config.yaml"),
  };
}
