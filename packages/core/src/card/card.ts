import { isRecord } from "../base/is-record.ts";
import { aroundChanges, diffLines, type DiffLine } from "../base/line-diff.ts";
import type { Preview } from "../tool/tool.ts";
import { LABEL_WORDS, TOOL_LABELS, type ToolLabel } from "../tool/tool-label.ts";
import { writtenGlyphsIn } from "../base/glyphs.ts";
import { beyondItself } from "../tool/tool-description.ts";
import { deedOf } from "../tool/tool-words.ts";
import { mixedAlphabets } from "./mixed-alphabets.ts";
import { questionWords } from "./question-words.ts";
import { HEARTBEAT_NAME } from "../schedule/job.ts";
import { isChained, readCommand, type CommandEffect, type CommandPart } from "./command.ts";

/**
 * What a card says, apart from how a surface draws it: the page, the terminal and every channel
 * render this same model. All of it is made of text whose tricks are written out already.
 *
 * K1 A thing is said once: the title names it, the body shows it, and input that neither shows
 *    stands in `fields`. Nothing of an input is left out of all three but what `details` repeats.
 * K2 What cannot be shown whole says so (`whole`), and can then not be allowed.
 */
export interface Card {
  readonly icon: CardIcon;
  /** "Change notes/plan.md" */
  readonly title: string;
  /** "asked by the job “Plans” · 1 line out, 2 in · you can undo this" */
  readonly note?: string;
  readonly body: CardBody;
  /** What else the input says, name by name. */
  readonly fields: readonly CardField[];
  /** What parts of it do, and what keeps it in. */
  readonly effects: readonly CardEffect[];
  /** It destroys something, sends it out, or runs what nobody has seen: red, and held. */
  readonly destructive: boolean;
  /** Why it asks, in one sentence. */
  readonly why: string;
  /** Ways to allow it; the first one is "this once". None where it cannot be allowed. */
  readonly allow: readonly CardScope[];
  readonly whole: boolean;
  /** How it is told once it is decided: "Changed notes/plan.md", "Not changed: notes/plan.md". */
  readonly told: { readonly doing: string; readonly done: string; readonly notDone: string };
  /** Calls of this kind are told together: "Write 3 files". */
  readonly group?: { readonly verb: string; readonly one: string; readonly many: string };
  readonly details: CardDetails;
}

export const CARD_ICONS = [
  "change",
  "delete",
  "move",
  "command",
  "request",
  "memory",
  "program",
  "question",
  "tool",
] as const;
export type CardIcon = (typeof CARD_ICONS)[number];

export type CardBody =
  | {
      readonly kind: "diff";
      readonly lines: readonly DiffLine[];
      readonly added: number;
      readonly removed: number;
    }
  | { readonly kind: "command"; readonly parts: readonly CommandPart[] }
  | { readonly kind: "request"; readonly text: string }
  | { readonly kind: "plan"; readonly steps: readonly CardStep[] }
  | { readonly kind: "none" };

/** One call of a plan, said like a card of its own. */
export interface CardStep {
  readonly title: string;
  readonly toolId: string;
  readonly body: Exclude<CardBody, { kind: "plan" }>;
  readonly fields: readonly CardField[];
  readonly effects: readonly CardEffect[];
  readonly destructive: boolean;
}

export interface CardField {
  readonly name: string;
  readonly text: string;
}

export interface CardEffect {
  readonly words: string;
  readonly tone: "bad" | "warn" | "ok" | "muted";
}

export interface CardScope {
  readonly decision: "once" | "window" | "always";
  readonly scope?: "call" | "similar" | "tool";
  readonly minutes?: number;
  /** What the owner would say that the tool does, from then on. */
  readonly label?: ToolLabel;
  /** "Write anything in notes/, for the next hour" */
  readonly words: string;
  /** "in this chat" */
  readonly hint: string;
}

export interface CardDetails {
  /** The input as JSON, as it would run or ran. */
  readonly input: string;
  /** The input as it was asked for, where the owner changed it. */
  readonly asked?: string;
  /** What a program would run with, in the tool's own words. */
  readonly surroundings?: string;
  /** Tool, reason, rule, what was read before, ids. */
  readonly rows: readonly CardField[];
  readonly links: readonly { readonly words: string; readonly path: string }[];
  readonly expiresAt: number;
}

/** What a card is made of: an approval as it travels, all text of it already safe to read. */
export interface CardSource {
  readonly approvalId: string;
  readonly kind: "approval" | "question" | "settle";
  readonly callId: string;
  readonly runId: string;
  readonly sessionKey: string;
  readonly toolName: string;
  readonly summary: string;
  readonly details?: unknown;
  readonly digest: string;
  readonly risk: string;
  readonly preview?: Preview | undefined;
  readonly rule: string;
  readonly reason: string;
  readonly surface?: string | undefined;
  readonly asker?: string | undefined;
  readonly sources: readonly string[];
  readonly decisions: readonly string[];
  readonly scopes?:
    | readonly { readonly scope: "call" | "similar" | "tool"; readonly words: string }[]
    | undefined;
  readonly labels?:
    | { readonly suggested?: ToolLabel | undefined; readonly says?: string | undefined }
    | undefined;
  readonly plan?:
    | readonly {
        readonly toolId: string;
        readonly input?: unknown;
        readonly risk: string;
        readonly summary: string;
        readonly preview?: Preview | undefined;
      }[]
    | undefined;
  readonly confirm?: string | undefined;
  readonly showable: boolean;
  readonly expiresAt: number;
  /** What ran, or would run, instead of what was asked for. */
  readonly editedInput?: unknown;
}

