# Elwood as a service of NixOS: services.assistant. How to use it: docs/nixos.md
{
  config,
  lib,
  pkgs,
  ...
}:
let
  inherit (lib) mkEnableOption mkIf mkOption types;
  cfg = config.services.assistant;

  usualStateDir = "/var/lib/assistant";
  workspace = "${cfg.stateDir}/workspace";
  json = pkgs.formats.json { };

  # Servers that run as services of their own are reached by their address.
  mcpServers = lib.mapAttrs (
    _name: server:
    if server.runAsService then
      { inherit (server) url; }
    else
      lib.filterAttrs (_: value: value != null && value != [ ] && value != { }) {
        inherit (server)
          command
          args
          env
          url
          ;
      }
  ) cfg.mcpServers;
  mcpServices = lib.filterAttrs (_name: server: server.runAsService) cfg.mcpServers;

  # Settings of this file first, whatever `settings` says goes before them.
  configFile = json.generate "config.json" (
    lib.recursiveUpdate {
      inherit (cfg) model;
      telegram.allowedChatIds = cfg.allowedChatIds;
      heartbeat = {
        intervalMinutes = cfg.heartbeatInterval;
        inherit (cfg) activeHoursStart activeHoursEnd;
      };
      inherit mcpServers;
    } cfg.settings
  );

  # What the unit and those of MCP servers have in common.
  hardening = {
    NoNewPrivileges = true;
    ProtectSystem = "strict";
    ProtectHome = true;
    PrivateTmp = true;
    PrivateDevices = true;
    ProtectKernelModules = true;
    ProtectControlGroups = true;
    ProtectClock = true;
    ProtectHostname = true;
    RestrictSUIDSGID = true;
    RestrictRealtime = true;
    LockPersonality = true;
    RemoveIPC = true;
    KeyringMode = "private";
    UMask = "0077";
    # V8 and WebAssembly write the code that they run: with this on, Node dies before its first line.
    MemoryDenyWriteExecute = false;
    CapabilityBoundingSet = "";
    AmbientCapabilities = "";
    RestrictAddressFamilies = [
      "AF_UNIX"
      "AF_INET"
      "AF_INET6"
      "AF_NETLINK"
    ];
    # Node copies files with fchown, which is in @chown and so in @privileged, and asks for protection keys (@pkey).
    SystemCallFilter = [
      "@system-service"
      "~@privileged"
      "~@resources"
      "@pkey"
      "@chown"
    ];
    # What is refused fails in words instead of killing the process.
    SystemCallErrorNumber = "EPERM";
    SystemCallArchitectures = "native";
  };

  # The cage of commands and the browser's sandbox are made of user namespaces, and of mounts in them.
  caged = {
    RestrictNamespaces = "user mnt pid ipc uts net cgroup";
    SystemCallFilter = hardening.SystemCallFilter ++ [ "@mount" ];
    # It covers parts of /proc, after which no cage can mount one of its own.
    ProtectKernelTunables = false;
  };
