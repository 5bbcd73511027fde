import { foldNames } from "./path-text.ts";

/**
 * Names that another program runs or obeys by itself: whoever changes one of them decides what
 * happens later, where nobody is asked. Names with a dot in front are not listed one by one: by
 * custom all of them are settings or tools of some program.
 */
export const OBEYED_FILES: ReadonlySet<string> = new Set([
  // built or run by a command of the same name
  "makefile",
  "gnumakefile",
  "justfile",
  "rakefile",
  "gulpfile.js",
  "gruntfile.js",
  "cmakelists.txt",
  "build.gradle",
  "build.gradle.kts",
  "settings.gradle",
  "build.xml",
  "pom.xml",
  "build.rs",
  "meson.build",
  "sconstruct",
  "taskfile.yml",
  "taskfile.yaml",
  "tasks.py",
  "fabfile.py",
  "noxfile.py",
  "setup.py",
  "setup.cfg",
  "conftest.py",
  "sitecustomize.py",
  "usercustomize.py",
  "pyproject.toml",
  "tox.ini",
  "package.json",
  "deno.json",
  "binding.gyp",
  "gemfile",
  "podfile",
  "cargo.toml",
  "composer.json",
  "dockerfile",
  "containerfile",
  "docker-compose.yml",
  "docker-compose.yaml",
  "compose.yml",
  "compose.yaml",
  "devcontainer.json",
  "vagrantfile",
  "jenkinsfile",
  "procfile",
  "crontab",
  "autorun.inf",
  "desktop.ini",
  // obeyed by editors and by assistants that read a folder
  "claude.md",
  "claude.local.md",
  "agent.md",
  "gemini.md",
  "copilot-instructions.md",
  "skill.md",
  "llms.txt",
  "conventions.md",
  "modelfile",
  // obeyed by those who sign in or serve
  "authorized_keys",
  "known_hosts",
  "sshd_config",
  "sudoers",
  "hosts",
  "nginx.conf",
  "httpd.conf",
  "web.config",
]);

/** Endings of files that a system starts by itself or on a click. */
const OBEYED_ENDING =
  /\.(?:service|timer|socket|desktop|plist|app|workflow|command|bat|cmd|ps1|psm1|vbs|scr|lnk|url|reg|hta|pth|code-workspace|sublime-project|mk|cmake|el|vim|user\.js)$/;
/** Folders whose content is run or obeyed by where it lies. */
const OBEYED_FOLDERS: ReadonlySet<string> = new Set([
  "hooks",
  "githooks",
  "autostart",
  "launchagents",
  "launchdaemons",
  "startup",
  "cron.d",
  "cron.daily",
  "cron.hourly",
  "cron.weekly",
  "systemd",
  "node_modules",
  "site-packages",
  "skills",
]);

/** Whether a path, as names below one of the owner's folders, is one that another program runs or obeys. */
export function isObeyedPath(names: readonly string[]): boolean {
  const folded = foldNames(names);
  const last = folded.at(-1);
  if (last === undefined) return false;
  if (folded.some((name) => name.startsWith("."))) return true;
  if (folded.slice(0, -1).some((name) => OBEYED_FOLDERS.has(name))) return true;
  return OBEYED_FILES.has(last) || OBEYED_ENDING.test(last);
}