/** Of what cannot be allowed a beginning is enough to see what it is. */
export const TRUNCATED_CHARS = 2_000;
const HOUR_MINUTES = 60;

/** The card of an approval. Where the owner changed the input, it shows that one. */
export function cardOf(given: CardSource): Card {
  const source = writtenGlyphsIn(given);
  const { kind, showable, plan, risk, confirm } = source;
  const edited = source.editedInput !== undefined;
  const call: Call = {
    toolId: source.toolName,
    input: edited ? source.editedInput : source.details,
    preview: edited ? previewOfEdited(source) : source.preview,
    summary: source.summary,
    edited,
    whole: showable,
  };
  const said = kind === "approval" ? sayCall(call) : sayQuestion(source);
  const body = plan ? { kind: "plan" as const, steps: plan.map(stepOf) } : said.body;
  const destructive =
    kind === "approval" &&
    (risk === "destructive" ||
      confirm !== undefined ||
      (said.destructive ?? false) ||
      source.rule === "ask.dangerous" ||
      (body.kind === "plan" && body.steps.some((step) => step.destructive)));
  const fields = plan ? [] : [...said.fields, ...saidOfTool(source)];
  const note = joined(askedBy(source), said.note ?? "");
  const { group } = said;
  return {
    icon: said.icon,
    title: said.title,
    ...(note === "" ? {} : { note }),
    body: showable ? body : cutBody(body),
    fields: showable ? fields : fields.map(cutField),
    effects: [
      ...(said.effects ?? []),
      ...mixedAlphabets([call.input, ...(plan ?? []).map(({ input }) => input)]),
      ...saidBeyond(source),
    ],
    destructive,
    // A question says itself that it is one.
    why: kind === "approval" ? whyOf(source, call) : kind === "question" ? "" : source.reason,
    allow: kind === "approval" && showable ? scopesOf(source, destructive) : [],
    whole: showable,
    told: said.told,
    ...(group && !plan ? { group } : {}),
    details: detailsOf(source, call),
  };
}

/** Whoever is to say what a tool does reads what its server says of it, whole. */
function saidOfTool({ labels }: CardSource): CardField[] {
  return labels?.says === undefined ? [] : [{ name: "its server says", text: `“${labels.says}”` }];
}

function saidBeyond({ labels }: CardSource): CardEffect[] {
  const sentence = beyondItself(labels?.says ?? "");
  if (sentence === undefined) return [];
  return [{ words: `its description speaks of more than this tool: “${sentence}”`, tone: "bad" }];
}

/** Who asks, where it is not the owner: "asked by the job “Plans”"; else nothing. */
export function askedBy({ asker, surface }: Pick<CardSource, "asker" | "surface">): string {
  if (asker === undefined) return "";
  if (surface === "webhook") return `asked by the webhook “${asker}”`;
  if (surface !== "schedule") return `asked by ${asker}`;
  return asker === HEARTBEAT_NAME ? "asked by the heartbeat" : `asked by the job “${asker}”`;
}

interface Call {
  readonly toolId: string;
  readonly input: unknown;
  readonly preview: Preview | undefined;
  readonly summary: string;
  readonly edited: boolean;
  readonly whole: boolean;
}

interface Said {
  readonly icon: CardIcon;
  readonly title: string;
  readonly note?: string;
  readonly body: Exclude<CardBody, { kind: "plan" }>;
  readonly fields: readonly CardField[];
  readonly effects?: readonly CardEffect[];
  readonly destructive?: boolean;
  readonly told: Card["told"];
  readonly group?: Card["group"];
}

function sayCall(call: Call): Said {
  const say = Object.hasOwn(SAYINGS, call.toolId) ? SAYINGS[call.toolId] : undefined;
  return say?.(call) ?? sayTool(call);
}

type Saying = (call: Call) => Said | undefined;

