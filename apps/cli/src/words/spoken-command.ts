import { type AddHelpTextContext, type AddHelpTextPosition, Argument, Command, Option } from "commander";

/** From the English that the code has to the language of the terminal. */
export type Translate = (english: string) => string;

const HELP = "display help for command";
/** Blank lines, and the line break that a text begins with. */
const BLOCKS = /(^\n|\n\n)/;

/**
 * A command whose help speaks the language of the terminal. Every command of the tree is made by its parent, so that
 * nobody who adds one has to think of it.
 */
export class SpokenCommand extends Command {
  readonly #spoken: Translate;

  constructor(name: string | undefined, spoken: Translate) {
    super(name);
    this.#spoken = spoken;
    this.configureHelp({ styleTitle: spoken }).helpOption("-h, --help", spoken(HELP));
  }

  /** `help` itself, which the library adds to every command that has others below it. */
  speakHelp(): void {
    if (this.commands.length > 0) this.helpCommand("help [command]", this.#spoken(HELP));
    for (const each of this.commands) if (each instanceof SpokenCommand) each.speakHelp();
  }

  override createCommand(name?: string): Command {
    return new SpokenCommand(name, this.#spoken);
  }

  override createOption(flags: string, description?: string): Option {
    return new Option(flags, description === undefined ? undefined : this.#spoken(description));
  }

  override createArgument(name: string, description?: string): Argument {
    return new Argument(name, description === undefined ? undefined : this.#spoken(description));
  }

  override addOption(option: Option): this {
    option.description = this.#spoken(option.description);
    return super.addOption(option);
  }

  override addHelpText(position: AddHelpTextPosition, text: string): this;
  override addHelpText(position: AddHelpTextPosition, text: (context: AddHelpTextContext) => string): this;
  override addHelpText(
    position: AddHelpTextPosition,
    text: string | ((context: AddHelpTextContext) => string),
  ): this {
    if (typeof text !== "string") return super.addHelpText(position, text);
    return super.addHelpText(
      position,
      text
        .split(BLOCKS)
        .map((each) => this.#block(each))
        .join(""),
    );
  }

  /** Examples stand below their heading as they are typed; other blocks are told whole. */
  #block(text: string): string {
    const [first = "", ...rest] = text.split("\n");
    if (text.trim() === "") return text;
    if (rest.length > 0 && first.endsWith(":") && rest.every((line) => line.startsWith("  ")))
      return [this.#spoken(first), ...rest].join("\n");
    return this.#spoken(text);
  }

  override description(): string;
  override description(text: string): this;
  override description(text?: string): string | this {
    return text === undefined ? super.description() : super.description(this.#spoken(text));
  }
}
