// Runs before the first paint, so that a chosen theme never flashes the other one.
try {
  const theme = localStorage.getItem("elwood.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage is forbidden here: the system's theme it is.
}

// Where the app itself does not come, because the files of this document are gone or nobody answers,
// somebody has to say so. Hears of scripts that failed only because it listens on the way down.
addEventListener(
  "error",
  ({ target }) => {
    if (!(target instanceof HTMLScriptElement) || document.querySelector(".not-loaded")) return;
    const words = document.createElement("p");
    words.className = "no-script not-loaded";
    words.setAttribute("role", "alert");
    words.append("The page could not be loaded: Elwood was updated, or cannot be reached. ");
    const again = document.createElement("a");
    again.href = location.pathname + location.search;
    again.textContent = "Load it again";
    words.append(again);
    document.body.append(words);
  },
  true,
);