const SAYINGS: Readonly<Record<string, Saying>> = {
  "files.file.write": (call) => sayChange(call, ["path", "content"]),
  "files.file.edit": (call) => {
    // A long change is cut in the preview: then the arguments say the rest.
    const { oldText = "", newText = "" } = texts(call.input);
    const { before = "", after = "" } = call.preview ?? {};
    const seen = before.includes(oldText) && after.includes(newText);
    return sayChange(call, seen ? ["path", "oldText", "newText", "replaceAll"] : ["path"]);
  },
  "files.file.delete": (call) => {
    const path = pathOf(call);
    if (path === undefined) return undefined;
    const body = goingBody(call);
    return {
      icon: "delete",
      title: `Delete ${path}`,
      note: goingNote(call, lineCount(call, body, "removed")),
      body,
      fields: fieldsBeside(call, ["path", "recursive"]),
      told: { doing: `Deleting ${path}`, done: `Deleted ${path}`, notDone: `Not deleted: ${path}` },
    };
  },
  "files.file.move": (call) => {
    const { from, to } = texts(call.input);
    if (from === undefined || to === undefined) return undefined;
    const replaces = isRecord(call.input) && call.input["overwrite"] === true;
    const { preview } = call;
    // What comes to lie where it tells Elwood what it can do is shown as if it were written there;
    // where something else is replaced, the preview shows what is lost.
    const isBrought = preview?.creates !== undefined;
    const body = isBrought
      ? diffBody(call, preview.before, preview.after)
      : replaces
        ? goingBody(call)
        : NO_BODY;
    const what = `${inBase(from, call.preview)} to ${inBase(to, call.preview)}`;
    return {
      icon: "move",
      title: `Move ${what}`,
      note: joined(
        replaces ? "replaces what is there" : "",
        isBrought ? lineCount(call, body, "added") : "",
        goingNote(call, ""),
      ),
      body,
      fields: fieldsBeside(call, ["from", "to", "overwrite"]),
      told: { doing: `Moving ${what}`, done: `Moved ${what}`, notDone: `Not moved: ${what}` },
      group: { verb: "Move", one: "file", many: "files" },
    };
  },
  "shell.command.run": sayCommand,
  "web.page.fetch": (call) => {
    const { url } = texts(call.input);
    if (url === undefined) return undefined;
    const host = hostOf(url);
    return {
      icon: "request",
      title: `Fetch a page from ${host}`,
      body: { kind: "request", text: `GET ${url}` },
      fields: fieldsBeside(call, ["url", "maxChars", "offset"]),
      effects: [{ words: `${host} sees this address`, tone: "warn" }],
      told: {
        doing: `Fetching a page from ${host}`,
        done: `Fetched a page from ${host}`,
        notDone: `Not fetched: ${url}`,
      },
      group: { verb: "Fetch", one: "page", many: "pages" },
    };
  },
  "web.search.query": (call) => {
    const { query } = texts(call.input);
    if (query === undefined) return undefined;
    return {
      icon: "request",
      title: `Search the web for “${query}”`,
      body: NO_BODY,
      fields: fieldsBeside(call, ["query", "count", "offset"]),
      ...(call.preview?.subject === undefined
        ? {}
        : { effects: [{ words: `${call.preview.subject} sees these words`, tone: "warn" as const }] }),
      told: {
        doing: `Searching the web for “${query}”`,
        done: `Searched the web for “${query}”`,
        notDone: `Not searched: “${query}”`,
      },
    };
  },
  "memory.note.save": (call) => {
    const { key } = texts(call.input);
    if (key === undefined) return undefined;
    const body = diffBody(call, call.preview?.before, call.preview?.after ?? texts(call.input)["content"]);
    const fresh = (call.preview?.before ?? "") === "";
    const what = `the note ${key}`;
    return {
      icon: "memory",
      title: `${fresh ? "Begin" : "Change"} ${what}`,
      note: joined(changeWords(call, body), undoWords(call.preview?.undoable)),
      body,
      fields: fieldsBeside(call, ["key", "content", "mode"]),
      told: {
        doing: `Saving ${what}`,
        done: `${fresh ? "Began" : "Changed"} ${what}`,
        notDone: `Not saved: ${what}`,
      },
      group: { verb: "Save", one: "note", many: "notes" },
    };
  },
  "session.call.undo": (call) => {
    const { preview } = call;
    if (!preview || call.edited) return undefined;
    const title = preview.sentence.replace(/\.$/, "");
    const what = title.replace(/^Undo:? /, "");
    return {
      icon: "tool",
      title,
      note: "",
      body: preview.after === undefined ? NO_BODY : { kind: "request", text: preview.after },
      fields: fieldsBeside(call, ["calls"]),
      told: { doing: `Undoing ${what}`, done: `Undid ${what}`, notDone: `Not undone: ${what}` },
    };
  },
  "memory.note.forget": (call) => {
    const { key, word } = texts(call.input);
    if (key === undefined && word === undefined) return undefined;
    const { sentence = "", before } = call.preview ?? {};
    const line = valueOf(call.input, "line");
    const note = `${line === undefined ? "" : `line ${valueText(line)} of `}the note ${key}`;
    const what = word === undefined ? note : `everything that mentions “${word}”`;
    const body = diffBody(call, before, "");
    // How much that is stands behind the colon of the tool's own sentence.
    const [, found] = /: ([^:]*)\.$/s.exec(sentence) ?? [];
    const much = word === undefined ? lineCount(call, body, "removed") : (found ?? "");
    return {
      icon: "memory",
      title: `Forget ${what}`,
      note: joined(before === undefined ? "" : much, "cannot be undone"),
      body,
      fields: fieldsBeside(call, ["key", "word", "line", "text"]),
      effects: [
        word === undefined
          ? {
              words: `what conversations say of it stays; to erase that too: elwood memory forget --word ${/^[\p{L}\p{N}_.-]+$/u.test(key ?? "") ? key : `"${key}"`}`,
              tone: "warn",
            }
          : {
              words: "backups, and what was sent to a model's provider before, are out of reach",
              tone: "warn",
            },
      ],
      told: { doing: `Forgetting ${what}`, done: `Forgot ${what}`, notDone: `Not forgotten: ${what}` },
    };
  },
  "schedule.job.create": (call) => saySchedule(call, ["kind", "message", ...SCHEDULE_FIELDS]),
  "schedule.job.update": (call) => saySchedule(call, ["name", "message", ...SCHEDULE_FIELDS]),
  "schedule.job.delete": (call) => saySchedule(call, ["name"]),
  "program.code.run": (call) => {
    const { purpose = "" } = texts(call.input);
    // What it is for is the model's word: it names the program once that was decided, and decides nothing.
    const named = shortCommand(purpose);
    const why = named === "" ? "" : `: ${named}`;
    return {
      icon: "program",
      title: "Run a program",
      note: "all of these calls; others ask, unless you asked for them",
      body: NO_BODY,
      fields: [],
      told: {
        doing: `Running a program${why}`,
        done: `Ran a program${why}`,
        notDone: `Not run: a program${named === "" ? "" : ` (${named})`}`,
      },
    };
  },
};

