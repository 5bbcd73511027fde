import { DEFAULTS } from "./schema.ts";

/**
 * The file written on a first run. What a person is likely to change stands there with
 * its default; the rest stands behind `#`, ready to be uncommented.
 */
export function configTemplate(timeZone: string): string {
  const d = DEFAULTS;
  return `# Elwood's settings. A flag goes before an environment variable, a variable before this file.
# See where each value comes from: elwood config show --origin
# After a change, look for mistakes: elwood config check
# Keys and tokens do not belong here: elwood auth anthropic

# The model that answers, as provider/model. Without one, the first provider with a key is
# used, and without a key the demo answers.
# model: anthropic/claude-sonnet-5-5

# Your time zone. Without it the system's is used (now ${timeZone}).
# timeZone: ${timeZone}

gateway:
  host: ${d.gateway.host} # only this machine can connect; another host needs ELWOOD_TOKEN
  port: ${d.gateway.port}
  # Pages of yours, elsewhere, that may talk to the gateway; exact origins.
  # allowedOrigins: [https://home.example]
  # Names under which a reverse proxy reaches the gateway.
  # allowedHosts: [home.example]

agents:
  default: ${d.agents.default} # its character and instructions: workspace/SOUL.md and AGENTS.md
  # workspaceDir: ~/elwood-workspace

# Other model servers. Their key, where they need one: elwood auth <name>
# providers:
#   my-server:
#     baseUrl: http://127.0.0.1:8000/v1
#     api: chat # chat (OpenAI-compatible), responses or anthropic

# What Elwood may do unasked. Whatever you allow, destructive calls always ask.
policy:
  mode: ${d.policy.mode} # balanced asks for what you did not ask for yourself; trusting lets changes in your folders that can be undone run; strict asks before every change and all that leaves this machine
  # approvalExpiryHours: ${d.policy.approvalExpiryHours}
  # Nobody is there to be asked: what would ask is denied.
  # approver: false
  # Where you let a tool go to before, by hand, it may go again unasked.
  # knownDestinations: true
  # Try them out: elwood policy explain files.file.write '{"path": "a.txt", "content": "x"}'
  # rules:
  #   - tool: files.file.write
  #     decision: allow
  #   - tool: web.*
  #     decision: deny

# Folders that the file tools may reach, beside the workspace and the folder \`files\` next to this file.
# files:
#   roots:
#     - ~/notes
#     - path: ~/projects
#       write: true
#       synced: true # it goes to other places by itself: each change asks

# Origins of yours on this machine or network that tools may fetch from, and who searches the web.
# web:
#   allowedOrigins: [http://192.168.1.20:8123]
#   search:
#     searxngUrl: http://127.0.0.1:8888 # or set BRAVE_SEARCH_API_KEY

# Which tools of yours (workspace/tools) are given which variable of the environment as a secret.
# tools:
#   secrets:
#     POSTHOG_API_KEY: [posthog.*]

# The browser that Elwood drives, where pages need one; without a name, the system's Chromium or Chrome.
# browser:
#   executable: /usr/bin/chromium
#   idleMinutes: ${d.browser.idleMinutes}

# What one run may use before it is stopped politely, and what a day may cost (an estimate).
limits:
  costUsd: ${d.limits.costUsd}
  dayCostUsd: ${d.limits.dayCostUsd}
  minutes: ${d.limits.minutes}
  # laps: ${d.limits.laps}
  # calls: ${d.limits.calls}
  # identicalCalls: ${d.limits.identicalCalls}
  # tokens: ${d.limits.tokens}
  # parallelRuns: ${d.limits.parallelRuns}

# Your own prices, in US dollars for a million tokens; they go before the built-in list.
# prices:
#   - match: openai/gpt-*
#     input: 2.5
#     output: 15

log:
  level: ${d.log.level} # error, warn, info or debug
  # format: ${d.log.format} # auto, json or pretty
`;
}
