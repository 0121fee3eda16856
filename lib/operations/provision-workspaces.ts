import { eq, inArray } from "drizzle-orm";
import { rawSql } from "@/db/raw-sql";
import { type Workspace, workspaces } from "@/db/schema";
import { newId } from "@/lib/core/new-id";
import { monthlyLimit } from "@/lib/core/plans";
import { provenWorkspaceId, type WorkspaceId } from "@/lib/core/workspace-id";
import { changeOf } from "@/lib/workspaces/change";
import { countMonth, isFirstLimit, startCounting } from "@/lib/workspaces/count-month";
import { recordAudit } from "@/lib/workspaces/record-audit";
import type { ProvisionDocument } from "./document";
import { type ProvisionedKeyPair, provisionApiKeys } from "./provision-api-keys";
import { provisionContacts } from "./provision-contacts";
import { provisionMembers } from "./provision-members";
import { provisionPhoneNumbers } from "./provision-phone-numbers";
import { provisionTemplates } from "./provision-templates";
import { PROVISIONER, type Provisioning, type ProvisioningDatabase, type ProvisioningMeans } from "./provisioning";

type Ids = Record<string, string>;

export type ProvisionedWorkspace = {
  ref: string;
  id: string;
  phoneNumbers: Ids;
  contacts: Ids;
  /** By `name/language`. */
  templates: Ids;
  apiKeys: Record<string, ProvisionedKeyPair>;
};

/** The file is in itself right, but not with what the database holds. Nothing was changed. */
export class ProvisionError extends Error {
  override readonly name = "ProvisionError";
  constructor(readonly faults: string[]) {
    super(faults.join("\n"));
  }
}

/** Creates or updates everything that the document names, all or nothing; what it does not name stays as it is. */
export async function provisionWorkspaces(
  document: ProvisionDocument,
  { db, ...means }: ProvisioningMeans & { db: ProvisioningDatabase },
): Promise<{ workspaces: ProvisionedWorkspace[] }> {
  const given = new Map(document.workspaces.map((workspace) => [workspace.ref, workspace]));
  const stored = await db
    .select()
    .from(workspaces)
    .where(inArray(workspaces.ref, [...given.keys()]));
  const first = stored.filter((row) => isFirstLimit(limitsOf(row, given.get(row.ref ?? "") ?? {})));
  const ids = first.map(({ id }) => provenWorkspaceId(id));
  await startCounting((work) => db.transaction(work), ids);
  return db.transaction(async (tx) => {
    // One run at a time: two would otherwise both find a thing missing and both make it.
    await rawSql(tx)`select pg_advisory_xact_lock(hashtext('switchboard provision'))`;
    const run: Provisioning = { ...means, tx, faults: [] };
    const provisioned: ProvisionedWorkspace[] = [];
    for (const [index, workspace] of document.workspaces.entries()) {
      provisioned.push(await provisionWorkspace(run, workspace, `workspaces[${index}]`));
    }
    if (run.faults.length > 0) throw new ProvisionError(run.faults);
    return { workspaces: provisioned };
  });
}

/** What a document does not say stays. */
const limitsOf = (stored: Limits, { plan = stored.plan, messageLimit = stored.messageLimit }: Partial<Limits>) => ({
  from: monthlyLimit(stored.plan, stored.messageLimit),
  to: monthlyLimit(plan, messageLimit),
});

type Limits = Pick<Workspace, "plan" | "messageLimit">;

const provisionWorkspace = async (
  run: Provisioning,
  workspace: ProvisionDocument["workspaces"][number],
  place: string,
): Promise<ProvisionedWorkspace> => {
  const workspaceId = await workspaceFor(run, workspace);
  await provisionMembers(run, workspaceId, {
    members: workspace.members,
    ref: workspace.ref,
    place: `${place}.members`,
  });
  return {
    ref: workspace.ref,
    id: workspaceId,
    phoneNumbers: await provisionPhoneNumbers(run, workspaceId, {
      phoneNumbers: workspace.phoneNumbers,
      place: `${place}.phoneNumbers`,
    }),
    contacts: await provisionContacts(run, workspaceId, {
      contacts: workspace.contacts,
      place: `${place}.contacts`,
    }),
    templates: await provisionTemplates(run, workspaceId, workspace.templates),
    apiKeys: await provisionApiKeys(run, workspaceId, { apiKeys: workspace.apiKeys, place: `${place}.apiKeys` }),
  };
};

const workspaceFor = async (
  { tx, defaultPlan }: Provisioning,
  document: ProvisionDocument["workspaces"][number],
): Promise<WorkspaceId> => {
  const { ref, name, plan, messageLimit, timeZone, retentionDays } = document;
  const settings = { name, plan, messageLimit, timeZone, retentionDays };
  const isThisWorkspace = eq(workspaces.ref, ref);
  const [stored] = await tx.select().from(workspaces).where(isThisWorkspace).for("no key update");
  const workspaceId = provenWorkspaceId(stored?.id ?? newId("ws"));
  const made = { ref, ...settings, plan: plan ?? defaultPlan };
  const change = changeOf(stored, stored ? settings : made);
  if (!change) return workspaceId;
  if (stored) {
    await tx.update(workspaces).set(settings).where(isThisWorkspace);
    await countMonth(tx, workspaceId, limitsOf(stored, document));
  } else await tx.insert(workspaces).values({ ...made, id: workspaceId });
  const action = stored ? "workspace.changed" : "workspace.created";
  await recordAudit(tx, workspaceId, { by: PROVISIONER, action, targetId: workspaceId, ...change });
  return workspaceId;
};
