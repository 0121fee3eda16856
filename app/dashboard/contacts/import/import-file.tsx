"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { Button } from "@/app/_components/button";
import { TextLink, useWorkspaceId } from "@/app/_components/link";
import { DataTable, Notice } from "@/app/_components/panels";
import { ContactFile, type ContactRow, type RowFault } from "@/lib/contacts/contact-file";
import { csvLine } from "@/lib/core/csv";
import { formatNumber } from "@/lib/core/text";
import { saveFile } from "../../_components/save-file";
import { importBatch } from "../actions";

const MAX_SHOWN = 20;

export function ImportFile() {
  const workspaceId = useWorkspaceId();
  const router = useRouter();
  const [file, setFile] = useState<File>();
  const [progress, setProgress] = useState<Progress>();
  const isRunning = progress?.state === "running";
  const start = async () => {
    if (!file || isRunning) return;
    await importFile(file, workspaceId, setProgress);
    router.refresh();
  };
  return (
    <div className="grid max-w-[46rem] grid-cols-[minmax(0,1fr)] gap-5">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-1">
        <label htmlFor="file" className="font-medium">
          File
        </label>
        <input
          id="file"
          type="file"
          accept=".csv,.txt,text/csv,text/plain"
          disabled={isRunning}
          onChange={(event) => {
            setFile(event.target.files?.[0]);
            setProgress(undefined);
          }}
          className="w-full min-w-0 rounded-control border border-control bg-page p-1.5 file:me-3 file:rounded-control file:border-0 file:bg-hairline file:px-3 file:py-1 file:text-ink"
        />
        <p className="text-sm text-muted">
          Existing contacts keep their contactId. A name in the file replaces the current one.
        </p>
      </div>
      <Button icon="upload" className="justify-self-start" onClick={start} aria-disabled={!file || isRunning}>
        {isRunning ? "Importing…" : "Import"}
      </Button>
      {progress ? <Outcome progress={progress} fileName={file?.name ?? "contacts.csv"} /> : null}
    </div>
  );
}

function Outcome({ progress, fileName }: { progress: Progress; fileName: string }) {
  const { state, readBytes, totalBytes, created, renamed, unchanged, faults, failure } = progress;
  const done = created + renamed + unchanged;
  return (
    <section aria-label="Progress" className="grid gap-4">
      <progress
        className="usage-meter [--usage-fill:var(--color-accent)]"
        max={Math.max(1, totalBytes)}
        value={readBytes}
        aria-label="Share of the file that was read"
      />
      <p role="status">
        {state === "running" ? `${formatNumber(done)} contacts so far…` : null}
        {state === "done"
          ? `Done: ${formatNumber(created)} new, ${formatNumber(renamed)} with a new name, ${formatNumber(unchanged)} unchanged, ${formatNumber(faults.length)} rows skipped.`
          : null}
      </p>
      {failure ? (
        <div role="alert">
          <Notice tone="bad">
            {failure} {formatNumber(done)} contacts were imported before. The same file may be imported again: it
            creates no duplicates.
          </Notice>
        </div>
      ) : null}
      {faults.length > 0 ? <Faults faults={faults} fileName={fileName} /> : null}
      {state === "done" ? (
        <p>
          <TextLink href="/dashboard/contacts">Open the contacts</TextLink>
        </p>
      ) : null}
    </section>
  );
}

function Faults({ faults, fileName }: { faults: readonly RowFault[]; fileName: string }) {
  const download = () => {
    const lines = [csvLine(["line", "reason"]), ...faults.map(({ line, reason }) => csvLine([line, reason]))];
    saveFile(fileName.replace(/(\.\w+)?$/, "-left-out.csv"), "text/csv", lines.join(""));
  };
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="font-semibold">Rows that were left out</h2>
        <Button icon="download" look="secondary" onClick={download}>
          Report as CSV
        </Button>
      </div>
      <DataTable
        caption="Rows that were left out"
        rows={faults.slice(0, MAX_SHOWN)}
        rowKey={({ line }) => `${line}`}
        columns={{ Line: ({ line }) => line, Why: ({ reason }) => reason }}
      />
      {faults.length > MAX_SHOWN ? (
        <p className="text-sm text-muted">
          And {formatNumber(faults.length - MAX_SHOWN)} more: they are all in the report.
        </p>
      ) : null}
    </div>
  );
}

const ROWS_AT_ONCE = 500;

type Progress = {
  state: "running" | "done" | "failed";
  readBytes: number;
  totalBytes: number;
  created: number;
  renamed: number;
  unchanged: number;
  faults: RowFault[];
  /** Why it stopped. */
  failure: string | null;
};

/** Reads a file of any size piece by piece and sends its rows in batches; what is reported is what the server returned. */
async function importFile(file: File, workspaceId: string, onProgress: (progress: Progress) => void): Promise<void> {
  const progress: Progress = {
    state: "running",
    readBytes: 0,
    totalBytes: file.size,
    created: 0,
    renamed: 0,
    unchanged: 0,
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
};

const PIECE_BYTES = 256 * 1_024;

async function* piecesOf(file: File): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.size; at += PIECE_BYTES) {
    yield new Uint8Array(await file.slice(at, at + PIECE_BYTES).arrayBuffer());
  }
}
