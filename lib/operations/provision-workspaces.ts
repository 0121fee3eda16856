import { eq, inArray } from "drizzle-orm";
import { rawSql } from "@/db/raw-sql";
import { apiKeys as keys, type Workspace, workspaces } from "@/db/schema";
import { addKey } from "@/lib/api-keys/change-key";
import { hashPassword as hashWithArgon2 } from "@/lib/auth/password";
import { env } from "@/lib/core/env";
import { newId } from "@/lib/core/new-id";
import { monthlyLimit } from "@/lib/core/plans";
import { provenWorkspaceId } from "@/lib/core/principal";
import { changeOf } from "@/lib/workspaces/change";
import { countMonth, isFirstLimit, startCounting } from "@/lib/workspaces/count-month";
import { recorder } from "@/lib/workspaces/record-audit";
import { rowsOf } from "@/lib/workspaces/rows-of";
import type { ProvisionDocument, ProvisionedApiKey } from "./document";
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
  /** A secret is returned once, when its key is created; later runs return null. */
  apiKeys: Record<string, { apiKey: string; apiSecret: string | null }>;
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

const provisionWorkspace = async (
  run: Provisioning,
  { ref, members, phoneNumbers, contacts, templates, apiKeys }: ProvisionDocument["workspaces"][number],
  place: string,
): Promise<ProvisionedWorkspace> => {
  await provisionMembers(run, members, { ref, place: `${place}.members` });
  return {
    ref,
    id: run.workspaceId,
    phoneNumbers: await provisionPhoneNumbers(run, phoneNumbers, `${place}.phoneNumbers`),
    contacts: await provisionContacts(run, contacts, `${place}.contacts`),
    templates: await provisionTemplates(run, templates),
    apiKeys: await provisionApiKeys(run, apiKeys, `${place}.apiKeys`),
  };
};

/** Creates or updates the workspace itself. */
const openWorkspace = async (
  document: ProvisionDocument["workspaces"][number],
  means: Pick<Provisioning, "tx" | "faults" | "hashPassword">,
): Promise<Provisioning> => {
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
};

/** Creates the keys and returns them by ref. A revoked key stays revoked: a new one needs a new ref. */
const provisionApiKeys = async (
  { tx, workspaceId, faults, record }: Provisioning,
  wanted: readonly ProvisionedApiKey[],
  place: string,
): Promise<ProvisionedWorkspace["apiKeys"]> => {
  const pairs: [ref: string, pair: ProvisionedWorkspace["apiKeys"][string]][] = [];
  for (const [index, { ref, label, mode }] of wanted.entries()) {
    const isThisKey = rowsOf(keys, workspaceId, { ref });
    const [stored] = await tx.select().from(keys).where(isThisKey);
    if (!stored) {
      const key = { ref, label: label ?? ref, mode };
      const { apiKey, apiSecret } = await addKey(tx, workspaceId, key, PROVISIONER);
      pairs.push([ref, { apiKey, apiSecret }]);
    } else if (stored.mode === mode) {
      const change = changeOf(stored, { label });
      if (change) await tx.update(keys).set({ label }).where(isThisKey);
      await record("apiKey.changed", stored.id, change);
      pairs.push([ref, { apiKey: stored.apiKey, apiSecret: null }]);
    } else {
      faults.push(
        `${place}[${index}] asks for mode ${mode}, but the key "${ref}" is a ${stored.mode} key and stays one.`,
      );
    }
  }
  return Object.fromEntries(pairs);
};
