import { eq, inArray } from "drizzle-orm";
import { rawSql } from "@/db/raw-sql";
import { type Workspace, workspaces } from "@/db/schema";
import { hashPassword as hashWithArgon2 } from "@/lib/auth/password";
import { env } from "@/lib/core/env";
import { newId } from "@/lib/core/new-id";
import { monthlyLimit, provenWorkspaceId } from "@/lib/core/principal";
import { countMonth, isFirstLimit, startCounting } from "@/lib/limits/count-month";
import { changeOf, recorder } from "@/lib/workspaces/record-audit";
import type { ProvisionDocument } from "./document";
import { type ProvisionedKeys, provisionApiKeys } from "./provision-api-keys";
import { provisionContacts } from "./provision-contacts";
import { provisionMembers } from "./provision-members";
import { provisionPhoneNumbers } from "./provision-phone-numbers";
import { provisionTemplates } from "./provision-templates";
import { PROVISIONER, type Provisioning, type ProvisioningDatabase } from "./provisioning";

type Ids = Record<string, string>;

export type ProvisionedWorkspace = {
  ref: string;
  id: string;
  phoneNumbers: Ids;
  contacts: Ids;
  /** By `name/language`. */
  templates: Ids;
  apiKeys: ProvisionedKeys;
};

/** The file is valid, but conflicts with the database. Nothing was changed. */
export class ProvisionError extends Error {
  override readonly name = "ProvisionError";
  constructor(readonly faults: string[]) {
    super(faults.join("\n"));
  }
}

/**
 * Creates or updates everything in the document in one transaction; anything else is left unchanged. Tests pass
 * `hashPassword` to reuse one hash.
 */
export async function provisionWorkspaces(
  document: ProvisionDocument,
  db: ProvisioningDatabase,
  hashPassword: Provisioning["hashPassword"] = hashWithArgon2,
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
    // One run at a time: two could otherwise create the same thing twice.
    await rawSql(tx)`select pg_advisory_xact_lock(hashtext('switchboard provision'))`;
    const faults: string[] = [];
    const provisioned: ProvisionedWorkspace[] = [];
    for (const [index, workspace] of document.workspaces.entries()) {
      const run = await openWorkspace(workspace, { tx, faults, hashPassword });
      provisioned.push(await provisionWorkspace(run, workspace, `workspaces[${index}]`));
    }
    if (faults.length > 0) throw new ProvisionError(faults);
    return { workspaces: provisioned };
  });
}

/** Fields missing from the document keep their stored value. */
const limitsOf = (stored: Limits, { plan = stored.plan, messageLimit = stored.messageLimit }: Partial<Limits>) => ({
  from: monthlyLimit(stored.plan, stored.messageLimit),
  to: monthlyLimit(plan, messageLimit),
});

type Limits = Pick<Workspace, "plan" | "messageLimit">;

async function provisionWorkspace(
  run: Provisioning,
  { ref, members, phoneNumbers, contacts, templates, apiKeys }: ProvisionDocument["workspaces"][number],
  place: string,
): Promise<ProvisionedWorkspace> {
  await provisionMembers(run, members, { ref, place: `${place}.members` });
  return {
    ref,
    id: run.workspaceId,
    phoneNumbers: await provisionPhoneNumbers(run, phoneNumbers, `${place}.phoneNumbers`),
    contacts: await provisionContacts(run, contacts, `${place}.contacts`),
    templates: await provisionTemplates(run, templates),
    apiKeys: await provisionApiKeys(run, apiKeys, `${place}.apiKeys`),
  };
}

/** Creates or updates the workspace itself. */
async function openWorkspace(
  document: ProvisionDocument["workspaces"][number],
  means: Pick<Provisioning, "tx" | "faults" | "hashPassword">,
): Promise<Provisioning> {
  const { tx } = means;
  const { ref, name, plan, messageLimit, timeZone, retentionDays } = document;
  const settings = { name, plan, messageLimit, timeZone, retentionDays };
  const isThisWorkspace = eq(workspaces.ref, ref);
  const [stored] = await tx.select().from(workspaces).where(isThisWorkspace).for("no key update");
  const workspaceId = provenWorkspaceId(stored?.id ?? newId("ws"));
  const run = { ...means, workspaceId, record: recorder(tx, workspaceId, PROVISIONER) };
  const made = { ref, ...settings, plan: plan ?? env().DEFAULT_PLAN };
  const change = changeOf(stored, stored ? settings : made);
  if (!change) return run;
  if (stored) {
    await tx.update(workspaces).set(settings).where(isThisWorkspace);
    await countMonth(tx, workspaceId, limitsOf(stored, document));
  } else await tx.insert(workspaces).values({ ...made, id: workspaceId });
  await run.record(stored ? "workspace.changed" : "workspace.created", workspaceId, change);
  return run;
}
