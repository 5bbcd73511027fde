import type { ToolGroup } from "../tools/tool-snapshot.ts";
import type { IntegrationDeps, IntegrationService } from "./integration-service.ts";

/** Integrations, as the rest of the gateway sees them. Nothing of them is loaded while none is set up. */
export interface IntegrationArea {
  /** The tools of those that are on. */
  groups(): Promise<readonly ToolGroup[]>;
  /** Everything about them; loads it. */
  service(): Promise<IntegrationService>;
}

export function openIntegrations(deps: Omit<IntegrationDeps, "folders">): IntegrationArea {
  let opened: Promise<IntegrationService> | undefined;
  const open = async () => {
    const [{ IntegrationService: Service }, { integrationFolders }] = await Promise.all([
      import("./integration-service.ts"),
      import("./integration-folders.ts"),
    ]);
    return new Service({ ...deps, folders: integrationFolders() });
  };
  const service = () => (opened ??= open());
  const isEmpty = () =>
    opened === undefined && Object.keys(deps.loaded.config.integrations ?? {}).length === 0;
  return { service, groups: async () => (isEmpty() ? [] : [await (await service()).group()]) };
}