in
{
  options.services.assistant = {
    enable = mkEnableOption "personal AI assistant";

    package = mkOption {
      type = types.package;
      default = pkgs.callPackage ../package.nix { };
      defaultText = lib.literalExpression "pkgs.callPackage ./package.nix { }";
      description = "The assistant.";
    };

    workspaceDir = mkOption {
      type = types.nullOr types.path;
      default = null;
      description = "A folder with SOUL.md, AGENTS.md, HEARTBEAT.md, skills/ and so on, copied into the state directory at each start. Without one the usual templates are made.";
    };

    stateDir = mkOption {
      type = types.str;
      default = usualStateDir;
      description = "Where everything that changes lies.";
    };

    environmentFile = mkOption {
      # Not a path: that would be copied into the store, which everybody can read.
      type = types.nullOr types.str;
      default = null;
      example = "/run/agenix/assistant";
      description = "A file with ANTHROPIC_API_KEY=…, TELEGRAM_BOT_TOKEN=… and so on. May be missing: then the assistant starts in demo mode and says which keys it has not found.";
    };

    allowedChatIds = mkOption {
      type = types.listOf types.str;
      default = [ ];
      description = "Telegram chats that may write. They can allow nothing: see settings.telegram.approverIds.";
    };

    model = mkOption {
      type = types.str;
      # The design's own default ends on 30 November 2026; it can still be named.
      default = "anthropic/claude-sonnet-5-5";
      description = "The model that answers.";
    };

    heartbeatInterval = mkOption {
      type = types.int;
      default = 30;
      description = "Minutes between two looks around; 0 turns them off.";
    };

    activeHoursStart = mkOption {
      type = types.int;
      default = 8;
      description = "The hour from which on it looks around.";
    };

    activeHoursEnd = mkOption {
      type = types.int;
      default = 22;
      description = "The hour at which it stops.";
    };

    mcpServers = mkOption {
      default = { };
      description = "MCP servers: programs of the assistant, or services of their own.";
      type = types.attrsOf (
        types.submodule {
          options = {
            command = mkOption {
              type = types.nullOr types.str;
              default = null;
              description = "The program.";
            };
            args = mkOption {
              type = types.listOf types.str;
              default = [ ];
              description = "Its arguments.";
            };
            env = mkOption {
              type = types.attrsOf types.str;
              default = { };
              description = "Variables that it is given, and no secret: they are in the store.";
            };
            url = mkOption {
              type = types.nullOr types.str;
              default = null;
              description = "Its address, where it is reached over HTTP.";
            };
            runAsService = mkOption {
              type = types.bool;
              default = false;
              description = "Whether the program is a service of systemd, which listens at `url`.";
            };
          };
        }
      );
    };

    agents = mkOption {
      type = types.attrsOf types.path;
      default = { };
      description = "Folders of further agents (SOUL.md, agent.yaml), by their names.";
    };

    settings = mkOption {
      type = json.type;
      default = { };
      example = {
        policy.mode = "strict";
        gateway.allowedHosts = [ "home.example" ];
      };
      description = "Any other setting of the assistant, as in docs/configuration.md. No secret belongs here.";
    };

    browser.enable = mkOption {
      type = types.bool;
      default = false;
      description = "Whether there is a browser for the browser tools.";
    };

    cage.enable = mkOption {
      type = types.bool;
      default = true;
      description = "Whether the unit may make the namespaces that commands are caged in. Without it no command runs unasked.";
    };
  };

  config = mkIf cfg.enable {
    assertions = lib.mapAttrsToList (name: server: {
      assertion = server.runAsService -> (server.url != null && server.command != null);
      message = "services.assistant.mcpServers.${name}: a server that runs as a service needs a command and a url.";
    }) cfg.mcpServers;

    users.users.assistant = {
      isSystemUser = true;
      group = "assistant";
      home = cfg.stateDir;
    };
    users.groups.assistant = { };

    # Not an activation script with chown -R, which follows what it finds: systemd makes the folder for its user.
    systemd.tmpfiles.rules = lib.optional (
      cfg.stateDir != usualStateDir
    ) "d ${cfg.stateDir} 0700 assistant assistant -";

    systemd.services = {
      assistant = {
        description = "Personal AI Assistant";
        after = [ "network-online.target" ];
        wants = [ "network-online.target" ];
        wantedBy = [ "multi-user.target" ];
        path = [
          pkgs.bubblewrap
          pkgs.git
        ]
        ++ lib.optional cfg.browser.enable pkgs.chromium;
        environment = {
          ELWOOD_HOME = cfg.stateDir;
          ELWOOD_CONFIG = "${configFile}";
          # For glibc: what threads have freed goes back to the system, a tenth of the memory.
          MALLOC_ARENA_MAX = "2";
          MALLOC_TRIM_THRESHOLD_ = "262144";
          MALLOC_MMAP_THRESHOLD_ = "32768";
        };
        # As its own user, whose files these are. What was declared goes before what is there.
        preStart = lib.concatStringsSep "\n" (
          [ "mkdir -p ${lib.escapeShellArg workspace}" ]
          ++ lib.optional (
            cfg.workspaceDir != null
          ) "cp -rT --no-preserve=mode ${cfg.workspaceDir} ${lib.escapeShellArg workspace}"
          ++ lib.mapAttrsToList (name: folder: ''
            mkdir -p ${lib.escapeShellArg "${workspace}/agents/${name}"}
            cp -rT --no-preserve=mode ${folder} ${lib.escapeShellArg "${workspace}/agents/${name}"}'') cfg.agents
        );
        serviceConfig =
          hardening
          // (
            if cfg.cage.enable || cfg.browser.enable then
              caged
            else
              {
                RestrictNamespaces = true;
                ProtectKernelTunables = true;
              }
          )
          // {
            # Node cannot speak to systemd by itself; whoever wants a watchdog can have Type=notify with systemd-notify.
            Type = "exec";
            ExecStart = "${cfg.package}/bin/assistant";
            Restart = "always";
            RestartSec = 10;
            TimeoutStopSec = 40;
            KillMode = "mixed";
            WorkingDirectory = cfg.stateDir;
            DynamicUser = false;
            User = "assistant";
            Group = "assistant";
            ReadWritePaths = [ cfg.stateDir ];
          }
          // lib.optionalAttrs (cfg.stateDir == usualStateDir) {
            StateDirectory = "assistant";
            StateDirectoryMode = "0700";
          }
          // lib.optionalAttrs (cfg.environmentFile != null) {
            # The dash: without the file it starts in demo mode, and says so.
            EnvironmentFile = "-${cfg.environmentFile}";
          };
      };
    }
    // lib.mapAttrs' (
      name: server:
      lib.nameValuePair "assistant-mcp-${name}" {
        description = "MCP server ${name} of the assistant";
        before = [ "assistant.service" ];
        wantedBy = [ "multi-user.target" ];
        environment = server.env;
        serviceConfig = hardening // {
          Type = "exec";
          ExecStart = lib.escapeShellArgs ([ server.command ] ++ server.args);
          Restart = "always";
          RestartSec = 10;
          # It has nothing to do with the assistant's own files.
          DynamicUser = true;
          RestrictNamespaces = true;
          ProtectKernelTunables = true;
        };
      }
    ) mcpServices;
  };
}
