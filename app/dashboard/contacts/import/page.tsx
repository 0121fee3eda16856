import { requireMember } from "@/lib/auth/page-member";
import { Allowed, Page } from "../../_components/page-frame";
import { ImportFile } from "./import-file";

export const metadata = { title: "Import · Contacts" };

export default async function ImportPage() {
  await requireMember();
  return (
    <Page
      title="Import contacts"
      intro="A CSV file with one person in a row: the number with its country code, and a name if you have one. Columns called phone and name are found by their headings; without headings the first is the number and the second the name."
      back={{ href: "/dashboard/contacts", word: "Contacts" }}
    >
      <Allowed to="manageContacts">
        <ImportFile />
      </Allowed>
    </Page>
  );
}
