declare const proven: unique symbol;

/** A workspace that the caller may act for. Every query takes it first, so forgetting tenancy does not compile. */
export type WorkspaceId = string & { readonly [proven]: true };

/** Mints the proof. Only authentication, a platform webhook's own line, the sweeper and the provisioner may. */
export function provenWorkspaceId(id: string): WorkspaceId {
  return id as WorkspaceId;
}
