// Runs before the first paint, so that what was chosen never flashes the other way.
{
  const root = document.documentElement;
  /**
   * What this browser keeps under a name, if it is one of these.
   *
   * @param {string} name
   * @param {...string} choices
   */
  const kept = (name, ...choices) => {
    try {
      return choices.find((choice) => choice === localStorage.getItem(`elwood.${name}`));
    } catch {
      return undefined; // storage is forbidden here: as the system has it
    }
  };
  const looks = {
    theme: kept("theme", "light", "dark"),
    text: kept("text", "small", "large", "larger"),
    density: kept("density", "compact"),
  };
  for (const [name, look] of Object.entries(looks)) if (look) root.dataset[name] = look;
  // The languages that `src/words/` has.
  const asked = (navigator.languages ?? []).map((language) => language.slice(0, 2));
  root.lang =
    kept("language", "en", "de") ?? asked.find((language) => ["en", "de"].includes(language)) ?? "en";
  // The built document names the scripts of the chat. Those who go elsewhere need them later, or not at all.
  if (/^\/(?:c\/|$)/.test(location.pathname))
    for (const link of document.querySelectorAll("link[data-chat]"))
      link.setAttribute("rel", "modulepreload");
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
