import { toolCall } from "@elwood/sdk/model-script/steps";
import { cited, did, type Scenario } from "./demo-scenario.ts";
import type { Outcome } from "./demo-outcomes.ts";
import { addressOf, type Parts, quotation, says, shown } from "./demo-words.ts";

const FETCH = "web.page.fetch";
const SEARCH = "web.search.query";
const OPEN = "browser.page.open";
const READ = "browser.page.read";
const CLICK = "browser.page.click";
const TYPE = "browser.page.type";
const PICTURE = "browser.page.screenshot";
const PAGES = "browser.page.list";
const CLOSE = "browser.page.close";
const SAVE = "browser.download.save";

const SEARCHED_WHERE = "(?:the (?:web|internet|net)|online)";
const A_PAGE = "(?:the |this |that |my )?(?:web ?)?(?:page|site|website|browser)";

/** Addresses with a scheme go to the gate as they were typed; it judges them. */
export const WEB_SCENARIOS: readonly Scenario[] = [
  {
    example: "search the web for lighthouses",
    tools: [SEARCH],
    asked: says(
      `search ${SEARCHED_WHERE} for <query:text>`,
      `(?:search|look)(?: up)?(?: for)? <query:text> (?:on|in) ${SEARCHED_WHERE}|(?:search|look)(?: up)?(?: for)? <query:text> online`,
      "(?:google|web search(?: for)?|do a web search for) <query:text>",
      "such(?:e)? im (?:web|internet|netz) nach <query:text>",
    ),
    calls: [({ query }) => toolCall(SEARCH, { query })],
    tell: ([found], { query }) =>
      `I searched the web for “${query}”${cited(found!)}:\n\n${shown(found!.text)}`,
  },
  {
    example: "take a screenshot of example.com",
    tools: [OPEN, PICTURE],
    asked: says(
      "(?:take|make) a (?:screenshot|picture) of (?:the page (?:at )?)?<address>|screenshot <address>",
    ),
    calls: [opening, () => toolCall(PICTURE)],
    tell: ([opened, pictured]) => `${page(opened!)}\n\n${picture(pictured!)}`,
  },
  {
    example: "take a screenshot",
    tools: [PICTURE],
    asked: says(
      `(?:take|make)(?: me)? a (?:screenshot|picture)(?: of ${A_PAGE})?|screenshot|(?:mach|mache) (?:einen screenshot|ein bild)`,
    ),
    calls: [() => toolCall(PICTURE)],
    tell: ([pictured]) => picture(pictured!),
  },
  {
    example: "open example.com",
    tools: [OPEN, READ],
    asked: says(
      `(?:open|go to|goto|visit|browse(?: to)?|öffne|geh(?:e)? (?:auf|zu))(?: ${A_PAGE}| the address| die seite)?(?: at| of)? <address>(?: in (?:the|a|my) browser)?`,
    ),
    calls: [opening, () => toolCall(READ)],
    tell: ([opened, read]) => `${page(opened!)}\n\nI read the page${cited(read!)}. ${inShort(read!.text)}`,
  },
  {
    example: "fetch https://example.com/",
    tools: [FETCH],
    asked: says(
      `(?:fetch|get|download|read|summari[sz]e|show(?: me)?|hole?|lies)(?: ${A_PAGE}| the address| the text of| die seite)?(?: at| of| from| von)? <address>(?: and [^]*)?`,
      "what (?:does|is (?:on|at)|do you see (?:on|at)) <address>(?: say)?",
      // Where there is no browser, this is the way to look at a page.
      `(?:open|go to|goto|visit|browse(?: to)?|öffne)(?: ${A_PAGE})?(?: at)? <address>`,
    ),
    calls: [({ address = "" }) => toolCall(FETCH, { url: addressOf(address) })],
    tell: ([fetched]) => `I read the page at that address${cited(fetched!)}:\n\n${shown(fetched!.text)}`,
  },
  {
    example: "what does the page say",
    tools: [READ],
    asked: says(
      `(?:read|look at|show(?: me)?|what does|what(?:['’]?s| is) on|what do you see on|was steht auf) (?:${A_PAGE}|der seite)(?: say)?`,
    ),
    calls: [() => toolCall(READ)],
    tell: ([read]) => `I read the page${cited(read!)}. ${inShort(read!.text)}\n\n${shown(read!.text)}`,
  },
  {
    example: "click “Sign in”",
    tools: [CLICK],
    asked: says(
      "(?:click|press|tap|klick(?:e)?)(?: on| auf)?(?: the| den| die)? (?<role>button|link|tab|checkbox) <target:text>",
      "(?:click|tap|klick(?:e)?)(?: on| auf)?(?: the| den| die)? <target:text>(?: (?<role>button|link|tab|checkbox))?",
    ),
    calls: [
      ({ target = "", role }) =>
        toolCall(CLICK, { target: role ? `${role.toLowerCase()} "${target}"` : target }),
    ],
    tell: ([clicked]) => did(clicked!),
  },
  {
    example: "type “Bo” into Name",
    tools: [TYPE],
    asked: says(
      "(?:type|enter|put|tippe) <text> (?:into|in) (?:the field|the box|das feld) <target:text>(?<submit>,? and (?:press (?:enter|return)|submit(?: it)?))?",
      "(?:type|enter|tippe) <text> (?:into|in) (?:the |das )?<target:text>(?: field| box)?(?<submit>,? and (?:press (?:enter|return)|submit(?: it)?))?",
      "fill(?: in)? (?:the (?:field )?)?<target:text> with <text>(?<submit>,? and (?:press (?:enter|return)|submit(?: it)?))?",
    ),
    calls: [
      ({ target, text, submit }) => toolCall(TYPE, { target, text, ...(submit ? { submit: true } : {}) }),
    ],
    tell: ([typed]) => did(typed!),
  },
  {
    example: "which pages are open",
    tools: [PAGES],
    asked: says(
      "(?:which|what) (?:web ?)?(?:pages|tabs|sites) are open|(?:list|show)(?: me)? (?:the |my )?open (?:pages|tabs)",
    ),
    calls: [() => toolCall(PAGES)],
    tell: ([listed]) => `This is what the browser says${cited(listed!)}:\n\n${shown(listed!.text)}`,
  },
  {
    example: "close all pages",
    tools: [CLOSE],
    asked: says(
      `close (?<all>all(?: of)?(?: the| my)? (?:pages|tabs)|everything|the browser)|close ${A_PAGE}`,
    ),
    calls: [({ all }) => toolCall(CLOSE, all === undefined ? {} : { all: true })],
    tell: ([closed]) => did(closed!),
  },
  {
    example: "save the download d1",
    tools: [SAVE],
    asked: says("(?:save|keep) (?:the )?(?:download|file) (?<download>d\\d{1,6})(?: as <name>)?"),
    calls: [({ download, name }) => toolCall(SAVE, { download, ...(name === undefined ? {} : { name }) })],
    tell: ([saved]) => did(saved!),
  },
];

