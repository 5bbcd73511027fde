/**
 * Takes files that are let go anywhere over the area, until what is returned is called:
 * nobody aims at a box, and a browser would show the file in place of the page.
 */
export function takeDrops(
  area: HTMLElement,
  heard: { readonly over: (isOver: boolean) => void; readonly dropped: (files: Iterable<File>) => void },
): () => void {
  const ended = new AbortController();
  const { signal } = ended;
  const over = (event: DragEvent) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    heard.over(true);
  };
  const left = ({ relatedTarget }: DragEvent) => {
    if (!(relatedTarget instanceof Node && area.contains(relatedTarget))) heard.over(false);
  };
  const dropped = (event: DragEvent) => {
    heard.over(false);
    if (!event.dataTransfer || event.dataTransfer.files.length === 0) return;
    event.preventDefault();
    heard.dropped(event.dataTransfer.files);
  };
  area.addEventListener("dragover", over, { signal });
  area.addEventListener("dragleave", left, { signal });
  area.addEventListener("drop", dropped, { signal });
  return () => ended.abort();
}
