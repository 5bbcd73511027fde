import { userInfo } from "node:os";
import { programPath } from "./find-program.ts";

/** Variables that make programs load or run something else, and those that hold Elwood's own keys. */
const NEVER =
  /^(?:path|home|ifs|env|shell|shellopts|bashopts|bash_.*|ps[0-4]|prompt_command|cdpath|globignore|pager|manpager|browser|editor|visual|lesso?.*|ld_.*|dyld_.*|glibc_.*|malloc_.*|gconv_path|getconf_dir|locpath|nlspath|hostaliases|localdomain|res_options|tmpdir|resolv_.*|node_.*|npm_.*|yarn_.*|pnpm_.*|bun_.*|deno_.*|python.*|pip_.*|perl.*|ruby.*|gem_.*|bundle_.*|lua_.*|php.*|java_.*|_java.*|jdk_.*|classpath|maven_.*|gradle_.*|dotnet_.*|coreclr_.*|complus_.*|go.*|cargo_.*|rust.*|git_.*|ssh_.*|gpg_.*|svn_.*|hg.*|make.*|mflags|cc|cxx|cflags|ldflags|openssl_.*|ssl_.*|curl_.*|wget.*|http_proxy|https_proxy|ftp_proxy|all_proxy|no_proxy|xdg_.*|dbus_.*|display|wayland.*|elwood.*|proj_jarvis.*|gateway_auth_token|anthropic_.*|openai_.*|telegram_.*|brave_.*|claude_.*|tz_?dir|terminfo.*|termcap|notify_socket|listen_.*|state_directory|.*_askpass|sudo_.*)$/i;

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/** Why a name cannot be given to commands, even where the owner lists it. */
export function refusedName(name: string): string | undefined {
  if (!NAME.test(name)) return "it is no name of a variable";
  return NEVER.test(name)
    ? "it can make programs run something else, or belongs to Elwood itself"
    : undefined;
}

/** The whole environment of a command: nothing of the gateway's own but what the owner listed. */
export function childEnvironment(options: {
  readonly home: string;
  /** Names that the owner lets through. */
  readonly allowed: readonly string[];
  /** Where their values come from. */
  readonly from: Readonly<Record<string, string | undefined>>;
  /** Values from the call itself; only for allowed names, which the caller has checked. */
  readonly given: Readonly<Record<string, string>>;
  readonly more?: Readonly<Record<string, string>>;
}): Record<string, string> {
  const { username } = userInfo();
  const passed = options.allowed.flatMap((name) => {
    const value = options.given[name] ?? options.from[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    PATH: programPath(),
    HOME: options.home,
    LANG: "C.UTF-8",
    LC_ALL: "C.UTF-8",
    TERM: "dumb",
    USER: username,
    LOGNAME: username,
    ...Object.fromEntries(passed),
    ...options.more,
  };
}
