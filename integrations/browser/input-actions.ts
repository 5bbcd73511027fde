import { ToolError, type CallAbout, type CallFact, type Preview, type ToolContext } from "@elwood/sdk/tool";
import { CLICK, TYPE } from "./contracts.ts";
import { lookAt, type SeenElement } from "./element.ts";
import { answer, isTimeout, placeOf, type BrowserKit } from "./kit.ts";
import type { BrowserSession } from "./session.ts";
import { andSettle } from "./settle.ts";
import { firstLine, inWords, quoted } from "./words.ts";

interface At {
  readonly target: string;
  readonly page?: string | undefined;
}

interface Typing extends At {
  readonly text: string;
  readonly submit: boolean;
}

export function makeInputActions(kit: BrowserKit) {
  const { pool, limits, shown } = kit;

  /** Reads the element for the approval card, and keeps its identity for the check before the action. */
  async function look(tool: string, call: At, signal: AbortSignal, { session = "" }: CallAbout) {
    const open = pool.existing(session);
    const seen = await lookAt(kit, open.tab(call.page), call.target, signal);
    open.touch();
    shown.keep(session, tool, call, seen.identity);
    const { title } = await placeOf(kit, seen.tab);
    return { seen, where: `${hostOf(seen)} (page ${quoted(title, limits.nameCharsMax)})` };
  }

  return {
    async clickPreview(call: At, signal: AbortSignal, about: CallAbout): Promise<Preview> {
      const { seen, where } = await look(CLICK, call, signal, about);
      return {
        sentence: `Click ${seen.words} on ${where}.`,
        before: seen.identity,
        after: `${seen.identity}\nThen: click it`,
        subject: hostOf(seen),
      };
    },

    async click(call: At, ctx: ToolContext) {
      const session = pool.existing(ctx.session);
      return pool.working(session, async () => {
        const seen = await lookAt(kit, session.use(call.page), call.target, ctx.signal);
        refuseChanged(shown.take(ctx.session, CLICK, call), seen);
        ctx.progress(`Clicking ${seen.words} …`);
        const whole = await andSettle(seen.tab.page, limits, async () => {
          try {
            await seen.locator.click({ timeout: limits.actMs, signal: ctx.signal });
          } catch (error) {
            throw notDone(error, "clicked", /performing click action|click action done/);
          }
        });
        return acted(kit, session, seen, `Clicked ${seen.words}.`, whole);
      });
    },

    /** A field for secrets is asked about whatever else is allowed. */
    async typeFacts(call: At, { session }: CallAbout): Promise<readonly CallFact[]> {
      const open = pool.peek(session);
      if (!open) return [];
      let seen: SeenElement;
      try {
        seen = await lookAt(kit, open.tab(call.page), call.target);
      } catch (error) {
        // What cannot be found is told by the preview, and nothing is typed into it.
        if (error instanceof ToolError) return [];
        throw error;
      }
      if (seen.secret === undefined) return [];
      const reason = `The field ${seen.words} on ${hostOf(seen)} is ${seen.secret}, and nothing is typed into such a field unasked.`;
      return [{ kind: "ask", rule: "ask.password-field", reason }];
    },

    async typePreview(call: Typing, signal: AbortSignal, about: CallAbout): Promise<Preview> {
      const { seen, where } = await look(TYPE, call, signal, about);
      refuseFile(seen);
      return {
        sentence: `Type into ${seen.words} on ${where}${call.submit ? " and press Enter" : ""}.`,
        before: seen.identity,
        after: `${seen.identity}\nText: ${call.text}${call.submit ? "\nThen: press Enter" : ""}`,
        subject: hostOf(seen),
      };
    },

    async type(call: Typing, ctx: ToolContext) {
      const session = pool.existing(ctx.session);
      return pool.working(session, async () => {
        const seen = await lookAt(kit, session.use(call.page), call.target, ctx.signal);
        refuseFile(seen);
        const approved = shown.take(ctx.session, TYPE, call);
        refuseChanged(approved, seen);
        if (seen.secret !== undefined && approved === undefined) {
          throw new ToolError(
            "password_field",
            `${seen.words} is ${seen.secret}, and nobody was asked about it. Nothing was typed.`,
          );
        }
        ctx.progress(`Typing into ${seen.words} …`);
        const whole = await andSettle(seen.tab.page, limits, () => typeInto(seen, call, kit, ctx.signal));
        const entered = call.submit ? " and pressed Enter" : "";
        const did = `Typed ${call.text.length === 1 ? "1 character" : `${call.text.length} characters`} into ${seen.words}${entered}.`;
        return acted(kit, session, seen, did, whole);
      });
    },
  };
}

async function typeInto(
  seen: SeenElement,
  { text, submit }: Typing,
  { limits }: BrowserKit,
  signal: AbortSignal,
): Promise<void> {
  const options = { timeout: limits.actMs, signal };
  try {
    await (seen.isList ? seen.locator.selectOption(text, options) : seen.locator.fill(text, options));
  } catch (error) {
    throw notDone(error, "typed", NEVER);
  }
  // From here on the text is in the field: what goes wrong now leaves the call half done.
  if (submit) await seen.locator.press("Enter", options);
}

const NEVER = /(?!)/;

function refuseChanged(approved: string | undefined, seen: SeenElement): void {
  if (approved === undefined || approved === seen.identity) return;
  throw new ToolError(
    "page_changed",
    `The page changed after ${seen.words} was approved. Nothing was done. Read the page and ask again.`,
    { retryable: true },
  );
}

function refuseFile(seen: SeenElement): void {
  if (!seen.takesFile) return;
  throw new ToolError(
    "no_uploads",
    `${seen.words} takes a file, and Elwood uploads none from the browser. Nothing was done.`,
  );
}

/** A ToolError only if the browser's log shows that the action never happened. */
function notDone(error: unknown, what: string, deed: RegExp): unknown {
  const account = error instanceof Error ? error.message : String(error);
  if (deed.test(account) || /closed|crashed|abort/i.test(firstLine(error))) return error;
  const why = isTimeout(error)
    ? obstacle(account)
    : inWords(firstLine(error).replace(/^\w+\.\w+: /, ""), 200);
  return new ToolError("not_usable", `Nothing was ${what}: ${why}.`, { retryable: true });
}

function obstacle(account: string): string {
  if (/intercepts pointer events/.test(account)) return "something else on the page lies over it";
  if (/not visible/.test(account)) return "it cannot be seen";
  if (/not enabled/.test(account)) return "it is switched off";
  if (/not editable/.test(account)) return "it cannot be written to";
  return "it was not ready in time";
}

function hostOf({ tab }: SeenElement): string {
  const url = tab.page.url();
  return URL.canParse(url) ? new URL(url).host || url : url;
}

async function acted(
  kit: BrowserKit,
  session: BrowserSession,
  { tab }: SeenElement,
  did: string,
  whole: boolean,
) {
  const { limits } = kit;
  const place = await placeOf(kit, tab);
  const now = tab.page.isClosed()
    ? "The page closed itself."
    : `The page ${tab.id} is now at ${place.url}: ${quoted(place.title, limits.nameCharsMax)}.`;
  return answer(session, place, `${did} ${now}${whole ? "" : " It is still loading."}`);
}
