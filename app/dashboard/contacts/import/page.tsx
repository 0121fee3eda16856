import { requireMember } from "@/lib/auth/page-member";
import { Allowed, Page } from "../../_components/page-frame";
import { ImportFile } from "./import-file";

export const metadata = { title: "Import · Contacts" };

export default async function ImportPage() {
  await requireMember();
  return (
    <Page
      title="Import contacts"
      intro="A CSV file with one person a row: the number with its country code, then the name. Columns with the headings phone and name may be in any order."
      back={{ href: "/dashboard/contacts", word: "Contacts" }}
    >
      <Allowed to="manageContacts">
        <ImportFile />
      </Allowed>
    </Page>
  );
}
