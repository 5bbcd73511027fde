/** What people read about each setting. One table, so that it can be translated. */
export interface SettingWords {
  readonly title: string;
  readonly about: string;
  /** Behind a number. */
  readonly unit?: string;
  readonly placeholder?: string;
  /** The options of a choice, by value; the empty one is "not set". */
  readonly options?: Readonly<Record<string, string>>;
}

export const SETTING_WORDS: Readonly<Record<string, SettingWords>> = {
  model: {
    title: "Default model",
    about: "Answers unless a message, a session or an assistant asks for another.",
  },
  fallbackModels: {
    title: "Fallback models",
    about: "Take over, in this order, when the model cannot answer.",
    placeholder: "openai/gpt-5.5, ollama/llama3",
  },
  compactionModel: {
    title: "Model for summaries",
    about: "Summarises older messages of long sessions. Not set: the model that answers.",
  },
  "policy.knownDestinations": {
    title: "Remember destinations",
    about: "Where you let a tool send something once, it may send again without asking.",
  },
  "policy.approvalExpiryHours": {
    title: "Approvals wait for",
    about: "A question that nobody answers in this time is denied.",
    unit: "hours",
  },
  "files.roots": {
    title: "Open folders",
    about:
      "Folders of yours that Elwood may read, and where you say so, change. Its own folder is always open.",
  },
  "limits.dayCostUsd": { title: "Daily budget", about: "All runs of a day together.", unit: "US$" },
  "limits.costUsd": {
    title: "Budget for one message",
    about: "A run stops when it has cost this much.",
    unit: "US$",
  },
  "limits.tokens": {
    title: "Tokens for one message",
    about: "Read and written, over all requests.",
    unit: "tokens",
  },
  "limits.minutes": {
    title: "Time for one message",
    about: "Waiting for you does not count.",
    unit: "minutes",
  },
  "limits.laps": { title: "Requests to the model", about: "For one message.", unit: "requests" },
  "limits.calls": { title: "Tool calls", about: "For one message.", unit: "calls" },
  "limits.identicalCalls": {
    title: "Identical calls",
    about: "The same call again and again stops here.",
    unit: "calls",
  },
  "limits.parallelRuns": { title: "Runs at the same time", about: "In different sessions.", unit: "runs" },
  "web.search.provider": {
    title: "Search service",
    about: "Who is asked when Elwood searches the web.",
    options: { "": "Whichever is set up", brave: "Brave Search", searxng: "SearXNG (your own)" },
  },
  "web.search.key": {
    title: "Brave Search key",
    about: "Kept on this machine, beside the settings file.",
    placeholder: "BSA…",
  },
  "web.search.searxngUrl": {
    title: "SearXNG address",
    about: "A search server of your own, also on a private address.",
    placeholder: "http://127.0.0.1:8888",
  },
  "web.allowedOrigins": {
    title: "Private web addresses",
    about: "Addresses in your network that tools may reach, each with its scheme and port.",
    placeholder: "http://192.168.1.20:8123",
  },
  "shell.dangerous": {
    title: "Dangerous commands",
    about: "Commands that delete, format or download and run.",
    options: { ask: "Ask every time", deny: "Never run" },
  },
  "shell.requireCage": {
    title: "Only sandboxed commands",
    about: "Where commands cannot be sandboxed, run none.",
  },
  "browser.enabled": { title: "Browser tools", about: "Let Elwood open web pages in a browser of its own." },
  "programs.mode": {
    title: "How models call tools",
    about: "Programs make several calls at once, checked as a whole.",
    options: { both: "One by one or by programs", native: "One by one", programs: "Only by programs" },
  },
  "memory.enabled": { title: "Memory", about: "Remember notes, and find what was said before." },
  "memory.recall.tokens": {
    title: "Memories with a message",
    about: "How much of what was found goes along. 0 sends none.",
    unit: "tokens",
  },
  timeZone: {
    title: "Time zone",
    about: "When your day begins, and when jobs run.",
    placeholder: "Europe/Berlin",
  },
  "notify.quietHours": {
    title: "Quiet hours",
    about: "No notifications in this time.",
    placeholder: "22:00-07:00",
  },
  "heartbeat.intervalMinutes": {
    title: "Look around every",
    about: "Elwood reads HEARTBEAT.md and tells you what matters. 0 turns it off.",
    unit: "minutes",
  },
  "heartbeat.activeHoursStart": {
    title: "From",
    about: "Hour of the day at which it begins.",
    unit: "o'clock",
  },
  "heartbeat.activeHoursEnd": { title: "Until", about: "Hour of the day at which it ends.", unit: "o'clock" },
  "api.openai": { title: "OpenAI-compatible API", about: "Programs may ask models at /v1/chat/completions." },
  "api.anthropic": { title: "Anthropic-compatible API", about: "Programs may ask models at /v1/messages." },
  "api.actions": { title: "Actions API", about: "Programs may execute actions over HTTP." },
  "api.mcp": { title: "MCP server", about: "Other assistants may use Elwood at /mcp." },
  "api.metrics": { title: "Metrics", about: "Monitoring may read /metrics." },
  "log.level": {
    title: "Log",
    about: "How much is written into the log.",
    options: { error: "Errors", warn: "Warnings", info: "Normal", debug: "Everything" },
  },
};

export const MODE_WORDS = {
  strict: {
    title: "Strict",
    about: "Asks before every change and every request to the internet, even when you told it to.",
  },
  balanced: {
    title: "Balanced",
    about: "Does what you told it to, once. Asks before any other change.",
  },
  trusting: {
    title: "Trusting",
    about:
      "Changes files in your folders without asking as long as it can be undone. Asks before anything leaves this machine.",
  },
} as const;