const NO_BODY = { kind: "none" } as const;

function sayChange(call: Call, covered: readonly string[]): Said | undefined {
  const path = pathOf(call);
  if (path === undefined) return undefined;
  const { preview } = call;
  // The input itself where it is all that will be there; a preview may have been cut.
  const body = diffBody(call, preview?.before, texts(call.input)["content"] ?? preview?.after);
  const creates = preview?.creates ?? (preview?.sentence ?? "").startsWith("Create ");
  const [verb, done] = creates ? ["Create", "Created"] : ["Change", "Changed"];
  const counts = creates || !call.whole ? "" : countWords(body);
  return {
    icon: "change",
    title: `${verb} ${path}`,
    note: joined(
      creates ? lineCount(call, body, "added") : changeWords(call, body),
      undoWords(preview?.undoable),
    ),
    body,
    fields: fieldsBeside(call, covered),
    told: {
      doing: `${creates ? "Creating" : "Changing"} ${path}`,
      done: joinedBy(" ", `${done} ${path}`, counts),
      notDone: `Not ${done.toLowerCase()}: ${path}`,
    },
    group: { verb: "Write", one: "file", many: "files" },
  };
}

const SCHEDULE_FIELDS = ["at", "every", "cron", "timeZone"];

/** What is set and when, which the tool says in words; the name is said where it is not the message itself. */
function saySchedule(call: Call, covered: readonly string[]): Said | undefined {
  const { preview, input } = call;
  if (!preview || call.edited) return undefined;
  const title = preview.sentence.replace(/\.$/, "");
  const { name = "", message = "" } = texts(input);
  const isNamed = covered.includes("name") || name !== message;
  // What repeats is followed by when it is next, which is no part of it.
  const [, after = "", next] =
    /^(.*?)(?:(?:^|\n)Next:\n((?: {2}[^\n]*(?:\n|$))*))?$/su.exec(preview.after ?? "") ?? [];
  const nextTimes =
    next === undefined ? [] : [{ name: "Next", text: next.replaceAll(/^ {2}/gmu, "").trimEnd() }];
  return {
    icon: "tool",
    title,
    note: undoWords(preview.undoable),
    body:
      preview.before !== undefined
        ? diffBody(call, preview.before, after)
        : after === ""
          ? NO_BODY
          : { kind: "request", text: after },
    fields: [...fieldsBeside(call, isNamed ? covered : [...covered, "name"]), ...nextTimes],
    told: { doing: title, done: `Done: ${title}`, notDone: `Not done: ${title}` },
  };
}

function sayCommand(call: Call): Said | undefined {
  if (!isRecord(call.input)) return undefined;
  const { argv, command, cwd, timeoutMs, network, ...others } = call.input;
  const { text, parts, effects, destructive } = readCommand({ argv, command });
  if (text === "") return undefined;
  const { preview } = call;
  const folder = call.edited ? undefined : preview?.subject;
  const where =
    folder === undefined
      ? typeof cwd === "string" && cwd !== ""
        ? folderWords(cwd)
        : ""
      : folderWords(inBase(folder, preview));
  const short = shortCommand(text);
  // Folder, network and time stand in the title and the effects, as far as somebody looked them up.
  const rest = {
    ...others,
    ...(cwd === undefined || where !== "" ? {} : { cwd }),
    ...(preview?.reach || network === undefined ? {} : { network }),
    ...(preview?.reach || timeoutMs === undefined ? {} : { timeoutMs }),
  };
  return {
    icon: "command",
    title: where === "" ? "Run a command" : `Run a command in ${where}`,
    body: { kind: "command", parts },
    fields: fieldsOf(rest),
    effects: [...effects.map((effect) => effectWords(effect, preview)), ...reachEffects(preview, where)],
    destructive,
    told: { doing: `Running ${short}`, done: `Ran ${short}`, notDone: `Not run: ${short}` },
  };
}

function effectWords({ words, risk, network }: CommandEffect, preview: Preview | undefined): CardEffect {
  const fails = network === true && preview?.reach?.network === false;
  return {
    words: fails ? `${words} (will fail: no network)` : words,
    tone: risk === "danger" ? "bad" : "warn",
  };
}

function reachEffects(preview: Preview | undefined, where: string): CardEffect[] {
  const { reach } = preview ?? {};
  if (!reach) return [];
  const top = where.split("/")[0];
  const changes: CardEffect =
    reach.changes === "everything"
      ? { words: "can read and change all that Elwood can", tone: "bad" }
      : reach.changes === "nothing"
        ? { words: "can change nothing", tone: "ok" }
        : {
            words: `can only touch ${top === undefined || top === "" ? "its folder" : `${top}/`}`,
            tone: "ok",
          };
  return [
    changes,
    reach.network ? { words: "network allowed", tone: "bad" } : { words: "no network", tone: "ok" },
    { words: `at most ${reach.seconds} s`, tone: "muted" },
  ];
}

