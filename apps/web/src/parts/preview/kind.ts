export type PreviewKind = "picture" | "markdown" | "csv" | "pdf" | "html" | "text";

const PICTURES = /\.(?:png|jpe?g|gif|webp)$/i;
const TEXTS =
  /\.(?:txt|log|json|jsonl|ya?ml|toml|ini|conf|env|xml|css|js|mjs|cjs|ts|tsx|jsx|py|rb|rs|go|java|kt|c|h|cpp|hpp|cs|php|sh|bash|zsh|sql|diff|patch|srt|vtt|ics|vcf|tex|svg)$/i;

/** How a stored file can be looked at; undefined where it can only be downloaded. Its name says more than its kind. */
export function previewKind(name: string, mime: string): PreviewKind | undefined {
  if (/^image\/(?:png|jpeg|gif|webp)$/.test(mime) || PICTURES.test(name)) return "picture";
  if (mime === "application/pdf" || /\.pdf$/i.test(name)) return "pdf";
  if (mime === "text/csv" || /\.(?:csv|tsv)$/i.test(name)) return "csv";
  if (mime === "text/markdown" || /\.(?:md|markdown)$/i.test(name)) return "markdown";
  if (mime === "text/html" || /\.html?$/i.test(name)) return "html";
  if (mime.startsWith("text/") || mime === "application/json" || TEXTS.test(name)) return "text";
  return undefined;
}
