export type FrameKind = "diagram" | "html";

const HEIGHT_MIN = 80;
const HEIGHT_MAX = 640;
const FAILED_CHARS_MAX = 300;

/**
 * Somebody else's text, drawn in a document of its own: without an origin, scripts of its own, or network.
 * It is handed the text and says how high it is; nothing else passes between them.
 */
export function frameFor(
  kind: FrameKind,
  source: string,
  { title, failed }: { readonly title: string; readonly failed: (why: string) => void },
): HTMLIFrameElement {
  const frame = document.createElement("iframe");
  frame.className = `frame-${kind}`;
  frame.title = title;
  frame.setAttribute("sandbox", "allow-scripts");
  frame.referrerPolicy = "no-referrer";
  frame.src = `/frame/${kind}`;
  const hear = ({ source: from, data }: MessageEvent) => {
    if (!frame.isConnected) removeEventListener("message", hear);
    else if (from === frame.contentWindow) take(data);
  };
  const take = (data: unknown) => {
    if (typeof data !== "object" || data === null) return;
    if ("height" in data && typeof data.height === "number" && Number.isFinite(data.height))
      frame.height = String(Math.ceil(Math.min(HEIGHT_MAX, Math.max(HEIGHT_MIN, data.height))));
    if ("failed" in data) failed(String(data.failed).slice(0, FAILED_CHARS_MAX));
  };
  addEventListener("message", hear);
  // It has no origin that could be named. Once only: what it may become later is told nothing.
  frame.addEventListener(
    "load",
    () => frame.contentWindow?.postMessage({ source, dark: kind === "diagram" && isDark() }, "*"),
    { once: true },
  );
  return frame;
}

function isDark(): boolean {
  const chosen = document.documentElement.dataset["theme"];
  return chosen === undefined ? matchMedia("(prefers-color-scheme: dark)").matches : chosen === "dark";
}
