import type { ListReader } from "@/db/read-lists";
import { type Cell, csvDownload } from "@/lib/core/csv";
import type { WorkspaceId } from "@/lib/core/principal";
import { type Author, audited } from "@/lib/workspaces/record-audit";
import { numberPages } from "./queries";

/**
 * Returns every contact with a number as a CSV file that an import takes as it is, and records the access. Does not check
 * permissions: the caller must.
 */
export async function exportContacts(workspaceId: WorkspaceId, lists: ListReader, by: Author): Promise<Response> {
  await audited(workspaceId, by, (_tx, record) =>
    record("contact.listExported", workspaceId, { before: null, after: {} }),
  );
  return csvDownload(
    "contacts.csv",
    ["phone", "name", "marketing_stopped_at"],
    rowsOf(numberPages(workspaceId, lists)),
  );
}

/** With a plus, so that no reader takes the country code for a part of a national number. */
async function* rowsOf(pages: ReturnType<typeof numberPages>): AsyncGenerator<Cell[][]> {
  for await (const page of pages)
    yield page.map(({ phone, name, marketingOptedOutAt }) => [`+${phone}`, name, marketingOptedOutAt]);
}
