/**
 * On narrow screens the page shows one of its three parts at a time; on wide ones all of
 * them, and this changes nothing that can be seen.
 *
 * @param {string} view
 */
export function showView(view) {
  document.body.dataset["view"] = view;
  for (const button of viewButtons()) {
    button.setAttribute("aria-pressed", String(button.dataset["show"] === view));
  }
}

export function listenToViews() {
  for (const button of viewButtons()) {
    button.addEventListener("click", () => showView(button.dataset["show"] ?? "chat"));
  }
}

function viewButtons() {
  return [...document.querySelectorAll("button")].filter((button) => button.dataset["show"] !== undefined);
}
