import { randomBytes } from "node:crypto";
import { drizzle } from "drizzle-orm/postgres-js";
import { hashPassword } from "@/lib/auth/password";
import { type ProvisionDocument, readDocument } from "@/lib/operations/document";
import { type ProvisionedWorkspace, provisionWorkspaces } from "@/lib/operations/provision-workspaces";
import { sql } from "./rows";

/** Provisions a workspace again, by a file with these contacts. */
export async function provisionAgain({ workspaceId }: { workspaceId: string }, contacts: object[]) {
  const [stored] = await sql`select ref, name from workspaces where id = ${workspaceId}`;
  const reading = readDocument({ workspaces: [{ ...stored, plan: "unlimited", contacts }] });
  if ("faults" in reading) throw new Error(reading.faults.join());
  const [workspace] = await provision(reading.document);
  return workspace?.contacts ?? {};
}

/** Of every person whom this process makes. */
export const PASSWORD = `a long sentence ${randomBytes(6).toString("hex")}`;

let passwordHash: Promise<string> | undefined;

/**
 * What the command does with a checked document. A hash is dear on purpose and runs are one at a time, so the one
 * password is hashed once, and before the run.
 */
export const provision = async (document: ProvisionDocument): Promise<ProvisionedWorkspace[]> => {
  passwordHash ??= hashPassword(PASSWORD);
  const known = await passwordHash;
  const hashed = async (password: string) => (password === PASSWORD ? known : hashPassword(password));
  const { workspaces } = await provisionWorkspaces(document, drizzle(sql, { casing: "snake_case" }), hashed);
  return workspaces;
};
