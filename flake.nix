{
  description = "Elwood, a personal AI assistant that you run yourself";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
      ];
      forEach = build: nixpkgs.lib.genAttrs systems (system: build nixpkgs.legacyPackages.${system});
    in
    {
      packages = forEach (pkgs: rec {
        elwood = pkgs.callPackage ./package.nix { };
        default = elwood;
      });
      nixosModules = rec {
        assistant = import ./modules/assistant.nix;
        default = assistant;
      };
    };
}
