/** The oldest Node that Elwood runs on: type stripping and SQLite are settled there. */
export const NODE_NEEDED = "24.15";

/**
 * @param {string} version as in process.versions.node
 * @returns {boolean}
 */
export function isNewEnough(version) {
  const [major, minor] = parts(version);
  const [majorNeeded, minorNeeded] = parts(NODE_NEEDED);
  return major > majorNeeded || (major === majorNeeded && minor >= minorNeeded);
}

/**
 * Where compiled code is kept between starts; undefined where the user has no such place.
 *
 * @param {Record<string, string | undefined>} env
 * @returns {string | undefined}
 */
export function cacheDirectory(env) {
  const xdg = env.XDG_CACHE_HOME;
  // A relative path is to be ignored, says the XDG specification.
  if (xdg !== undefined && xdg.startsWith("/")) return `${xdg}/elwood`;
  const home = env.HOME || env.USERPROFILE;
  return home ? `${home}/.cache/elwood` : undefined;
}

/**
 * @param {string} version
 * @returns {[number, number]}
 */
function parts(version) {
  const found = /^(\d+)\.(\d+)/.exec(version);
  return found ? [Number(found[1]), Number(found[2])] : [0, 0];
}
