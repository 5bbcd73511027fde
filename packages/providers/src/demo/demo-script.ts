import type { Rule, Turn } from "@elwood/sdk/model-script/rule-model";
import { allExamples, someExamples } from "./demo-scenarios.ts";
import { GERMAN_NOTICE } from "./demo-german.ts";
import { LONG_STORY } from "./demo-story.ts";

const GREETING = /^(hi|hello|hey|hallo|hola|good (morning|afternoon|evening)|greetings|moin|servus|yo)\b/;

/** Said with the first reply of a session, and whenever it matters who is talking. */
export const DEMO_NOTICE = "I am the demo model: a script with fixed answers, not an AI.";

/** For whoever asks. */
const STAYS_HERE = "I need no key, and nothing leaves this machine unless you ask me for a page or a search.";

const CONNECT =
  'To talk to a real model, connect one: `elwood auth anthropic`, `elwood auth openai`, or a local one such as `elwood -m ollama/qwen3 "hello"`.';

export const DEMO_OTHERWISE = (turn: Turn): string =>
  `${introduced(turn) ? "I have no scripted answer to that. " : ""}${DEMO_NOTICE} ${STAYS_HERE} So I can answer questions about Elwood itself${scenariosIn(turn)}\n\n${CONNECT}`;

const scenariosIn = (turn: Turn): string => {
  const few = someExamples(turn);
  return few === "" ? "." : `, and run plain errands with its tools: try ${few} or “what can you do?”`;
};

/**
 * What the demo model knows, as rules over the owner's words. The order matters: a rule
 * about one thing stands before a rule about many. Each answer says only what this
 * version of Elwood does. What needs a tool is in demo-scenarios.ts, and is asked first.
 */
