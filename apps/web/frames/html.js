// Shows the HTML it is handed, without its scripts: the policy of this document runs nothing but this one.
addEventListener("message", ({ data, source }) => {
  if (source !== parent || typeof data?.source !== "string") return;
  const shown = new DOMParser().parseFromString(data.source, "text/html");
  // What fetches, looks up names or leads away before anybody presses anything.
  for (const each of shown.querySelectorAll(
    "script, link, meta, base, iframe, frame, object, embed, form, portal",
  ))
    each.remove();
  document.documentElement.replaceChildren(document.adoptNode(shown.head), document.adoptNode(shown.body));
  parent.postMessage({ height: document.documentElement.scrollHeight }, "*");
});
