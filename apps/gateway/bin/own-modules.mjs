// Node asks the disk several times where a module is that an import names. A start loads some
// three hundred of Elwood's own, and a fifth of its time was spent on that. Where they are is
// known from their names, which scripts and types of this repository rely on anyway.
const PACKAGES = new URL("../../../packages/", import.meta.url).href;
const OWN = /^@elwood\/(core|runtime|sdk)\/([a-z0-9/-]+)$/;
const ENGLISH = new URL("zod-english.mjs", import.meta.url).href;

/**
 * Where a module is that needs no search: Elwood's own, and of Zod's sixty languages the one
 * that is spoken here. undefined for all others, which Node finds as ever.
 *
 * @param {string} specifier as the import names it
 * @param {string | undefined} parent who imports it
 * @returns {{ url: string, format: string } | undefined}
 */
export function knownModule(specifier, parent) {
  const own = OWN.exec(specifier);
  if (own) return { url: `${PACKAGES}${own[1]}/src/${own[2]}.ts`, format: "module-typescript" };
  if (parent === undefined || !specifier.startsWith(".")) return undefined;
  if (specifier.endsWith(".ts")) return { url: new URL(specifier, parent).href, format: "module-typescript" };
  const isLanguages = specifier === "../locales/index.js" && parent.includes("/node_modules/zod/v4/");
  return isLanguages ? { url: ENGLISH, format: "module" } : undefined;
}

/**
 * @param {Pick<typeof import("node:module"), "registerHooks">} module
 */
export function findModulesFast(module) {
  module.registerHooks({
    resolve(specifier, context, next) {
      const known = knownModule(specifier, context.parentURL);
      return known ? { url: known.url, format: known.format, shortCircuit: true } : next(specifier, context);
    },
  });
}
