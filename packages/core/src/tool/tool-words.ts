/**
 * What a call does, as people say it: where it is told that it happens or happened, its tool's id
 * stands in the details and not here.
 */
export interface Deed {
  /** "Delete a file" */
  readonly todo: string;
  /** "Deleting a file" */
  readonly doing: string;
  /** "Deleted a file" */
  readonly done: string;
}

type Verb = readonly [todo: string, doing: string, done: string];

const READ: Verb = ["Read", "Reading", "Read"];
const RUN: Verb = ["Run", "Running", "Ran"];
const SEARCH: Verb = ["Search", "Searching", "Searched"];
const ASK: Verb = ["Ask", "Asking", "Asked"];

const DEEDS: Readonly<Record<string, readonly [verb: Verb, what: string]>> = {
  "shell.command.run": [RUN, "a command"],
  "program.code.run": [RUN, "a program"],
  "files.file.read": [READ, "a file"],
  "files.file.attach": [["Attach", "Attaching", "Attached"], "a file"],
  "files.file.list": [["List", "Listing", "Listed"], "a folder"],
  "files.file.search": [SEARCH, "a folder"],
  "files.file.write": [["Write", "Writing", "Wrote"], "a file"],
  "files.file.edit": [["Edit", "Editing", "Edited"], "a file"],
  "files.file.move": [["Move", "Moving", "Moved"], "a file"],
  "files.file.delete": [["Delete", "Deleting", "Deleted"], "a file"],
  "web.page.fetch": [["Fetch", "Fetching", "Fetched"], "a page"],
  "web.search.query": [SEARCH, "the web"],
  "memory.note.save": [["Save", "Saving", "Saved"], "a note"],
  "memory.note.get": [READ, "a note"],
  "memory.note.search": [SEARCH, "memory"],
  "memory.note.forget": [["Forget", "Forgetting", "Forgot"], "something"],
  "schedule.job.create": [["Set", "Setting", "Set"], "a reminder or job"],
  "schedule.job.list": [["List", "Listing", "Listed"], "reminders and jobs"],
  "schedule.job.update": [["Change", "Changing", "Changed"], "a reminder or job"],
  "schedule.job.delete": [["Remove", "Removing", "Removed"], "a reminder or job"],
  "owner.question.ask": [ASK, "you"],
  "owner.question.choose": [ASK, "you to choose"],
  "skills.skill.read": [READ, "a skill"],
  "workspace.tool.check": [["Check", "Checking", "Checked"], "a tool of your own"],
  "session.call.undo": [["Undo", "Undoing", "Undid"], "a call"],
  "session.result.read": [["Read on", "Reading on", "Read on"], "in a result"],
};

/** Of a tool that nobody has words for, its id as words, action first: "Send email message". */
export function deedOf(toolId: string): Deed {
  const known = Object.hasOwn(DEEDS, toolId) ? DEEDS[toolId] : undefined;
  if (!known) {
    const words = toolInWords(toolId);
    const plain = words.charAt(0).toUpperCase() + words.slice(1);
    return { todo: plain, doing: plain, done: plain };
  }
  const [[todo, doing, done], what] = known;
  return { todo: `${todo} ${what}`, doing: `${doing} ${what}`, done: `${done} ${what}` };
}

/** How a call of a tool that there is none of is answered; what there is follows for the model. */
export function noSuchTool(toolId: string): string {
  return `There is no tool "${toolId}".`;
}

const HEADING_CHARS_MAX = 90;

/** What a tool of the owner's is headed by: the first sentence of its description, or its id as words where that is long. */
export function headingOf({
  id,
  description,
}: {
  readonly id: string;
  readonly description: string;
}): string {
  const [first = ""] = description.trim().split(/(?<=[.!?])\s|\n/u);
  const heading = first.replace(/\.$/u, "").trim();
  return heading === "" || heading.length > HEADING_CHARS_MAX ? deedOf(id).todo : heading;
}

/** `email.message.send` as "send email message". */
export function toolInWords(toolId: string): string {
  const parts = toolId.split(".").map((part) => part.replaceAll(/[_-]+/g, " ").trim());
  const action = parts.pop() ?? "";
  return [action, ...parts.filter((part, i) => part !== parts[i - 1])]
    .filter((part) => part !== "")
    .join(" ");
}
