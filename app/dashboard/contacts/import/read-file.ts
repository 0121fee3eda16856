import { ContactFile, type ContactRow } from "@/lib/contacts/contact-file";
import type { Imported } from "@/lib/contacts/save-contacts";
import type { RowFault } from "@/lib/core/csv-rows";
import { importBatch } from "../actions";

/** How the beginning of a file is read, before anything is stored. */
export type Preview = { rows: (ContactRow | RowFault)[]; isWhole: boolean };

export async function previewOf(file: File): Promise<Preview> {
  const reader = new ContactFile();
  const rows = reader.read(await file.slice(0, PIECE_BYTES).text());
  const isWhole = file.size <= PIECE_BYTES;
  return { rows: isWhole ? [...rows, ...reader.end()] : rows, isWhole };
}

/** Of the longest names, they fit into an action's body. */
const ROWS_AT_ONCE = 250;

/** How far a file has been read, and what was imported of it. */
export type Progress = Imported & {
  state: "running" | "done" | "failed";
  readBytes: number;
  totalBytes: number;
  faults: RowFault[];
  /** Why it stopped. */
  failure: string | null;
};

/** Reads a file of any size piece by piece and sends its rows in batches; what is reported is what the server returned. */
export async function importFile(
  file: File,
  workspaceId: string,
  onProgress: (progress: Progress) => void,
): Promise<void> {
  const progress: Progress = {
    state: "running",
    readBytes: 0,
    totalBytes: file.size,
    created: 0,
    renamed: 0,
    unchanged: 0,
    repeated: 0,
    faults: [],
    failure: null,
  };
  const reader = new ContactFile();
  let batch: ContactRow[] = [];
  const take = async (rows: readonly (ContactRow | RowFault)[]) => {
    for (const row of rows) {
      if ("reason" in row) progress.faults.push(row);
      else batch.push(row);
      if (batch.length < ROWS_AT_ONCE) continue;
      await send(workspaceId, batch, progress);
      batch = [];
      onProgress({ ...progress });
    }
  };
  onProgress({ ...progress });
  try {
    const decoder = new TextDecoder();
    for await (const bytes of piecesOf(file)) {
      await take(reader.read(decoder.decode(bytes, { stream: true })));
      progress.readBytes += bytes.byteLength;
      onProgress({ ...progress });
    }
    await take(reader.read(decoder.decode()));
    await take(reader.end());
    if (batch.length > 0) await send(workspaceId, batch, progress);
    onProgress({ ...progress, state: "done", readBytes: file.size });
  } catch (error) {
    const failure = error instanceof Refused ? error.message : "The server did not answer, or the file cannot be read.";
    onProgress({ ...progress, state: "failed", failure });
  }
}

class Refused extends Error {}

const send = async (workspaceId: string, rows: readonly ContactRow[], progress: Progress): Promise<void> => {
  const form = new FormData();
  form.set("workspaceId", workspaceId);
  form.set("rows", JSON.stringify(rows.map(({ phone, name }) => ({ phone, name }))));
  const state = await importBatch(null, form);
  if (!state.ok) throw new Refused(state.message);
  progress.created += state.value.created;
  progress.renamed += state.value.renamed;
  progress.unchanged += state.value.unchanged;
  progress.repeated += state.value.repeated;
};

const PIECE_BYTES = 256 * 1_024;

async function* piecesOf(file: File): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.size; at += PIECE_BYTES) {
    yield new Uint8Array(await file.slice(at, at + PIECE_BYTES).arrayBuffer());
  }
}
