# Elwood, built from this folder. Each dependency is fetched by the hash in package-lock.json.
{
  lib,
  buildNpmPackage,
  importNpmLock,
  makeWrapper,
  nodejs_24,
  bubblewrap,
}:
let
  package = lib.importJSON ./package.json;
  lock = lib.importJSON ./package-lock.json;

  # The lock names no host, so that any registry will do; Nix wants to know one.
  registry = "https://registry.npmjs.org";
  nameOf = path: lib.last (lib.splitString "node_modules/" path);
  archiveOf =
    name: version: "${registry}/${name}/-/${lib.last (lib.splitString "/" name)}-${version}.tgz";
  withArchive =
    path: entry:
    if entry ? integrity && !(entry ? resolved) then
      entry // { resolved = archiveOf (entry.name or (nameOf path)) entry.version; }
    else
      entry;
in
buildNpmPackage {
  pname = "elwood";
  inherit (package) version;
  src = lib.cleanSource ./.;
  nodejs = nodejs_24;
  npmDeps = importNpmLock {
    inherit package;
    packageLock = lock // {
      packages = lib.mapAttrs withArchive lock.packages;
    };
  };
  npmConfigHook = importNpmLock.npmConfigHook;
  nativeBuildInputs = [ makeWrapper ];

  # The Node that comes by npm is linked against another libc.
  preBuild = "rm -f node_modules/.bin/node";
  npmBuildScript = "build";

  # The same layout as the npm package, with what it needs beside it; what drives a browser is part of that.
  installPhase = ''
    runHook preInstall
    out_lib=$out/lib/elwood
    node --input-type=module -e "import { layOut } from './apps/cli/pack.mjs'; await layOut(process.argv[1])" "$out_lib"
    npm prune --omit=dev --ignore-scripts --no-audit
    rm -rf node_modules/@elwood node_modules/elwood node_modules/.bin node_modules/node-linux-*
    cp -r node_modules "$out_lib/node_modules"
    for name in elwood assistant; do
      makeWrapper "$out_lib/$( [ "$name" = elwood ] && echo apps/cli/bin/elwood.mjs || echo bin/assistant )" \
        "$out/bin/$name" --prefix PATH : ${
          lib.makeBinPath [
            nodejs_24
            bubblewrap
          ]
        }
    done
    runHook postInstall
  '';

  meta = {
    inherit (package) description;
    license = lib.licenses.mit;
    mainProgram = "elwood";
    platforms = lib.platforms.linux;
  };
}
