/**
 * Programs that run other programs, or whatever text they are given. A permission for one
 * of them would be a permission for anything, so each such call is asked about and none can
 * be allowed for longer than once. The list errs on the long side.
 */
const SHELLS = names(
  "sh bash rbash dash ash zsh ksh mksh pdksh yash fish csh tcsh busybox toybox pwsh powershell nu xonsh elvish osh ysh",
);

const WRAPPERS = names(
  "env timeout nice ionice renice nohup setsid stdbuf unbuffer xargs parallel watch entr time chronic strace ltrace gdb lldb perf valgrind rr sudo sudoedit doas su runuser pkexec run0 chroot unshare nsenter bwrap firejail systemd-run systemctl start-stop-daemon setpriv capsh prlimit taskset chrt numactl setarch linux32 linux64 i386 x86_64 choom flock lockf logsave script scriptreplay expect screen tmux dtach abduco at batch crontab anacron run-parts fakeroot fakechroot eatmydata catchsegv sg newgrp dbus-run-session dbus-launch xvfb-run rlwrap cpulimit daemonize unclutter ld.so exec eval command builtin",
);

const REMOTE = names(
  "ssh slogin rsh rlogin mosh autossh sshpass scp sftp rsync socat nc ncat netcat telnet ftp lftp docker podman nerdctl kubectl helm lxc lxd incus vagrant ansible ansible-playbook",
);

const INTERPRETERS = names(
  "node nodejs deno bun bunx tsx ts-node python pythonw pypy ipython perl ruby irb erb lua luajit php php-cgi tclsh wish expect r rscript julia ghc ghci runghc runhaskell stack cabal ocaml guile racket scheme sbcl clisp ecl emacs emacsclient java jshell scala kotlin groovy clojure clj dotnet mono swift awk gawk mawk nawk original-awk bwk sed gsed ed red ex vi vim vimdiff view rvim rview nvim gvim nano pico joe mcedit less more most pg man info pinfo lynx w3m links elinks gnuplot octave maxima m4 bc dc tex latex pdftex pdflatex xelatex lualatex luatex gs sqlite3 psql mysql mariadb mongo mongosh redis-cli mail mailx mutt sendmail wasmtime wasmer wine qemu osascript",
);

/** They run a program where an option, a word of theirs or a file they read names one. */
const BY_OPTION = names(
  "find fd fdfind tar bsdtar cpio pax zip unzip 7z split csplit install xdg-open open sensible-editor editor pager visual run-mailcap see git-shell git-upload-pack git-receive-pack git-upload-archive hg svn cvs bzr jj openssl gpg gpg-agent dd ctags cscope global strip ar ld gcc cc g++ clang rustc ip iptables mount umount losetup nix nix-shell nix-env nix-build nixos-rebuild guix flatpak snap apt apt-get aptitude dpkg dpkg-reconfigure rpm yum dnf zypper pacman apk brew port pip pipx uv poetry pdm conda mamba gem npx corepack volta nvm asdf mise direnv devbox chsh passwd visudo vipw update-alternatives rg ag ack bat fzf wget aria2c magick convert pandoc latexmk asciidoctor logrotate ssh-keygen ssh-agent ssh-add journalctl tcpdump tshark nmap msgexec msgfilter patch zless zmore gh glab terraform tofu pulumi packer nomad consul sops op doppler dotenv chamber aws-vault heroku fly flyctl gcloud az",
);

const MORE_WRAPPERS = names(
  "watchexec hyperfine nodemon forever pm2 concurrently honcho foreman overmind tini dumb-init gosu su-exec catatonit chpst envdir setlock softlimit setuidgid s6-setuidgid xdotool xterm urxvt x-terminal-emulator gnome-terminal konsole alacritty kitty foot byobu zellij reptyr nsjail proot systemd-nspawn machinectl lxc-attach ctr crictl buildah faketime torsocks torify proxychains tsocks trickle cgexec cset schedtool gtime gtimeout genv gnice gnohup gstdbuf gxargs gfind gtar gsed",
);

