#!/bin/sh
# Runs after every install. A Node 24 binary comes through the lockfile for
# machines whose own Node is too old; this drops it from node_modules/.bin where
# it is not needed (the system Node is new enough) or cannot run (musl, NixOS).
# It installs nothing and never fails the install.
bin=node_modules/.bin/node
[ -e "$bin" ] || [ -L "$bin" ] || exit 0

version_at_least_24_15() {
  major=${1%%.*}
  rest=${1#*.}
  minor=${rest%%.*}
  case "$major$minor" in *[!0-9]* | '') return 1 ;; esac
  [ "$major" -gt 24 ] || { [ "$major" -eq 24 ] && [ "$minor" -ge 15 ]; }
}

# npm puts node_modules/.bin first on PATH; look for the system's Node behind it.
system_path=$(printf '%s' "$PATH" | tr ':' '\n' | grep -v 'node_modules/\.bin' | paste -sd: -)
system_version=$(PATH="$system_path" node --version 2>/dev/null | sed 's/^v//')

if [ -n "$system_version" ] && version_at_least_24_15 "$system_version"; then
  rm -f "$bin"
elif ! "$bin" --version >/dev/null 2>&1; then
  rm -f "$bin"
fi
exit 0
