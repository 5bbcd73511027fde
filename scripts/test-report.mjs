/**
 * What the runner's JSON report adds up to. A file that failed without a failed test in it
 * (it did not load, a hook threw) counts as one failure, and so does a runner that was not
 * content although every test passed: the numbers and the exit code never disagree.
 *
 * @param {string} report the report's text; empty where the runner left none
 * @param {boolean} content whether the runner exited with 0
 * @returns {{ passed: number, failed: number, skipped: number }}
 */
export function tally(report, content) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const file of filesOf(report)) {
    let failedHere = 0;
    for (const { status } of file.assertionResults) {
      if (status === "passed") counts.passed++;
      else if (status === "failed") failedHere++;
      else counts.skipped++;
    }
    counts.failed += file.status === "failed" ? Math.max(1, failedHere) : failedHere;
  }
  if (!content && counts.failed === 0) counts.failed = 1;
  return counts;
}

/**
 * The names of the tests that did not run, each with its file.
 *
 * @param {string} report
 * @param {string} root
 * @returns {string[]}
 */
export function skippedTitles(report, root) {
  return filesOf(report).flatMap((file) =>
    file.assertionResults
      .filter(({ status }) => status !== "passed" && status !== "failed")
      .map(({ fullName }) => `${file.name.replace(root, "")}: ${fullName}`),
  );
}

/**
 * The names of the tests that failed, each with its file; of a file that failed as a whole, its name.
 *
 * @param {string} report
 * @param {string} root
 * @returns {string[]}
 */
export function failedTitles(report, root) {
  return filesOf(report)
    .filter(hasFailed)
    .flatMap(({ name, assertionResults }) => {
      const path = name.replace(root, "");
      const failed = assertionResults.filter(({ status }) => status === "failed");
      return failed.length === 0 ? [path] : failed.map(({ fullName }) => `${path}: ${fullName}`);
    });
}

const SECOND_LOOKS_MAX = 3;
const BROWSER_TEST = /[\\/]e2e[\\/](?:page[^\\/]*|recorded[\\/]recorded)\.test\.ts$/;

/**
 * The files that are run once more, alone: those that failed, where they are few and all drive a browser.
 *
 * @param {string} report
 * @returns {string[]}
 */
export function secondLook(report) {
  const failed = filesOf(report)
    .filter(hasFailed)
    .map(({ name }) => name);
  const few = failed.length <= SECOND_LOOKS_MAX && failed.every((name) => BROWSER_TEST.test(name));
  return few ? failed : [];
}

/**
 * The first report with what the second says of its files in place of what it said itself.
 *
 * @param {string} first
 * @param {string} second empty where the second run left none: then the first stands
 * @returns {string}
 */
export function mergeReports(first, second) {
  const anew = new Map(filesOf(second).map((file) => [file.name, file]));
  return JSON.stringify({ testResults: filesOf(first).map((file) => anew.get(file.name) ?? file) });
}

/**
 * The last line of a run, alone on its line, for people and for whoever reads closing lines.
 *
 * @param {{ passed: number, failed: number, skipped: number }} counts
 * @returns {string}
 */
export function closingLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

/**
 * @param {FileReport} file
 * @returns {boolean}
 */
function hasFailed({ status, assertionResults }) {
  return status === "failed" || assertionResults.some((each) => each.status === "failed");
}

/**
 * @typedef {{ name: string, status: string, assertionResults: { status: string, fullName: string }[] }} FileReport
 * @param {string} report
 * @returns {FileReport[]}
 */
function filesOf(report) {
  if (report === "") return [];
  return JSON.parse(report).testResults;
}
