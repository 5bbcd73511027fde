import { spoken } from "../language.ts";

/** What each tool that comes with Elwood does, for its owner: what the model is told of it is written for a model. */
const ENGLISH = {
  "browser.download.save": "Saves a file that a page offered for download.",
  "browser.page.close": "Closes a page in Elwood's own browser.",
  "browser.page.list": "Lists the pages that are open in Elwood's own browser.",
  "browser.page.open": "Opens a page in Elwood's own browser.",
  "browser.page.read": "Reads what a page shows, with its links and fields.",
  "browser.page.screenshot": "Takes a picture of a page.",
  "browser.page.wait": "Waits until a page shows something.",
  "files.file.attach": "Attaches a file to a reply, so that you can open it.",
  "files.file.delete": "Deletes a file or a folder. A copy is kept for Undo.",
  "files.file.edit": "Changes a piece of text in a file.",
  "files.file.list": "Shows what is in a folder.",
  "files.file.move": "Moves or renames a file or folder.",
  "files.file.read": "Reads text, PDF, Word and Excel files, and looks at pictures.",
  "files.file.search": "Finds words in the files of a folder.",
  "files.file.write": "Creates a file, or replaces all of it.",
  "memory.note.forget": "Forgets a note, a line of it, or everything with a word, for good.",
  "memory.note.get": "Reads one of its notes.",
  "memory.note.save": "Writes down something for later conversations.",
  "memory.note.search": "Searches its notes and earlier conversations.",
  "owner.question.ask": "Asks you something and waits for your answer.",
  "owner.question.choose": "Lets you choose one of a few answers.",
  "program.code.run": "Makes many calls at once with a small program. Each still asks as it would alone.",
  "schedule.job.create": "Sets a reminder, or something to do at a certain time.",
  "schedule.job.delete": "Removes a reminder or job.",
  "schedule.job.list": "Shows reminders and jobs, with their next times.",
  "schedule.job.update": "Changes a reminder or job.",
  "session.call.undo": "Undoes something it did in this conversation. Asks you first.",
  "session.result.read": "Reads on in a long result.",
  "shell.command.run": "Runs a command. What only looks runs at once; everything else asks you.",
  "skills.skill.read": "Reads one of your skills.",
  "web.page.fetch": "Fetches a web page as text. Runs no scripts.",
  "web.search.query": "Searches the web.",
  "workspace.tool.check": "Helps to write a tool of your own, and checks it.",
};
export type AbilitiesWords = typeof ENGLISH;

export const say: AbilitiesWords = spoken("abilities", ENGLISH);
