import { requireMember } from "@/lib/auth/page-member";
import { commonCountry } from "@/lib/core/country";
import { listConnectedLines } from "@/lib/phone-numbers/queries";
import { Allowed, Page } from "../../_components/page-frame";
import { ImportFile } from "./import-file";

export const metadata = { title: "Import · Contacts" };

export default async function ImportPage() {
  const { workspaceId } = await requireMember();
  const lines = await listConnectedLines(workspaceId);
  const live = lines.filter(({ mode }) => mode === "live");
  const numbers = (live.length > 0 ? live : lines).map(({ displayPhoneNumber }) => displayPhoneNumber);
  return (
    <Page
      title="Import contacts"
      intro="A CSV file with one person a row, as spreadsheets, phone books and shops export it. You see each row before it is saved."
      back={{ href: "/dashboard/contacts", word: "Contacts" }}
    >
      <Allowed to="manageContacts">
        <ImportFile country={commonCountry(numbers)} />
      </Allowed>
    </Page>
  );
}
