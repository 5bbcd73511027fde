#!/bin/sh
# Runs after every install. A Node 24 binary comes through the lockfile for
# machines whose own Node is too old; this drops it from node_modules/.bin where
# it is not needed (the system's Node is new enough) or cannot run (musl, NixOS).
# It installs nothing and never fails the install.
bin=node_modules/.bin/node
[ -e "$bin" ] || [ -L "$bin" ] || exit 0

# Kept in step with apps/cli/bin/node-version.mjs and with "engines".
at_least_24_15() {
  major=${1%%.*}
  rest=${1#*.}
  minor=${rest%%.*}
  [ "$major" -gt 24 ] || { [ "$major" -eq 24 ] && [ "$minor" -ge 15 ]; }
}

# npm puts node_modules/.bin first on PATH; look for the system's Node behind it.
system_path=$(printf '%s\n' "$PATH" | tr ':' '\n' | grep -v 'node_modules/\.bin' | paste -sd: -)
# Version managers may print more than the version.
system_version=$(PATH=$system_path node --version 2>/dev/null | sed -n 's/^v\([0-9][0-9]*\.[0-9][0-9]*\)\..*/\1/p' | tail -n 1)

if [ -n "$system_version" ] && at_least_24_15 "$system_version"; then
  rm -f "$bin"
elif ! "$bin" --version >/dev/null 2>&1; then
  rm -f "$bin"
fi
exit 0