/** Any other tool: what its preview says, and every argument of it. */
function sayTool(call: Call): Said {
  const { preview, toolId } = call;
  // Of an edited call nobody wrote a sentence, unless it is still about the same thing.
  const said = (preview?.sentence ?? (call.edited ? "" : call.summary)).replace(/\.$/, "");
  // Where it was forgotten what a call was about, the name of its tool is left.
  const { todo, doing, done } = deedOf(toolId);
  const isNamed = said !== "" && said !== toolId;
  const sentence = isNamed ? said : todo;
  const change = preview?.before !== undefined || preview?.after !== undefined;
  const body = change ? diffBody(call, preview?.before, preview?.after) : NO_BODY;
  const known = `${sentence}\n${preview?.after ?? ""}`;
  const all = isRecord(call.input) ? Object.entries(call.input) : [["input", call.input] as const];
  // A text that the title or the body shows already is not said again.
  const beside = change
    ? all.filter(([, value]) => typeof value !== "string" || !standsIn(known, value))
    : all;
  const fields = beside.map(([name, value]) => ({ name, text: valueText(value) }));
  return {
    icon: toolId.startsWith("memory.")
      ? "memory"
      : toolId.startsWith("web.") || toolId.startsWith("browser.")
        ? "request"
        : "tool",
    title: sentence,
    ...(preview?.undoable === undefined ? {} : { note: undoWords(preview.undoable) }),
    body,
    fields,
    told: {
      doing: isNamed ? sentence : doing,
      done: isNamed || done === todo ? `Done: ${sentence}` : done,
      notDone: `Not done: ${sentence}`,
    },
  };
}

/** Whether a text stands in another as it is, and not as a piece of a longer word. */
function standsIn(known: string, text: string): boolean {
  if (text.length < 3) return false;
  for (let at = known.indexOf(text); at >= 0; at = known.indexOf(text, at + 1)) {
    const around = [known[at - 1] ?? " ", known[at + text.length] ?? " "];
    if (around.every((character) => !/[\p{L}\p{N}_-]/u.test(character))) return true;
  }
  return false;
}

function sayQuestion({ kind, summary, details, toolName }: CardSource): Said {
  const isForgotten = summary === toolName;
  const title =
    kind === "question"
      ? isForgotten
        ? "A question; what it asked was forgotten"
        : questionWords(summary)
      : isForgotten
        ? `${deedOf(toolName).todo}: did it happen?`
        : summary;
  const told = { doing: title, done: title, notDone: title };
  const note = "a question for you";
  if (kind === "question") return { icon: "question", title, note, body: NO_BODY, fields: [], told };
  // Whether a call took effect: what it was is shown as it would have been asked about.
  const about = sayCall({
    toolId: toolName,
    input: details,
    preview: undefined,
    summary: toolName,
    edited: false,
    whole: true,
  });
  return { ...about, icon: "question", title, note, destructive: false, told };
}

function stepOf({
  toolId,
  input,
  risk,
  summary,
  preview,
}: NonNullable<CardSource["plan"]>[number]): CardStep {
  const {
    title,
    body,
    fields,
    effects = [],
    destructive = false,
  } = sayCall({
    toolId,
    input,
    preview,
    summary,
    edited: false,
    whole: true,
  });
  return { title, toolId, body, fields, effects, destructive: destructive || risk === "destructive" };
}

/**
 * What an edited input would change, as far as it can be told without asking the tool again: the
 * text that is there now is known from the preview, as long as it is still about the same thing.
 */
function previewOfEdited({ toolName, details, editedInput, preview }: CardSource): Preview | undefined {
  if (!preview) return undefined;
  const { sentence, after, reach, ...rest } = preview;
  const [asked, now] = [texts(details), texts(editedInput)];
  const isSame = (name: string) =>
    valueText(valueOf(details, name)) === valueText(valueOf(editedInput, name));
  // How far a command reaches was looked up for the network and the time it asked for.
  const reaches = reach && isSame("network") && isSame("timeoutMs") ? { reach } : {};
  const { base, before = "" } = rest;
  const nothingKnown = { sentence: "", ...(base === undefined ? {} : { base }), ...reaches };
  // When that would be only the tool can tell.
  if (toolName.startsWith("schedule.job.")) return nothingKnown;
  if (!["path", "key", "from", "to"].every(isSame)) return nothingKnown;
  const kept = { ...rest, ...reaches, sentence };
  if (toolName === "files.file.write") return { ...kept, after: now["content"] ?? "" };
  if (toolName === "files.file.edit") {
    const { oldText = "", newText = "" } = now;
    const everywhere = isRecord(editedInput) && editedInput["replaceAll"] === true;
    return {
      ...kept,
      after: everywhere ? before.replaceAll(oldText, () => newText) : before.replace(oldText, () => newText),
    };
  }
  if (toolName === "memory.note.save") {
    const added = now["mode"] === "add" && before !== "" ? before.replace(/\n?$/, "\n") : "";
    return { ...kept, after: `${added}${now["content"] ?? ""}` };
  }
  // What a move brings along is the same, whatever it replaces.
  if (toolName === "files.file.move" && after !== undefined) return { ...kept, after };
  if (Object.hasOwn(SAYINGS, toolName)) return kept;
  // Any other tool: what one value alone puts there can be followed, as long as the rest is the same.
  const content = Object.keys(asked).find((name) => asked[name] === after);
  const names = [details, editedInput].flatMap((each) => (isRecord(each) ? Object.keys(each) : []));
  if (content === undefined || names.some((name) => name !== content && !isSame(name))) return nothingKnown;
  const text = now[content];
  return text === undefined ? nothingKnown : { ...kept, after: text };
}

