import { ADDRESS_WORDS, addressKey, addressKind, isThisMachine, parseAddress } from "./address.ts";
import type { AddressBytes, AddressKind } from "./address.ts";

/**
 * Where Elwood's tools may go on the web. Pure: what a name resolves to is handed in.
 * Two steps, because a name must be judged before it is looked up: `readTarget` and then
 * `judgeAddresses` with every answer of the one lookup.
 */
export type AddressRule =
  | "hard.url"
  | "hard.scheme"
  | "hard.userinfo"
  | "hard.port"
  | "hard.host-name"
  | "hard.address"
  | "hard.own-origin"
  /** Not by what it is: the tool that asks for it did not declare it. */
  | "hard.undeclared-host";

export interface Refusal {
  readonly rule: AddressRule;
  readonly reason: string;
}

/** What must never be reached, and what the owner opened. */
export interface WebRules {
  /** Exact origins that the owner named, such as `http://127.0.0.1:8888`; see `readOrigin`. */
  readonly allowedOrigins: readonly string[];
  /** Ports that the gateway listens on. */
  readonly ownPorts: readonly number[];
  /** Names under which the gateway itself is reached: on its own ports, or on the web's through a proxy. */
  readonly ownHosts: readonly string[];
  /** Exact origins of the gateway's page. */
  readonly ownOrigins: readonly string[];
  /** Addresses of this machine's network cards. */
  readonly ownAddresses: readonly AddressBytes[];
}

export interface Target {
  /** Lower case, without a trailing dot or brackets. */
  readonly host: string;
  readonly port: number;
  /** Set where the host is an address and no name. */
  readonly address?: AddressBytes;
  /** The owner named this very origin. */
  readonly exempt: boolean;
  /** The entry of `web.allowedOrigins` that would open it. */
  readonly origin: string;
}

const PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };
const WEB_PORTS = Object.values(PORTS);

/** Names that belong to a machine, a house or a cloud and never to the public web. */
const CLOSED_DOMAINS = [
  "localhost",
  "localdomain",
  "localdomain6",
  "local",
  "localnet",
  "internal",
  "intranet",
  "intra",
  "lan",
  "home",
  "home.arpa",
  "corp",
  "private",
  "workgroup",
  "svc",
  "consul",
  "fritz.box",
  "metadata.goog",
  "metadata.tencentyun.com",
  "metadata.platformequinix.com",
  "metadata.packet.net",
];

/** Judges a URL without looking anything up. */
export function readTarget(url: string | URL, rules: WebRules): Target | Refusal {
  const read = typeof url === "string" ? (URL.canParse(url) ? new URL(url) : undefined) : url;
  if (read === undefined) return refuse("hard.url", "This is not an address of the web.");
  const standard = PORTS[read.protocol];
  if (standard === undefined) {
    return refuse("hard.scheme", `Only http and https are fetched, and this is ${read.protocol}`);
  }
  if (read.username !== "" || read.password !== "") {
    return refuse(
      "hard.userinfo",
      "The address carries a user name or password, which hides where it leads.",
    );
  }
  return readHost(read.hostname, read.port === "" ? standard : Number(read.port), rules, [read.protocol]);
}

/** The same for a host and a port alone, such as of a tunnel; either scheme of an allowed origin will do. */
export function readHost(
  hostname: string,
  port: number,
  rules: WebRules,
  schemes: readonly string[] = Object.keys(PORTS),
): Target | Refusal {
  const host = plainHost(hostname);
  const address = parseAddress(host);
  const spelt = host.includes(":") ? `[${host}]` : host;
  const origins = schemes.map((scheme) => `${scheme}//${spelt}:${port}`);
  const own = ownOrigin(host, address, port, rules);
  if (own !== undefined) return own;
  if (origins.some((origin) => rules.ownOrigins.includes(origin))) return LEADS_HERE;
  const exempt = origins.some((origin) => rules.allowedOrigins.includes(origin));
  const origin = readOrigin(origins[0]!) === undefined ? "" : shortOrigin(origins[0]!);
  const target = { host, port, exempt, origin, ...(address && { address }) };
  if (exempt) return target;
  if (address !== undefined) {
    const refused = judgeAddress(address, origin);
    if (refused !== undefined) return refused;
  } else if (!isPublicName(host)) {
    const how = host.startsWith("metadata.") ? "" : howToOpen(origin);
    return refuse(
      "hard.host-name",
      `${host || "An empty name"} is a name of a local network or machine.${how}`,
    );
  }
  if (!WEB_PORTS.includes(port)) {
    return refuse("hard.port", `Port ${port} is not one of the web's (80 and 443).${howToOpen(origin)}`);
  }
  return target;
}

