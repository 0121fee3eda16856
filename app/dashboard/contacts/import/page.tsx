import type { Metadata } from "next";
import { Notice } from "@/app/_components/notice";
import { PageHeading } from "@/app/_components/page-heading";
import { TextLink } from "@/app/_components/text-link";
import { requireMember } from "@/lib/auth/page-member";
import { can, whoCan } from "@/lib/workspaces/roles";
import { ImportFile } from "./import-file";

export const metadata: Metadata = { title: "Import · Contacts" };

export default async function ImportPage() {
  const member = await requireMember();
  return (
    <>
      <p className="mb-2 text-sm">
        <TextLink href="/dashboard/contacts">Contacts</TextLink>
      </p>
      <PageHeading title="Import contacts">
        A CSV file with one person in a row: the number with its country code, and a name if you have one. Columns
        called phone and name are found by their headings; without headings the first is the number and the second the
        name.
      </PageHeading>
      {can(member.role, "manageContacts") ? (
        <ImportFile workspaceId={member.workspaceId} />
      ) : (
        <Notice>{whoCan("manageContacts")}</Notice>
      )}
    </>
  );
}
