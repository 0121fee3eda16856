import type { ContactRow, LeftOutRow } from "@/lib/contacts/contact-file";
import type { Imported } from "@/lib/contacts/save-contacts";
import { quote } from "@/lib/core/text";
import { importBatch } from "../actions";

/** Of the longest names, they fit into an action's body. */
const ROWS_AT_ONCE = 250;

/** How many rows were sent, and what was imported of them. */
export type Progress = Omit<Imported, "replaced"> & {
  state: "running" | "done" | "failed";
  sentRows: number;
  totalRows: number;
  faults: LeftOutRow[];
  /** Rows whose name took the place of another. */
  renames: LeftOutRow[];
  /** Why it stopped. */
  failure: string | null;
};

/** Sends the rows of the preview in batches; what is reported is what the server returned. */
export async function importRows(
  rows: readonly (ContactRow | LeftOutRow)[],
  workspaceId: string,
  onProgress: (progress: Progress) => void,
): Promise<void> {
  const people = rows.filter((row) => "phone" in row);
  const progress: Progress = {
    state: "running",
    sentRows: 0,
    totalRows: people.length,
    created: 0,
    renamed: 0,
    unchanged: 0,
    repeated: 0,
    faults: rows.filter((row) => "reason" in row),
    renames: [],
    failure: null,
  };
  onProgress({ ...progress });
  try {
    while (progress.sentRows < people.length) {
      const batch = people.slice(progress.sentRows, progress.sentRows + ROWS_AT_ONCE);
      await send(workspaceId, batch, progress);
      progress.sentRows += batch.length;
      onProgress({ ...progress });
    }
    onProgress({ ...progress, state: "done" });
  } catch (error) {
    const failure = error instanceof Refused ? error.message : "The server did not answer.";
    onProgress({ ...progress, state: "failed", failure });
  }
}

class Refused extends Error {}

async function send(workspaceId: string, rows: readonly ContactRow[], progress: Progress): Promise<void> {
  const form = new FormData();
  form.set("workspaceId", workspaceId);
  form.set("rows", JSON.stringify(rows.map(({ phone, name }) => ({ phone, name }))));
  const state = await importBatch(null, form);
  if (!state.ok) throw new Refused(state.message);
  progress.created += state.value.created;
  progress.renamed += state.value.renamed;
  progress.unchanged += state.value.unchanged;
  progress.repeated += state.value.repeated;
  for (const { phone, name: former } of state.value.replaced) {
    const { row = 0, name = null } = rows.findLast((one) => one.phone === phone) ?? {};
    progress.renames.push({ row, name, given: `+${phone}`, reason: `Imported. The name was ${quote(former)} before.` });
  }
}