/** Judges every answer of a lookup: one bad answer among good ones refuses the name. */
export function judgeAddresses(
  target: Target,
  answers: readonly (AddressBytes | undefined)[],
  rules: WebRules,
): Refusal | undefined {
  for (const answer of answers) {
    if (answer === undefined) return refuse("hard.address", `${target.host} leads to no readable address.`);
    const own = ownOrigin(target.host, answer, target.port, rules);
    const refused = own ?? (target.exempt ? undefined : judgeAddress(answer, target.origin, target.host));
    if (refused !== undefined) return refused;
  }
  return undefined;
}

export function isRefusal(judged: Target | Refusal): judged is Refusal {
  return "rule" in judged;
}

/** `scheme://host:port` in the one form that is compared; undefined where it is no origin of the web. */
export function readOrigin(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const standard = PORTS[url.protocol];
  if (standard === undefined || url.username !== "" || url.password !== "") return undefined;
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") return undefined;
  const host = plainHost(url.hostname);
  // A pattern would look like an origin and match nothing.
  if (!/^[a-z0-9._:-]+$/.test(host)) return undefined;
  return `${url.protocol}//${host.includes(":") ? `[${host}]` : host}:${url.port || standard}`;
}

/** The gateway answers to whoever reaches it from here, so no tool of its own may. */
function ownOrigin(
  host: string,
  address: AddressBytes | undefined,
  port: number,
  rules: WebRules,
): Refusal | undefined {
  const ownPort = rules.ownPorts.includes(port);
  const named = rules.ownHosts.some((own) => plainHost(own) === host && !isLocalWord(host));
  const here =
    address === undefined
      ? isLocalWord(host)
      : isThisMachine(address) || rules.ownAddresses.some((mine) => addressKey(mine) === addressKey(address));
  const leadsHere = (here && ownPort) || (named && (ownPort || WEB_PORTS.includes(port)));
  return leadsHere ? LEADS_HERE : undefined;
}

const LEADS_HERE: Refusal = { rule: "hard.own-origin", reason: "This address leads to Elwood itself." };

function judgeAddress(address: AddressBytes, origin: string, host?: string): Refusal | undefined {
  const kind = addressKind(address);
  if (kind === "global") return undefined;
  const what = host === undefined ? "It is" : `${host} leads to`;
  const how = OPENED_BY_OWNERS.has(kind) ? howToOpen(origin) : "";
  return refuse("hard.address", `${what} ${ADDRESS_WORDS[kind]}.${how}`);
}

/** Where owners run services of their own. Nobody is told how to open the others, such as where a cloud keeps its credentials. */
const OPENED_BY_OWNERS: ReadonlySet<AddressKind> = new Set(["loopback", "private", "shared"]);

function howToOpen(origin: string): string {
  return origin === ""
    ? ""
    : ` Only the owner can open it, by adding ${origin} to web.allowedOrigins in the configuration.`;
}

/** Without the port where it is the scheme's own. */
function shortOrigin(origin: string): string {
  return new URL(origin).origin;
}

function isPublicName(host: string): boolean {
  const labels = host.split(".");
  if (labels.length < 2 || labels.some((label) => label === "")) return false;
  // An address in a spelling that only some resolvers read.
  if (/^(\d+|0x[0-9a-f]*)$/.test(labels.at(-1)!)) return false;
  return !CLOSED_DOMAINS.some((domain) => host === domain || host.endsWith(`.${domain}`));
}

/** Names and addresses that mean "this machine"; as an own host they count only with the own port. */
function isLocalWord(host: string): boolean {
  const address = parseAddress(host);
  if (address !== undefined) return isThisMachine(address);
  return host === "localhost" || host.endsWith(".localhost");
}

function plainHost(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/\.+$/, "");
}

function refuse(rule: AddressRule, reason: string): Refusal {
  return { rule, reason };
}
