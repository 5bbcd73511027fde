// Draws the diagram it is handed. The document it runs in has no origin, no network and nothing of the page's.
// The library stands before this in the same script.
const { mermaid } = /** @type {any} */ (globalThis);

addEventListener("message", ({ data, source }) => {
  if (source === parent && typeof data?.source === "string") void draw(data.source, data.dark === true);
});

/**
 * @param {string} source
 * @param {boolean} dark
 */
async function draw(source, dark) {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    suppressErrorRendering: true,
    theme: dark ? "dark" : "neutral",
    fontFamily: "system-ui, sans-serif",
    htmlLabels: false,
    flowchart: { htmlLabels: false },
  });
  try {
    const { svg } = await mermaid.render("diagram", source);
    document.body.innerHTML = svg;
    for (const link of document.querySelectorAll("a")) link.replaceWith(...link.childNodes);
    const { height } = document.body.getBoundingClientRect();
    parent.postMessage({ height }, "*");
  } catch (error) {
    parent.postMessage(
      { failed: (error instanceof Error ? error.message : String(error)).slice(0, 300) },
      "*",
    );
  }
}