function valueOf(input: unknown, name: string): unknown {
  return isRecord(input) && Object.hasOwn(input, name) ? input[name] : undefined;
}

/** What people recognise a file by: its path from the folder it lies in. */
function pathOf({ input, preview, edited }: Call): string | undefined {
  const { path } = texts(input);
  const subject = edited ? undefined : preview?.subject;
  return subject === undefined ? path && inBase(path, preview) : inBase(subject, preview);
}

function inBase(path: string, preview: Preview | undefined): string {
  const { base } = preview ?? {};
  if (base === undefined || base === "") return path;
  if (path === base) return `${base.slice(base.lastIndexOf("/") + 1)}/`;
  return path.startsWith(`${base}/`) ? path.slice(base.length + 1) : path;
}

function folderWords(path: string): string {
  return path.endsWith("/") ? path : `${path}/`;
}

function diffBody({ whole }: Call, wholeBefore = "", wholeAfter = ""): Extract<CardBody, { kind: "diff" }> {
  // Of what is cut anyway no more is compared than will be seen.
  const [before, after] = whole
    ? [wholeBefore, wholeAfter]
    : [wholeBefore.slice(0, TRUNCATED_CHARS * 2), wholeAfter.slice(0, TRUNCATED_CHARS * 2)];
  const all = diffLines(before, after);
  const ends = before !== after && all.every(({ mark }) => mark === " ");
  return {
    kind: "diff",
    lines: ends ? [{ mark: "…", line: "only the line break at the end changes" }] : aroundChanges(all),
    added: all.filter(({ mark }) => mark === "+").length,
    removed: all.filter(({ mark }) => mark === "-").length,
  };
}

/** What is lost. Of a long file how it begins is enough: nothing of it goes anywhere, and its hash binds the rest. */
function goingBody(call: Call): Extract<CardBody, { kind: "diff" }> {
  const { before = "", beforeBytes } = call.preview ?? {};
  if (beforeBytes === undefined) return diffBody(call, before, "");
  const body = diffBody(call, before.replace(/\n[^\n]*$/, ""), "");
  return { ...body, lines: [...body.lines.slice(0, GOING_LINES), { mark: "…", line: "and so on" }] };
}

/** So many lines of a long file that goes are shown. */
const GOING_LINES = 10;

function goingNote({ preview }: Call, otherwise: string): string {
  const { beforeBytes, undoable } = preview ?? {};
  if (beforeBytes === undefined) return joined(otherwise, undoWords(undoable));
  const kept = undoable ? "a copy is kept, so you can undo this" : undoWords(undoable);
  return joined(bytesWords(beforeBytes), kept);
}

function changeWords(call: Call, body: CardBody): string {
  if (body.kind !== "diff" || !call.whole) return "";
  const { added, removed } = body;
  if (added === 0 && removed === 0) return "changes nothing";
  if (removed === 0) return `${lines(added)} in`;
  return added === 0 ? `${lines(removed)} out` : `${lines(removed)} out, ${added} in`;
}

function countWords(body: CardBody): string {
  if (body.kind !== "diff" || body.added + body.removed === 0) return "";
  return joinedBy(" ", body.added > 0 ? `+${body.added}` : "", body.removed > 0 ? `−${body.removed}` : "");
}

function lineCount(call: Call, body: CardBody, of: "added" | "removed"): string {
  if (!call.whole) return "";
  return body.kind === "diff" && body[of] > 0 ? lines(body[of]) : "empty";
}

function bytesWords(bytes: number): string {
  if (bytes < KB) return bytes === 1 ? "1 byte" : `${bytes} bytes`;
  return bytes < KB * KB ? `${(bytes / KB).toFixed(1)} KB` : `${(bytes / (KB * KB)).toFixed(1)} MB`;
}

const KB = 1024;

function lines(count: number): string {
  return count === 1 ? "1 line" : `${count} lines`;
}

function undoWords(undoable: boolean | undefined): string {
  if (undoable === undefined) return "";
  return undoable ? "you can undo this" : "cannot be undone";
}

function joined(...parts: readonly string[]): string {
  return joinedBy(" · ", ...parts);
}

function joinedBy(between: string, ...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(between);
}

function fieldsBeside({ input }: Call, covered: readonly string[]): CardField[] {
  if (!isRecord(input)) return [{ name: "input", text: valueText(input) }];
  return fieldsOf(Object.fromEntries(Object.entries(input).filter(([name]) => !covered.includes(name))));
}

function fieldsOf(input: Readonly<Record<string, unknown>>): CardField[] {
  return Object.entries(input).map(([name, value]) => ({ name, text: valueText(value) }));
}

/** Text as it is, the rest as JSON. */
export function valueText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, undefined, 2) ?? "");
}

