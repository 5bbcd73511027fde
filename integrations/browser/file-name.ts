const NAME_BYTES_MAX = 120;

/** A name that a page chose, made fit to be one in a folder: no path, no dot before it, nothing that hides. */
export function safeName(given: string): string {
  const last = given.normalize("NFC").split(/[/\\]/).at(-1) ?? "";
  const plain = last
    .toWellFormed()
    .replaceAll(
      /[\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufffd<>:"|?*]/g,
      "_",
    )
    .replaceAll(/\.{2,}/g, ".")
    .replace(/^[.\s-]+/, "")
    .replace(/[.\s]+$/, "");
  return shortened(plain) || "download";
}

function shortened(name: string): string {
  const dot = name.lastIndexOf(".");
  const end = dot > 0 ? name.slice(dot).slice(0, 16) : "";
  let start = (dot > 0 ? name.slice(0, dot) : name).slice(0, NAME_BYTES_MAX);
  while (Buffer.byteLength(start + end) > NAME_BYTES_MAX) start = start.slice(0, -1);
  return (start.isWellFormed() ? start : start.slice(0, -1)) + end;
}
