#!/bin/sh
# Starts Elwood in its container. A container listens beyond itself, for which Elwood wants a token that somebody
# chose: where nobody did, one is made by chance on the first start and kept in the volume.
set -eu
if [ "$ELWOOD_TOKEN_FILE" = "$ELWOOD_HOME/container-token" ] && [ ! -s "$ELWOOD_TOKEN_FILE" ]; then
  umask 077
  head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n' > "$ELWOOD_TOKEN_FILE.new"
  mv "$ELWOOD_TOKEN_FILE.new" "$ELWOOD_TOKEN_FILE"
fi
exec elwood "$@"