/** The arguments that are texts, by their names. */
function texts(input: unknown): Readonly<Record<string, string | undefined>> {
  if (!isRecord(input)) return {};
  return Object.fromEntries(
    Object.entries(input).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

function hostOf(url: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\/(?:[^/@\s]*@)?([^/?#\s]+)/i.exec(url)?.[1] ?? url;
}

const COMMAND_CHARS = 80;

/** A command in a line of its own; its beginning is what it is known by. */
function shortCommand(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= COMMAND_CHARS ? line : `${line.slice(0, COMMAND_CHARS - 1)}…`;
}

function cutBody(body: CardBody): CardBody {
  switch (body.kind) {
    case "diff": {
      const kept: DiffLine[] = [];
      let room = TRUNCATED_CHARS;
      for (const each of body.lines) {
        if (room <= 0) break;
        kept.push({ ...each, line: each.line.slice(0, room) });
        room -= each.line.length + 1;
      }
      const rest = body.lines.length - kept.length;
      return { ...body, lines: [...kept, { mark: "…", line: rest > 0 ? `${rest} more lines` : "cut here" }] };
    }
    case "command": {
      let room = TRUNCATED_CHARS;
      const parts = body.parts.flatMap((part) => {
        const text = part.text.slice(0, Math.max(0, room));
        room -= part.text.length;
        return text === "" ? [] : [{ ...part, text }];
      });
      return { kind: "command", parts: [...parts, { text: "… (cut here)" }] };
    }
    case "request":
      return { ...body, text: cutText(body.text) };
    case "plan":
      return {
        kind: "plan",
        steps: body.steps.map((step) => ({
          ...step,
          // A body that is no plan stays one when it is cut.
          body: cutBody(step.body) as CardStep["body"],
          fields: step.fields.map(cutField),
        })),
      };
    case "none":
      return body;
    default:
      return body satisfies never;
  }
}

function cutField({ name, text }: CardField): CardField {
  return { name, text: cutText(text) };
}

function cutText(text: string): string {
  if (text.length <= TRUNCATED_CHARS) return text;
  return `${text.slice(0, TRUNCATED_CHARS).toWellFormed()}\n(and ${text.length - TRUNCATED_CHARS} more characters)`;
}

/** This once; the narrow and the wide permission for an hour; the wide one for good. */
function scopesOf({ scopes = [], decisions, labels }: CardSource, destructive: boolean): CardScope[] {
  const once: CardScope = { decision: "once", words: "This once", hint: "asks again next time" };
  if (labels) return [once, ...labelScopes(labels)];
  if (destructive) return [once];
  const wide =
    scopes.find(({ scope }) => scope === "similar") ?? scopes.find(({ scope }) => scope === "tool");
  const narrow = scopes.find(({ scope }) => scope === "call");
  const offered = [narrow, wide].filter((each) => each !== undefined);
  const hour = decisions.includes("window")
    ? offered.map(({ scope, words }): CardScope => ({
        decision: "window",
        scope,
        minutes: HOUR_MINUTES,
        words: `${upper(words)}, for the next hour`,
        hint: "in this chat",
      }))
    : [];
  const widest = offered.at(-1);
  const always =
    decisions.includes("always") && widest
      ? [
          {
            decision: "always" as const,
            scope: widest.scope,
            words: `${upper(widest.words)}, always`,
            hint: "listed under Approvals, Permissions",
          },
        ]
      : [];
  return [once, ...hour, ...always];
}

/** A tool of somebody else: the owner may say what it does, and allow this call. */
function labelScopes({ suggested }: NonNullable<CardSource["labels"]>): CardScope[] {
  const others = TOOL_LABELS.filter((label) => label !== suggested);
  return (suggested === undefined ? others : [suggested, ...others]).map((label) => ({
    decision: "once",
    label,
    words: `Allow; this tool ${LABEL_WORDS[label].word}`,
    hint: `${LABEL_WORDS[label].means} from now on${label === suggested ? " · its server says so" : ""}`,
  }));
}

function upper(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** One sentence for each rule; another rule is told by the first sentence of its own reason. */
function whyOf(source: CardSource, { toolId, input }: Call): string {
  const { rule, reason, preview } = source;
  const thing = toolId.startsWith("files.") ? "this file" : "what this is about";
  const from = broughtBy(source);
  const cameFrom = from === undefined ? "" : `; it came from ${from}`;
  switch (rule) {
    case "mode.strict":
      return "Every change asks in strict mode.";
    case "authority.none":
      if (source.surface === "schedule")
        return "A job asks before it changes anything that you did not allow out of a rehearsal.";
      return source.surface === "webhook"
        ? "What a webhook sets off asks before it changes anything."
        : "Asking because you didn't ask for this.";
    case "authority.value": {
      const { value, argument, named } = unsaidIn(reason);
      // Of several, the one that was not named.
      const what = argument === "to" && value !== undefined ? value : thing;
      return named
        ? `Asking because Elwood can't tell from your message whether you mean ${what}${cameFrom}.`
        : `Asking because you didn't name ${what}${cameFrom}.`;
    }
    case "authority.reference": {
      const { value } = unsaidIn(reason);
      return `Asking because you didn't say which one you mean${value === undefined ? "" : ` by ${value}`}${cameFrom}.`;
    }
    case "authority.no-target": {
      if (!reason.startsWith("Its ")) return "Asking because you didn't say what this is about.";
      const [, title] = /^Its \S+ is in your words, but not said of (“.*?”)/su.exec(reason) ?? [];
      if (title !== undefined) return `Asking because you didn't say this of ${title}.`;
      return from === undefined
        ? "Asking because Elwood chose these words, not you."
        : `Asking because you didn't say this${cameFrom}.`;
    }
    case "authority.content": {
      const [, what] = /^Its \S+ contains (an? [a-z -]+) that you did not write/s.exec(reason) ?? [];
      return what === undefined
        ? "Asking because there is too much text in it to compare with what you said."
        : `Asking because its text contains ${what} that you didn't mention${cameFrom}.`;
    }
    case "authority.copied": {
      const [, copied] = /^Its \S+ copies text from (.*?), which is private/s.exec(reason) ?? [];
      return `Asking because it copies private text${copied === undefined ? "" : ` from ${copied}`}.`;
    }
    case "authority.unlabelled":
      return toolId === COMMAND_TOOL
        ? whyCommand(input, preview)
        : "Asking because Elwood can't tell which parts of this call matter.";
    case "ask.destructive":
      if (source.labels)
        return reason.includes("not the one you knew")
          ? "This tool has changed since you said what it does, so every call asks again."
          : "You haven't said yet what this tool does, so every call asks.";
      return preview?.undoable === false
        ? "This cannot be undone, so it always asks."
        : `${DESTROYING[toolId.split(".").at(-1) ?? ""] ?? "A destructive call"} always asks.`;
    case "ask.shell-syntax":
      return whyShell(input);
    case "ask.plan":
      return "A program asks before it changes anything.";
    default:
      // Which condition failed, after what the call does.
      if (rule.startsWith("authority."))
        return reason.replace(/ It (?:changes|carries)[^.“]*\.(?: Your rule.*)?$/u, "");
      return /^.*?[.!?](?=\s|$)/s.exec(reason)?.[0] ?? reason;
  }
}

/** What a command does is why it asks, whatever the owner said of it. */
function whyCommand(input: unknown, preview: Preview | undefined): string {
  const [first] = readCommand(isRecord(input) ? input : {}).effects;
  if (first !== undefined) return `Asking because this ${first.words}.`;
  return preview?.reach?.changes === "nothing"
    ? "Asking because you haven't allowed this command yet."
    : "Asking because this command may change something.";
}

function whyShell(input: unknown): string {
  const { text, effects } = readCommand(isRecord(input) ? input : {});
  if (isChained(text)) return "Chained commands always ask.";
  const [first] = effects;
  return first === undefined
    ? "Commands that need a shell always ask."
    : `Asking because this ${first.words}.`;
}

const COMMAND_TOOL = "shell.command.run";

const DESTROYING: Readonly<Record<string, string | undefined>> = {
  delete: "Deleting",
  forget: "Forgetting",
  move: "Replacing a file",
  remove: "Removing",
};

/** The value that the owner did not say, in its quotes, the argument it stands in, and whether it may have been named. */
function unsaidIn(reason: string): {
  readonly value: string | undefined;
  readonly argument: string | undefined;
  readonly named: boolean;
} {
  const [, how, value, argument] = /(name|mean) (“[^”]*”) \((\w+)\)/s.exec(reason) ?? [];
  return { value, argument, named: how === "mean" };
}

/** What brought the value, in words. Other things may have been read too, so the reason must say so. */
function broughtBy({ reason, sources }: CardSource): string | undefined {
  return sources
    .map((source) => source.replace(/ \(\w*\)$/, ""))
    .find((words) => reason.includes(`; it came from ${words}`));
}

/** What a card is about need not be a file. */
function wholePath(subject = ""): string {
  return /^(?:\/|~|[A-Z]:\\)/iu.test(subject) ? subject : "";
}

function detailsOf(source: CardSource, call: Call): CardDetails {
  const { approvalId, callId, runId, sessionKey, toolName, rule, reason, sources, surface, digest } = source;
  const shown = (value: unknown) => {
    const text = JSON.stringify(value, undefined, 2) ?? "";
    return source.showable ? text : cutText(text);
  };
  const after = call.edited ? undefined : call.preview?.after;
  const programs = toolName === "shell.command.run" || toolName.startsWith("web.");
  const rows = [
    { name: "Tool", text: toolName },
    { name: "Full path", text: programs || call.edited ? "" : wholePath(call.preview?.subject) },
    { name: "Why", text: reason },
    { name: "Rule", text: rule },
    { name: "Read before", text: sources.join(", ") },
    { name: "Asked on", text: surface ?? "" },
    { name: "Approval", text: approvalId },
    { name: "Call", text: callId },
    { name: "Digest", text: digest },
  ].filter(({ text }) => text !== "");
  return {
    input: shown(call.input),
    ...(call.edited ? { asked: shown(source.details) } : {}),
    ...(programs && after !== undefined ? { surroundings: source.showable ? after : cutText(after) } : {}),
    rows,
    links: [
      {
        words: "conversation",
        path: `/c/${encodeURIComponent(sessionKey)}?run=${encodeURIComponent(runId)}`,
      },
      { words: "run", path: `/runs/${encodeURIComponent(runId)}` },
      { words: "receipts", path: `/receipts?run=${encodeURIComponent(runId)}` },
    ],
    expiresAt: source.expiresAt,
  };
}
