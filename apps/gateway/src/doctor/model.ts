import { join } from "node:path";
import { formatModelRef, parseModelRef, type ModelRef } from "@elwood/core/model/model";
import { modelToName, type AuthFile } from "../auth/profile.ts";
import { chosenModel } from "../auth/chosen-model.ts";
import { missingCredential, resolveCredential } from "../auth/resolve.ts";
import { chooseModel } from "@elwood/providers/choose-model";
import { KNOWN_PROVIDERS, knownProvider } from "@elwood/providers/known-providers";
import type { LoadedConfig } from "../config/load.ts";
import { modelDeprecationNotice } from "../config/model-deprecation.ts";
import { readAuthFile } from "./auth-file.ts";
import { type Check, type DoctorContext, type Finding, finding, ok } from "./finding.ts";
import type { Clock, Models } from "@elwood/runtime/ports/ports";

/** Which model would answer, why that one, whether it has a key, and how long it will live. */
export const model: Check = {
  area: "model",
  async run(context) {
    if (!context.loaded.ok) {
      const fix = "Mend the configuration first.";
      return [finding("info", "model.unknown", "Which model would answer cannot be said.", "config", fix)];
    }
    const loaded = context.loaded.value;
    const read = await readAuthFile(context.paths.authProfiles);
    // A broken file is the auth check's to tell; here it only means that no key comes from it.
    const file: AuthFile =
      read.kind === "broken" ? { v: 1, profiles: [], order: {}, secrets: {} } : read.file;
    const answers = answering(loaded, file, context.clock.now());
    const { ref } = answers;
    const named = describe(answers, loaded, file, context.clock.now());
    const running = named.severity === "ok" ? undefined : await context.answering?.();
    if (running !== undefined && parseModelRef(running).ok && !running.startsWith("demo/"))
      return [
        ok(
          "model.chosen",
          `${running} answers.`,
          "as the running gateway says; its key is not known to this shell",
        ),
      ];
    const asked =
      context.live && named.severity !== "error" ? [await liveCall(context.models, context.clock)] : [];
    return [named, ...lives(loaded, ref, context), ...asked];
  },
};

interface Answering {
  readonly ref: ModelRef;
  readonly why: string;
  /** Servers that are connected and do not answer, because none of their models is chosen. */
  readonly idle?: readonly string[];
}

/** By the same rules as a run: the configuration, what was chosen since, the keys, the demo. */
function answering(loaded: LoadedConfig, file: AuthFile, nowMs: number): Answering {
  const { model: configured } = loaded.config;
  const origin = loaded.origins.get("model");
  const chosen = configured === undefined ? chosenModel(loaded.paths.chosenModel).current() : undefined;
  // Only these have a model of their own that can be chosen by their key alone.
  const withKey = Object.keys(KNOWN_PROVIDERS).filter((provider) => {
    const found = credentialFor(provider, loaded, file, nowMs);
    return found.ok && found.value !== undefined;
  });
  const ref = chooseModel(configured ?? chosen, withKey);
  if (configured !== undefined) return { ref, why: `set by ${origin ?? "the configuration"}` };
  if (chosen !== undefined) return { ref, why: "chosen by you" };
  if (ref.provider === "demo") {
    const servers = [...new Set(file.profiles.map(({ provider }) => provider))].filter(
      (provider) => !withKey.includes(provider),
    );
    const keys =
      servers.length === 0
        ? "no provider has a key"
        : `${servers.join(", ")} ${servers.length === 1 ? "is" : "are"} connected, but none of its models is chosen`;
    return { ref, why: `no model is set, and ${keys}`, idle: servers };
  }
  const credential = credentialFor(ref.provider, loaded, file, nowMs);
  const source = credential.ok ? credential.value?.source : undefined;
  return { ref, why: `no model is set, and ${ref.provider} has a key${source ? ` (${source})` : ""}` };
}