export const DEMO_RULES: readonly Rule[] = [
  {
    name: "what did I say first",
    when: /\b(my|the) first (message|question)\b|\bwhat did i (say|ask) first\b/,
    answer: (turn) => `Your first message in this session was: “${turn.earlier[0] ?? turn.said}”`,
  },
  {
    name: "what did I say",
    when: /\b(what did i( just)? (say|write|ask|tell you)|repeat (that|what i (said|wrote)|my (last )?message)|my (last|previous) message)\b/,
    answer: (turn) =>
      turn.earlier.length > 0
        ? `Before this you wrote: “${turn.earlier.at(-1)}”`
        : "This is the first message of this session; there is nothing before it.",
  },
  {
    name: "a long answer",
    when: /\b(long (story|answer|text|reply)|tell me a (long )?story|a story|stream(ing)? (test|demo))\b/,
    answer: LONG_STORY,
  },
  {
    name: "material was handed over",
    when: (turn) => handedOver(turn) > 0,
    answer: (turn) =>
      `${handedOver(turn)} characters came along with your message, and they are kept in this session. Reading them takes a real model; I am only a script.\n\n${CONNECT}`,
  },
  {
    name: "connect Anthropic",
    when: /\b(anthropic|claude)\b/,
    answer:
      "To connect Anthropic:\n\n1. Get a key at console.anthropic.com.\n2. Run `elwood auth anthropic` and paste it. The prompt is masked, one tiny request tests the key, and it is saved only if that works.\n\nOr set `ANTHROPIC_API_KEY` before you start Elwood. From then on `anthropic/claude-sonnet-5-5` answers, unless you choose another model with `-m`.",
  },
  {
    name: "connect a local model",
    when: /\b(ollama|lm ?studio|vllm|llama|qwen|mistral|gemma|local (ai|llms?|models?)|own (machine|computer|hardware|gpu)|offline)\b/,
    answer:
      'A local model needs no key. Start its server, then name it:\n\n- Ollama: `elwood -m ollama/qwen3 "hello"`\n- LM Studio: `elwood -m lmstudio/<model> "hello"`\n- vLLM: `elwood -m vllm/<model> "hello"`\n\nTo make it the default, set `model: ollama/qwen3` in `config.yaml`, or `ELWOOD_MODEL=ollama/qwen3`. Elwood never downloads a model by itself.',
  },
  {
    name: "connect OpenAI",
    when: /\b(openai|chatgpt|gpt)\b/,
    answer:
      "To connect OpenAI:\n\n1. Get a key at platform.openai.com.\n2. Run `elwood auth openai` and paste it. The prompt is masked, one tiny request tests the key, and it is saved only if that works.\n\nOr set `OPENAI_API_KEY` before you start Elwood. Any server that speaks OpenAI's Chat Completions can be connected too: `elwood auth <name> --base-url http://…/v1`.",
  },
  {
    name: "connect something",
    when: /\b(connect|add|use|set ?up|configure|enter|switch to|choose|change)\b.*\b(model|key|provider|openrouter|llm|ai)\b|\bapi key\b|\bopenrouter\b/,
    answer:
      'Connect a model in one of these ways:\n\n- `elwood auth anthropic` or `elwood auth openai` asks for a key, tests it with one tiny request and saves it only if that works.\n- `elwood auth <name> --base-url http://…/v1` does the same for any OpenAI-compatible server.\n- A local Ollama needs no key: `elwood -m ollama/qwen3 "hello"`.\n\n`elwood auth list` shows what is connected, without ever showing a key.',
  },
  {
    name: "which models",
    when: /\b(which|what|list|supported|available)\b.*\b(models?|providers?|llms?)\b/,
    answer:
      "Elwood talks to Anthropic, to OpenAI, and to any server with an OpenAI-compatible API: Ollama, LM Studio, vLLM, OpenRouter and others. A model is written `provider/model`, for example `anthropic/claude-sonnet-5-5`, and chosen with `-m`, with `ELWOOD_MODEL`, or with `model` in `config.yaml`. Without any, I answer.",
  },
  {
    name: "where is my data",
    when: /\bwhere\b.*\b(data|files?|sessions?|history|conversations?|stored|saved|keys?|config)\b|\b(data|state) (folder|directory|location)\b/,
    answer:
      "In one folder on this machine, readable by you alone: `~/.local/state/elwood`, or wherever `ELWOOD_HOME` points. Conversations are plain JSONL files under `sessions/`, keys are in `auth-profiles.json`, settings in `config.yaml`, and the rest is in one SQLite database. `elwood status` shows the place.",
  },
  {
    name: "privacy",
    when: /\b(private|privacy|secure|security|safe|spy|telemetry|track(ing)?|who (can )?(see|read)s?|leave (my|this) (machine|computer)|cloud)\b/,
    answer:
      "Elwood runs on your machine and reports to nobody. With me, nothing leaves it but what you ask me to fetch, open or search for. Once you connect a hosted model, your conversation is sent to that provider with each message, under its terms; with a local model it stays here. By default only this machine can connect to Elwood, and only with a token.",
  },
  {
    name: "cost",
    when: /\b(cost|costs|price|pricing|pay|paid|free|money|expensive|cheap|budget|tokens?)\b/,
    answer:
      "Elwood is free, and so am I. A hosted model costs what its provider charges you. Elwood estimates the cost of every run and stops at limits that you can change: 2 dollars a run and 20 dollars a day unless you set others, under `limits` in `config.yaml`.",
  },
  {
    name: "memory",
    when: /\b(remember|memory|memorise|memorize|note that|dont forget)\b/,
    answer:
      "Elwood keeps notes and finds what was said in earlier sessions. Say “remember that my car is a Volvo”, and in any session “what do you remember about my car”. What fits a message is put before it by itself, and the line under the reply says where it stands. `elwood memory` lists, searches and forgets.",
  },
  {
    name: "export",
    when: /\b(export|save|download|backup|back up|copy)\b.*\b(session|conversation|chat|history|data)\b/,
    answer:
      "`elwood sessions export <session>` writes a session as Markdown or JSON; `elwood sessions` lists them. To copy everything, stop Elwood and copy its folder (see `elwood status` for where it is). Keys lie in there too, so treat the copy as a secret.",
  },
  {
    name: "delete",
    when: /\b(delete|remove|erase|forget|clear|wipe|trash)\b/,
    answer:
      "`elwood sessions delete <session>` puts a session into the trash. It stays there for 30 days, and then it is gone for good. `elwood sessions` lists what there is. For a key, there is `elwood auth remove <provider>`.",
  },
  {
    name: "find",
    when: /\b(search|find|look up)\b.*\b(sessions?|conversations?|chats?|history|messages?)\b/,
    answer:
      '`elwood sessions search "words"` looks through all that you and the model wrote, in every session outside the trash.',
  },
  {
    name: "stop",
    when: /\b(stop|abort|cancel|interrupt)\b/,
    answer:
      "Ctrl-C stops an answer in the terminal; a client of the WebSocket calls `chat.abort`. The text up to then stays, marked as stopped. Closing a window does not stop an answer: it runs on in the gateway and is there when you come back.\n\nTo see it, ask me for a long story and stop it half-way.",
  },
  {
    name: "continue",
    when: /\b(continue|resume|go on|pick up|carry on|last session|same session|previous session|multiple sessions|sessions?)\b/,
    answer:
      '- `elwood -c "and then?"` goes on in the last session.\n- `elwood -s <session> "…"` goes on in a certain one: its key, the start of it, or words of its title.\n- `elwood "…"` starts a new one.\n\nSessions survive a restart, and even a crash in the middle of an answer.',
  },
  {
    name: "pipe",
    when: /\b(pipe|piping|stdin|standard input|pass a file|give you a file)\b/,
    answer:
      'Hand something over on standard input, and say what to do with it:\n\n    git diff | elwood "review this"\n    elwood "summarise this" < notes.txt\n\nWhat is piped is treated as material, never as your instruction. The answer goes to standard output and nothing else does; `--json` gives one JSON document instead.',
  },
  {
    name: "terminal",
    when: /\b(terminal|command ?line|cli|shell usage|commands?|script(ing)?|automate|json)\b/,
    answer:
      'In a terminal:\n\n    elwood "what can you do?"          ask once\n    elwood -c "tell me more"            go on\n    git diff | elwood "review this"     hand something over\n    elwood -m ollama/qwen3 "hello"      ask a certain model\n    elwood --json "hello"               one JSON document\n\n`elwood --help` lists everything. In the folder that you cloned, write `npx elwood`.',
  },
  {
    name: "approvals",
    when: /\b(approvals?|approve|permissions?|policy|allow|deny)\b/,
    answer:
      "A model acts only through tools, and every call goes through one gate. What only reads runs at once. What changes something, or carries something out, asks you first wherever your rules do not say otherwise, with everything that would run: you allow it once, for a while or always, change it, or deny it with a note to the model. What destroys something asks every time. Such a question waits for days, survives a restart, and is answered on this page, in a terminal (`elwood approvals`) or by your own program; a “yes” in the chat decides nothing.\n\nTo see it, say “write 'milk' to shopping.txt”, and then “delete shopping.txt”.",
  },
  {
    name: "tools, receipts",
    when: /\b(receipts?|tools?|evidence|audit|proof|prove)\b/,
    answer:
      "Elwood has tools for files, in a folder of its own and in those you give it, for commands, for the web and a browser, for programs that call other tools, and for asking you a question; `elwood tools list` shows those that are there. Each call leaves receipts: what was asked for, who allowed it, when it started, how it ended. They are chained, so that nobody changes one unnoticed, and the line under each answer is made from them and not from the model's words. `elwood receipts list` shows them.\n\nTo see some, say “what files are here”.",
  },
  {
    name: "shell, web, files",
    when: /\b(read|write|open|edit|list|create|rename|move|run|execute|browse|fetch|google|look at)\b.*\b(files?|folders?|directory|commands?|scripts?|web|internet|page|site|url)\b|\b(weather|news|calendar|e-?mails?)\b/,
    answer: (turn) => {
      const few = someExamples(turn);
      return `I did nothing. Elwood has tools for files, commands and the web, but none yet for calendars or mail. Being a script, I understand only plain requests${few === "" ? ", and was given no tools for them here" : `: ${few}`}.`;
    },
  },
  {
    name: "other surfaces",
    when: /\b(telegram|discord|slack|whatsapp|signal|phone|mobile|app|web ?page|browser|website|gui|ui|schedule|remind|reminder|cron|heartbeat|mcp)\b/,
    answer:
      "You talk to Elwood in the terminal (`elwood`), on its page in the browser (`elwood open`), in Telegram or Discord (`elwood channels connect telegram`), or from your own program over its WebSocket. It reminds you and works on a schedule (`elwood jobs add`), and uses the tools of MCP servers (`elwood mcp add`).",
  },
  {
    name: "trouble",
    when: /\b(doctor|problem|trouble|broken|not working|doesnt work|error|bug|crash|fix)\b/,
    answer:
      "`elwood doctor` looks over the installation and says what it found and how to mend it; it changes nothing by itself. `elwood status` shows what is running. A message that failed is kept: say it again with `elwood -c`.",
  },
  {
    name: "settings",
    when: /\b(settings?|configur\w*|options?|config|port|host|preferences)\b/,
    answer:
      "Settings come from flags, then the environment, then `config.yaml`, then defaults. `elwood config show --origin` prints each value with the place it came from. The file is made on the first start, with comments.",
  },
  {
    name: "how are you",
    when: /\bhow (are|r) (you|u|things)\b|\bhow is it going\b|\bhows it going\b/,
    answer: "As well as a script can be. Ask me what Elwood is, or how to connect a model.",
  },
  {
    name: "who are you",
    when: /\b(who|what) (are|r) (you|u)\b|\bare you\b|\byour name\b|\b(demo|scripted|fake|real ai|chatbot|human)\b/,
    answer: `${DEMO_NOTICE} ${STAYS_HERE} I am here so that you can see how Elwood works before you connect a model.\n\n${CONNECT}`,
  },
  {
    name: "licence",
    when: /\b(open source|licen[cs]e|source code|who (made|wrote|owns) )/,
    answer:
      "Elwood is free software under the MIT licence: you may use, change and share it. The source is in the folder that you cloned; ARCHITECTURE.md tells how the pieces fit.",
  },
  {
    name: "what is Elwood",
    when: /\belwood\b|\bwhat is this\b|\bwhat (am i|is it) (talking|for)\b|\bhow does (it|this) work\b/,
    answer:
      "Elwood is a personal assistant that you run yourself: one process and one folder on your own machine. You choose the model behind it. It is built to be honest about what it did: it acts only through tools, asks you before it changes something, and the gateway, not the model, says under each answer what was done. And it keeps what you sent: a message that was accepted survives a crash, and so does a question that waits for you.",
  },
  {
    name: "creative or factual work",
    when: /\b(write|compose|draft|translate|summari[sz]e|explain|calculate|solve|code|program|poem|haiku|song|essay|joke|recipe|letter|function|python|javascript|capital of|how many|who (was|is|won)|why (is|do|does|are))\b/,
    answer: (turn) =>
      `That is work for a real model. ${introduced(turn) ? "I am only a script, and" : "A script"} would have to make it up.\n\n${CONNECT}`,
  },
  {
    name: "own programs",
    when: /\b(api|websocket|protocol|sdk|rpc|integrate|client|program)\b/,
    answer:
      "A program talks to Elwood over a WebSocket at `/ws`: first a frame with the token, then requests such as `chat.send`, then events as the answer streams in. A client that loses its connection picks the answer up where it left off. `elwood protocol schema` prints every message as JSON Schema.",
  },
  {
    name: "hello again",
    when: (turn) =>
      GREETING.test(turn.plain) && turn.earlier.some((said) => GREETING.test(said.toLowerCase())),
    answer:
      "Hello again. You greeted before in this session, so the history works. Ask me something about Elwood, or say “help”.",
  },
  {
    name: "hello",
    when: GREETING,
    answer: `Hello. Ask me what Elwood is, what it can do, or how to connect a model.\n\n${CONNECT}`,
  },
  {
    name: "thanks",
    when: /\b(thanks?|thank you|thx|cheers|great|nice|cool|perfect|awesome|ok|okay|good)\b/,
    answer: "You are welcome. What would you like to know next?",
  },
  {
    name: "goodbye",
    when: /\b(bye|goodbye|see you|good night|quit|exit)\b/,
    answer: "Goodbye. This session stays: `elwood -c` goes on with it.",
  },
  {
    name: "help",
    when: /\b(help|what can (you|i|it) do|what do you do|how do i|how can i|features|capabilities|start|begin|usage|manual|guide)\b/,
    answer: (turn) =>
      `I can tell you about:\n\n- what Elwood is, and what it cannot do yet\n- tools, approvals and receipts\n- connecting Anthropic, OpenAI or a local model\n- using it in the terminal: continuing a session, piping, JSON\n- where your data is, who can see it, what it costs\n- stopping, deleting, exporting a session\n\n${scenariosOf(turn)}Or ask me for a long story, to watch it stream, or what you just said, to see that the history works.\n\n${CONNECT}`,
  },
];

/** The notice has been given in this session already. */
export function introduced(turn: Turn): boolean {
  return turn.replies.some((reply) => reply.includes(DEMO_NOTICE) || reply.includes(GERMAN_NOTICE));
}

/** What can be asked for with the tools that are there. */
function scenariosOf(turn: Turn): string {
  const examples = allExamples(turn);
  if (examples === "") return "";
  return `I can also run errands with real tools. Say, for example:\n\n${examples}\n\nWhat the rules of this machine ask about waits for your answer first.\n\n`;
}

/** Characters of piped, attached or quoted material in the last message. */
function handedOver(turn: Turn): number {
  const last = turn.request.messages.findLast((m) => m.role === "user");
  const fenced = (last?.blocks ?? []).flatMap((b) =>
    b.type === "text"
      ? [
          .../* the fence that the prompt puts around data */ b.text.matchAll(
            /<data origin="[^"]*">\n([\s\S]*?)\n<\/data>/g,
          ),
        ]
      : [],
  );
  return fenced.reduce((sum, match) => sum + (match[1]?.length ?? 0), 0);
}