function opening({ address = "" }: Parts) {
  return toolCall(OPEN, { url: addressOf(address) });
}

function page(opened: Outcome): string {
  return `This is what the browser says${cited(opened)}:${quotation(opened.text)}`.trimEnd();
}

function picture(pictured: Outcome): string {
  return `I looked at the page${cited(pictured)}:${quotation(pictured.text)}`.trimEnd();
}

const COUNTED_ROLES: readonly (readonly [role: RegExp, one: string, many: string])[] = [
  [/^link$/, "link", "links"],
  [/^button$/, "button", "buttons"],
  [/^(?:textbox|searchbox|combobox|checkbox|radio|spinbutton|slider)$/, "field", "fields"],
  [/^img$/, "picture", "pictures"],
];
const HEADINGS_TOLD_MAX = 3;
const BEGINNING_CHARS = 280;

/** A page in a few words, each of them counted in or copied from what reading it gave. */
function inShort(read: string): string {
  const [head = "", ...rest] = read.split("\n\n");
  const lines = rest.join("\n\n").split("\n");
  const title = /^Title: (.+)$/m.exec(head)?.[1];
  const elements = lines.flatMap((line) => {
    const found =
      /^\s*- (?<role>[a-z]+)\b(?: "(?<name>(?:[^"\\]|\\.)*)")?[^:]*(?::(?:\s+(?<words>.+))?)?$/.exec(line);
    return found?.groups ? [found.groups as { role: string; name?: string; words?: string }] : [];
  });
  const headings = elements
    .filter(({ role }) => role === "heading")
    .map(({ name, words }) => name ?? words ?? "");
  const counts = COUNTED_ROLES.flatMap(([pattern, one, many]) => {
    const n = elements.filter(({ role }) => pattern.test(role)).length;
    return n === 0 ? [] : [`${n} ${n === 1 ? one : many}`];
  });
  const beginning = elements
    .filter(({ role, words }) => (role === "paragraph" || role === "text") && words !== undefined)
    .map(({ words }) => words)
    .join(" ")
    .slice(0, BEGINNING_CHARS);
  return [
    title === undefined ? "The page has no title." : `Its title is “${title}”.`,
    headings.length === 0
      ? ""
      : `Headings: ${headings
          .slice(0, HEADINGS_TOLD_MAX)
          .map((name) => `“${name}”`)
          .join(
            ", ",
          )}${headings.length > HEADINGS_TOLD_MAX ? ` and ${headings.length - HEADINGS_TOLD_MAX} more` : ""}.`,
    counts.length === 0 ? "" : `It holds ${counts.join(", ")}.`,
    beginning === "" ? "" : `It begins: “${beginning}”`,
    /\[\d+ more lines; go on with offset \d+\]/.test(read) ? "It is longer than what I read of it." : "",
  ]
    .filter((part) => part !== "")
    .join(" ");
}