function describe(
  { ref, why, idle = [] }: Answering,
  loaded: LoadedConfig,
  file: AuthFile,
  nowMs: number,
): Finding {
  const name = formatModelRef(ref);
  const evidence = `${name}: ${why}`;
  if (ref.provider === "demo") {
    const what = "The demo model answers, with scripted words.";
    const [server] = idle;
    const fix =
      server === undefined
        ? "Connect a real one: elwood auth anthropic"
        : `Choose a model of ${server}: on the page under Models & keys, or with this line in ${loaded.file ?? join(loaded.paths.home, "config.yaml")}: model: ${modelToName(file, server)}`;
    return finding("info", "model.demo", what, evidence, fix);
  }
  const known = knownProvider(ref.provider);
  const own = loaded.config.providers[ref.provider];
  const stored = file.profiles.some(
    (profile) => profile.provider === ref.provider && profile.baseUrl !== undefined,
  );
  if (!known && own?.baseUrl === undefined && !stored) {
    const what = `Elwood does not know where ${ref.provider} is, so ${name} cannot answer.`;
    const fix = `Set providers.${ref.provider}.baseUrl in the configuration, or: elwood auth ${ref.provider} --base-url https://…`;
    return finding("error", "model.address", what, evidence, fix);
  }
  const credential = credentialFor(ref.provider, loaded, file, nowMs);
  if (!credential.ok) {
    return finding("error", "model.key", credential.error.message, evidence, `elwood auth ${ref.provider}`);
  }
  // A server of the owner's own is often connected with an empty one.
  if (credential.value && credential.value.secret !== "") {
    return ok("model.chosen", `${name} answers.`, `${why}; key from ${credential.value.source}`);
  }
  // A server of the owner's own often asks for no key.
  if (known?.keyNeeded !== true) return ok("model.chosen", `${name} answers, without a key.`, why);
  const missing = missingCredential(ref.provider);
  return finding("error", "model.key", missing.message, evidence, `elwood auth ${ref.provider}`);
}

function credentialFor(provider: string, loaded: LoadedConfig, file: AuthFile, nowMs: number) {
  const { secrets, config } = loaded;
  return resolveCredential({ provider, file, secrets, nowMs, timeZone: config.timeZone });
}

function lives(loaded: LoadedConfig, ref: ModelRef, { clock }: DoctorContext): Finding[] {
  const { compactionModel } = loaded.config;
  const named: [string, string][] = [
    ["model", formatModelRef(ref)],
    ...(compactionModel === undefined
      ? []
      : [["compactionModel", compactionModel] satisfies [string, string]]),
  ];
  return named.flatMap(([key, name]) => {
    const notice = modelDeprecationNotice(name, key, clock.now());
    if (!notice) return [];
    // The notice speaks in the past tense once the day has come.
    const over = notice.text.includes(" stopped working on ");
    return [
      finding(over ? "error" : "warning", "model.life", notice.text, name, `Set \`${key}\` in config.yaml.`),
    ];
  });
}

const ANSWER_TOKENS_MAX = 64;
const ANSWER_MS_MAX = 60_000;

/** One short question to the model that answers by default. It costs a fraction of a cent. */
async function liveCall(models: () => Promise<Models>, clock: Pick<Clock, "now">): Promise<Finding> {
  const resolved = await (await models()).resolve(undefined);
  if (!resolved.ok) {
    return finding("error", "model.live", resolved.error.message, resolved.error.reason, "elwood auth list");
  }
  const { ref, provider } = resolved.value;
  const name = formatModelRef(ref);
  const began = clock.now();
  const stream = provider.chat({
    model: ref.model,
    system: "Answer in one word.",
    messages: [
      {
        id: "doctor",
        ts: began,
        role: "user",
        origin: "owner",
        blocks: [{ type: "text", text: "Say: ready" }],
      },
    ],
    tools: [],
    maxOutputTokens: ANSWER_TOKENS_MAX,
    readBlob: async () => undefined,
    writeBlob: async () => "none",
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  });
  for await (const event of stream) {
    if (event.type === "done") {
      const tokens = event.usage.inputTokens + event.usage.outputTokens;
      return ok("model.live", `${name} answered a live call.`, `${clock.now() - began} ms, ${tokens} tokens`);
    }
    if (event.type === "failed") {
      const { reason, message } = event.failure;
      const fix = reason === "AUTH" ? `elwood auth ${ref.provider}` : "Try again; see also: elwood auth list";
      return finding("error", "model.live", `${name} did not answer: ${message}`, reason, fix);
    }
  }
  throw new Error("the stream of a model ended without a last word");
}
