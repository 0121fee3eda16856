declare const proven: unique symbol;

/** A workspace that the caller may act for. Every query takes it first, so forgetting tenancy does not compile. */
export type WorkspaceId = string & { readonly [proven]: true };

/** Mints the proof. Only authentication, a platform webhook's own line, the sweeper and the provisioner may. */
export const provenWorkspaceId = (id: string): WorkspaceId => id as WorkspaceId;
