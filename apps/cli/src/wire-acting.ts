import type { Command } from "commander";
import type { ApprovalsDeps } from "./approvals-command.ts";
import type { Wiring } from "./program.ts";
import { withGateway, wholeNumber } from "./wire-sessions.ts";

interface Json {
  readonly json?: boolean;
}

/** approvals …, grants …, undo, stop: where the owner decides from a terminal. */
export function addActingCommands(program: Command, wiring: Wiring): void {
  const approvals = program.command("approvals").description("what waits for you, and what you decided");
  addLooking(approvals, wiring);
  addAllowing(approvals, wiring);
  addDenying(approvals, wiring);
  addGrants(program, wiring);
  addStopping(program, wiring);
}

function addLooking(approvals: Command, wiring: Wiring): void {
  const { io, run } = wiring;
  approvals
    .command("list", { isDefault: true })
    .description("calls and questions that wait for you")
    .option("-a, --all", "those that are decided too")
    .option("--json", "print one JSON document")
    .action((options: { all?: boolean } & Json) =>
      run(options.json ?? false, async () => {
        const { listApprovals } = await import("./approvals-command.ts");
        const given = { all: options.all ?? false, json: options.json ?? false };
        return withGateway(wiring, (deps: ApprovalsDeps) => listApprovals(io, deps, given));
      }),
    );
  approvals
    .command("show [id]")
    .description("everything that would run, and why you are asked")
    .option("--details", "with tool, rule, input and ids")
    .option("--json", "print one JSON document")
    .addHelpText("after", "\nWithout an id: the only one that waits for you.")
    .action((id: string | undefined, options: { details?: boolean } & Json) =>
      run(options.json ?? false, async () => {
        const { showApproval } = await import("./approvals-command.ts");
        const given = {
          ...(id === undefined ? {} : { id }),
          details: options.details ?? false,
          json: options.json ?? false,
        };
        return withGateway(wiring, (deps) => showApproval(io, deps, given));
      }),
    );
}

const ONLY_ONE = "\nWithout an id: the only call that waits for you.";

function addAllowing(approvals: Command, wiring: Wiring): void {
  const { io, run } = wiring;
  approvals
    .command("allow [id]")
    .description("allow a call once; or for a while, or until you revoke it")
    .option("--for <minutes>", "also the same in this session for so many minutes", wholeNumber)
    .option("--always", "also the same from now on, until you revoke it")
    .option(
      "--scope <scope>",
      "with --for or --always: call (these very arguments), similar (as the card says) or tool (any input)",
    )
    .option("--input <json>", "run this input instead: JSON, or @file")
    .option("--note <text>", "a word to the assistant")
    .option("--confirm <word>", "the word that a plan which destroys something wants to be typed")
    .option("--json", "print one JSON document")
    .addHelpText("after", ONLY_ONE)
    .action(
      (
        id: string | undefined,
        options: {
          for?: number;
          always?: boolean;
          scope?: string;
          input?: string;
          note?: string;
          confirm?: string;
        } & Json,
      ) =>
        run(options.json ?? false, async () => {
          const { allowApproval } = await import("./approvals-command.ts");
          const { for: minutes, scope, input, note, confirm } = options;
          return withGateway(wiring, (deps) =>
            allowApproval(io, deps, {
              always: options.always ?? false,
              json: options.json ?? false,
              ...(id === undefined ? {} : { id }),
              ...(minutes === undefined ? {} : { minutes }),
              ...(scope === undefined ? {} : { scope }),
              ...(input === undefined ? {} : { input }),
              ...(note === undefined ? {} : { note }),
              ...(confirm === undefined ? {} : { confirm }),
            }),
          );
        }),
    );
}

function addDenying(approvals: Command, wiring: Wiring): void {
  const { io, run } = wiring;
  approvals
    .command("deny [id]")
    .description("deny a call")
    .option("--note <text>", "why; the assistant is told")
    .option("--json", "print one JSON document")
    .addHelpText("after", ONLY_ONE)
    .action((id: string | undefined, options: { note?: string } & Json) =>
      run(options.json ?? false, async () => {
        const { denyApproval } = await import("./approvals-command.ts");
        const given = {
          json: options.json ?? false,
          ...(id === undefined ? {} : { id }),
          ...(options.note === undefined ? {} : { note: options.note }),
        };
        return withGateway(wiring, (deps) => denyApproval(io, deps, given));
      }),
    );
  approvals
    .command("answer <id> <text...>")
    .description("answer a question of the assistant's, or say what became of a call in doubt")
    .option("--json", "print one JSON document")
    .action((id: string, text: string[], options: Json) =>
      run(options.json ?? false, async () => {
        const { answerQuestion } = await import("./approvals-command.ts");
        const given = { id, answer: text.join(" "), json: options.json ?? false };
        return withGateway(wiring, (deps) => answerQuestion(io, deps, given));
      }),
    );
}

function addGrants(program: Command, wiring: Wiring): void {
  const { io, run } = wiring;
  const grants = program.command("grants").description("standing permissions that you gave");
  grants
    .command("list", { isDefault: true })
    .description("what may run without being asked")
    .option("-a, --all", "those that ended too")
    .option("--json", "print one JSON document")
    .action((options: { all?: boolean } & Json) =>
      run(options.json ?? false, async () => {
        const { listGrants } = await import("./acting-command.ts");
        const given = { all: options.all ?? false, json: options.json ?? false };
        return withGateway(wiring, (deps) => listGrants(io, deps, given));
      }),
    );
  grants
    .command("revoke <id>")
    .description("end one; from then on it is asked again")
    .option("--json", "print one JSON document")
    .action((id: string, options: Json) =>
      run(options.json ?? false, async () => {
        const { revokeGrant } = await import("./acting-command.ts");
        return withGateway(wiring, (deps) => revokeGrant(io, deps, { id, json: options.json ?? false }));
      }),
    );
}

function addStopping(program: Command, wiring: Wiring): void {
  const { io, run } = wiring;
  program
    .command("undo [call]")
    .description("take back what a call did; without its id, the last that can be")
    .option("-a, --all", "with it, all calls of its kind that were made for the same request")
    .option("-y, --yes", "do not ask")
    .option("--json", "print one JSON document")
    .action((call: string | undefined, options: { all?: boolean; yes?: boolean } & Json) =>
      run(options.json ?? false, async () => {
        const { undoCall } = await import("./undo-command.ts");
        const given = {
          all: options.all ?? false,
          yes: options.yes ?? false,
          json: options.json ?? false,
          ...(call === undefined ? {} : { call }),
        };
        return withGateway(wiring, (deps) => undoCall(io, deps, given));
      }),
    );
  program
    .command("stop")
    .description("panic stop: end every run and revoke every grant; the gateway stays up")
    .requiredOption("--all", "yes, everything")
    .option("-y, --yes", "do not ask")
    .option("--json", "print one JSON document")
    .action((options: { yes?: boolean } & Json) =>
      run(options.json ?? false, async () => {
        const { stopAll } = await import("./acting-command.ts");
        const given = { yes: options.yes ?? false, json: options.json ?? false };
        return withGateway(wiring, (deps) => stopAll(io, deps, given));
      }),
    );
}
