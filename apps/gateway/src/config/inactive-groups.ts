import { group, yesOrNo } from "./leaves.ts";

/**
 * Settings that are validated but have no effect yet. Mistakes in them are reported now rather than when
 * they take effect.
 */
export const inactiveGroups = {
  security: () => group({ auditLog: yesOrNo().optional(), secretsFilter: yesOrNo().optional() }).optional(),
};