const EVEN_MORE = names(
  "ldd runcon uclampset coresched pipesz fstab-decode not memusage sotruss mtrace heaptrack gprofng gdbtui gcore vgdb faked prove perldoc pydoc pdb cpan jrunscript jdb jexec javac javadoc lli opt c++ c89 c99 cpp as gold groff troff nroff eqn pic gpic lesspipe lessfile busctl gdbus gapplication gio service invoke-rc.d kernel-install installkernel make-first-existing-target scalar chromium firefox google-chrome sensible-browser sensible-pager gnome-www-browser x-www-browser vimtutor login sulogin agetty getty pivot_root switch_root openvt setcap rtcwake fsck",
);
/** Whole families of which some member runs what it is told to. */
const FAMILY = /^(?:systemd|dpkg|deb|debconf|llvm|apt|pg|update|dbus|gpg|xdg|git|fakeroot|ssh|gcc)[-_]/;
/** Compilers and their kin for one kind of machine: `x86_64-linux-gnu-gcc`. */
const MACHINE = /^[a-z0-9_]+-linux-(?:gnu|musl)[a-z0-9]*-/;

/** What git does by itself, as far as its words name no program. Options before the command do, and so do other commands. */
const PLAIN_GIT = names(
  "add apply am blame branch checkout cherry-pick clean commit count-objects describe diff init log ls-files ls-tree merge merge-base mv notes reflog reset restore rev-list rev-parse revert rm shortlog show stash status switch tag version --version",
);

/** Whether git itself can be trusted with these arguments to run nothing that they name. */
export function isPlainGit(args: readonly string[]): boolean {
  const [command, ...rest] = args;
  return (
    command !== undefined && PLAIN_GIT.has(command) && !rest.some((arg) => /^--(?:ext|textc|exe)/.test(arg))
  );
}

/** Ordinary programs that run another one where an option, also cut short, names it. */
export function namesProgram(name: string, args: readonly string[]): boolean {
  return name === "sort" && args.some((arg) => arg.startsWith("--com"));
}

/** They do what files of the project tell them to, and those can be changed by other calls. */
const PROJECT_RUNNERS = names(
  "npm pnpm yarn make gmake bmake cmake ctest ninja meson bazel buck scons waf gradle gradlew mvn mvnw ant sbt lein rake bundle bundler composer cargo go just task tox nox pytest jest vitest mocha tsc eslint prettier mix rebar3 dune pre-commit husky turbo nx lerna vagrant invoke fab grunt gulp",
);

export type Powerful = "shell" | "wrapper" | "interpreter" | "runner";

/** What makes a program too powerful to be granted; undefined for an ordinary one. */
export function powerOf(name: string): Powerful | undefined {
  const base = name.toLowerCase().replace(MACHINE, "");
  if (FAMILY.test(base)) return "wrapper";
  if (/^ld(-linux)?\b.*\.so/.test(base)) return "wrapper";
  // `python3.11`, `vim.basic`, `lua5.4`, `gcc-12`
  for (const each of [
    base,
    base.replace(/[-_]?\d[\d.]*$/, ""),
    base.replace(/\..*$/, "").replace(/\d+$/, ""),
  ]) {
    if (SHELLS.has(each)) return "shell";
    if ([WRAPPERS, MORE_WRAPPERS, EVEN_MORE, REMOTE, BY_OPTION].some((list) => list.has(each)))
      return "wrapper";
    if (INTERPRETERS.has(each)) return "interpreter";
    if (PROJECT_RUNNERS.has(each)) return "runner";
  }
  return undefined;
}

export const POWER_WORDS: Readonly<Record<Powerful, string>> = {
  shell: "is a shell: it runs whatever its text says",
  wrapper: "can run other programs",
  interpreter: "runs whatever program it is given",
  runner: "runs what files of the project tell it to",
};

function names(list: string): ReadonlySet<string> {
  return new Set(list.split(" "));
}
