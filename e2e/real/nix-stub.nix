# Evaluates modules/assistant.nix and package.nix without nixpkgs: a small library in its place, in which a type is
# a predicate, and options that nobody set have their defaults.
{
  root,
  given ? { },
}:
let
  inherit (builtins)
    all
    attrValues
    concatStringsSep
    filter
    fromJSON
    head
    isAttrs
    isBool
    isInt
    isList
    isString
    listToAttrs
    mapAttrs
    match
    readFile
    split
    tail
    toJSON
    ;
  mapAttrsToList = f: set: map (name: f name set.${name}) (builtins.attrNames set);
  recursiveUpdate =
    a: b:
    a
    // mapAttrs (
      name: value: if a ? ${name} && isAttrs a.${name} && isAttrs value then recursiveUpdate a.${name} value else value
    ) b;
  last = list: builtins.elemAt list (builtins.length list - 1);
  escapeShellArg = text: "'${builtins.replaceStrings [ "'" ] [ "'\\''" ] (toString text)}'";
  lib = {
    inherit mapAttrs mapAttrsToList recursiveUpdate concatStringsSep last escapeShellArg;
    escapeShellArgs = list: concatStringsSep " " (map escapeShellArg list);
    mkEnableOption = _: {
      _option = true;
      type = lib.types.bool;
      default = false;
    };
    mkOption = option: option // { _option = true; };
    mkIf = condition: content: if condition then content else { };
    literalExpression = text: text;
    optional = condition: value: if condition then [ value ] else [ ];
    optionalAttrs = condition: set: if condition then set else { };
    nameValuePair = name: value: { inherit name value; };
    mapAttrs' = f: set: listToAttrs (mapAttrsToList f set);
    filterAttrs =
      keep: set:
      listToAttrs (
        filter (pair: keep pair.name pair.value) (mapAttrsToList (name: value: { inherit name value; }) set)
      );
    splitString =
      separator: text: filter isString (split (builtins.replaceStrings [ "." ] [ "\\." ] separator) text);
    importJSON = path: fromJSON (readFile path);
    cleanSource = path: toString path;
    makeBinPath = list: concatStringsSep ":" (map (each: "${each}/bin") list);
    licenses.mit = "MIT";
    platforms.linux = [ "linux" ];
    types = rec {
      str = isString;
      int = isInt;
      bool = isBool;
      path = value: isString value && match "/.*" value != null;
      package = _: true;
      json = isAttrs;
      nullOr = type: value: value == null || type value;
      listOf = type: value: isList value && all type value;
      attrsOf = type: value: isAttrs value && all (if isAttrs type then isAttrs else type) (attrValues value);
      submodule = module: module;
    };
  };
  pkgs = {
    formats.json = _: {
      type = lib.types.json;
      generate = _name: value: toJSON value;
    };
    bubblewrap = "/stub/bubblewrap";
    git = "/stub/git";
    chromium = "/stub/chromium";
    callPackage = _path: _arguments: "/stub/elwood";
  };

  server = {
    command = null;
    args = [ ];
    env = { };
    url = null;
    runAsService = false;
  };
  filled =
    path: options: set:
    mapAttrs (
      name: option:
      if option ? _option then
        let
          value = set.${name} or (option.default or (throw "services.assistant.${path}${name} is not set"));
        in
        if option.type value then value else throw "services.assistant.${path}${name} is not of its type"
      else
        filled "${path}${name}." option (set.${name} or { })
    ) options;

  cfg =
    let
      plain = filled "" module.options.services.assistant given;
    in
    plain // { mcpServers = mapAttrs (_: each: server // each) plain.mcpServers; };
  module = import (root + "/modules/assistant.nix") {
    inherit lib pkgs;
    config.services.assistant = cfg;
  };
in
{
  options = builtins.attrNames module.options.services.assistant;
  config = module.config;
  package = import (root + "/package.nix") {
    inherit lib;
    buildNpmPackage = attributes: {
      inherit (attributes) pname version;
      missing = filter (entry: entry ? integrity && !(entry ? resolved)) (
        attrValues attributes.npmDeps.packageLock.packages
      );
      example = attributes.npmDeps.packageLock.packages."node_modules/@clack/prompts".resolved;
      install = attributes.installPhase;
    };
    importNpmLock = {
      __functor = _: arguments: arguments;
      npmConfigHook = "hook";
    };
    makeWrapper = "/stub/makeWrapper";
    nodejs_24 = "/stub/nodejs";
    bubblewrap = "/stub/bubblewrap";
  };
}
