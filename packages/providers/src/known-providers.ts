/** How a provider is spoken to. `chat` is the OpenAI-compatible Chat Completions API that most servers offer. */
export const PROVIDER_APIS = ["anthropic", "responses", "chat"] as const;
export type ProviderApi = (typeof PROVIDER_APIS)[number];

export interface KnownProvider {
  /** As people know it. */
  readonly title: string;
  readonly api: ProviderApi;
  readonly baseUrl: string;
  /** Servers on the owner's own machine usually ask for no key. */
  readonly keyNeeded: boolean;
  /** Where a person gets a key. */
  readonly keyPage?: string;
  /** Used when no model is configured and this provider is the one with a key. */
  readonly model?: string;
}

/** Providers that work by name alone. Any other name needs a `baseUrl`. */
export const KNOWN_PROVIDERS: Readonly<Record<string, KnownProvider>> = {
  anthropic: {
    title: "Anthropic",
    api: "anthropic",
    baseUrl: "https://api.anthropic.com",
    keyNeeded: true,
    keyPage: "https://console.anthropic.com/settings/keys",
    model: "claude-sonnet-5-5",
  },
  openai: {
    title: "OpenAI",
    api: "responses",
    baseUrl: "https://api.openai.com/v1",
    keyNeeded: true,
    keyPage: "https://platform.openai.com/api-keys",
    model: "gpt-5.5",
  },
  openrouter: {
    title: "OpenRouter",
    api: "chat",
    baseUrl: "https://openrouter.ai/api/v1",
    keyNeeded: true,
    keyPage: "https://openrouter.ai/keys",
  },
  ollama: { title: "Ollama", api: "chat", baseUrl: "http://127.0.0.1:11434/v1", keyNeeded: false },
  lmstudio: { title: "LM Studio", api: "chat", baseUrl: "http://127.0.0.1:1234/v1", keyNeeded: false },
  vllm: { title: "vLLM", api: "chat", baseUrl: "http://127.0.0.1:8000/v1", keyNeeded: false },
};

export function knownProvider(name: string): KnownProvider | undefined {
  return Object.hasOwn(KNOWN_PROVIDERS, name) ? KNOWN_PROVIDERS[name] : undefined;
}

export function providerTitle(name: string): string {
  return knownProvider(name)?.title ?? name;
}

/** `my-llm` → `MY_LLM_API_KEY`. */
export function apiKeyVariable(provider: string): string {
  return `${provider.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}_API_KEY`;
}
