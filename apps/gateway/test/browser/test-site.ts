/** The part of a loopback server that these pages need. */
interface Site {
  always(route: string, answer: Answer): unknown;
}

type Answer = (exchange: {
  head(status: number, headers?: Record<string, string>): void;
  end(bytes?: string): void;
}) => void;

/** Serves pages by path. */
export function serve(site: Site, pages: Readonly<Record<string, string>>): void {
  for (const [path, body] of Object.entries(pages)) site.always(`GET ${path}`, html(body));
  site.always("GET /favicon.ico", text(404, "text/plain", ""));
}

export function html(body: string, headers: Record<string, string> = {}): Answer {
  return text(200, "text/html; charset=utf-8", `<!doctype html>${body}`, headers);
}

export function text(
  status: number,
  type: string,
  body: string,
  headers: Record<string, string> = {},
): Answer {
  return (exchange) => {
    exchange.head(status, { "content-type": type, ...headers });
    exchange.end(body);
  };
}
