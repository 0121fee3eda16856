"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { Button } from "@/app/_components/button";
import { TextLink, useWorkspaceId } from "@/app/_components/link";
import { DataTable, Notice } from "@/app/_components/panels";
import { Muted } from "@/app/_components/text";
import { csvLine } from "@/lib/core/csv";
import type { RowFault } from "@/lib/core/csv-rows";
import { formatNumber } from "@/lib/core/text";
import { saveFile } from "../../_components/save-file";
import { importRows, type Preview, type Progress, previewOf } from "./read-file";

const MAX_SHOWN = 20;

export function ImportFile() {
  const workspaceId = useWorkspaceId();
  const router = useRouter();
  const [file, setFile] = useState<File>();
  const [preview, setPreview] = useState<Preview>();
  const [progress, setProgress] = useState<Progress>();
  const isRunning = progress?.state === "running";
  const canImport = preview?.some((row) => "phone" in row) ?? false;
  const start = async () => {
    if (!preview || !canImport || isRunning) return;
    await importRows(preview, workspaceId, setProgress);
    router.refresh();
  };
  const choose = async (chosen: File | undefined) => {
    setFile(chosen);
    setProgress(undefined);
    setPreview(undefined);
    if (chosen) setPreview(await previewOf(chosen));
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
          onChange={(event) => choose(event.target.files?.[0])}
          className="w-full min-w-0 rounded-control border border-control bg-page p-1.5 file:me-3 file:rounded-control file:border-0 file:bg-hairline file:px-3 file:py-1 file:text-ink"
        />
        <p className="text-sm text-muted">
          Existing contacts keep their contactId. A name in the file replaces the current one.
        </p>
      </div>
      {preview && !progress ? <PreviewTable preview={preview} /> : null}
      <Button icon="upload" className="justify-self-start" onClick={start} aria-disabled={!canImport || isRunning}>
        {isRunning ? "Importing…" : "Import"}
      </Button>
      {progress ? <Outcome progress={progress} fileName={file?.name ?? "contacts.csv"} /> : null}
    </div>
  );
}

function Outcome({ progress, fileName }: { progress: Progress; fileName: string }) {
  const { state, sentRows, totalRows, faults, failure } = progress;
  const done = progress.created + progress.renamed + progress.unchanged;
  return (
    <section aria-label="Progress" className="grid gap-4">
      <progress
        className="usage-meter [--usage-fill:var(--color-muted)]"
        max={Math.max(1, totalRows)}
        value={sentRows}
        aria-label="Share of the rows that were sent"
      />
      <p role="status">
        {state === "running" ? `${formatNumber(done)} contacts so far…` : null}
        {state === "done" ? sumInWords(progress) : null}
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
    const lines = [csvLine(["row", "reason"]), ...faults.map(({ row, reason }) => csvLine([row, reason]))];
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
        rowKey={({ row }) => `${row}`}
        columns={{ Row: ({ row }) => row, Why: ({ reason }) => reason }}
      />
      {faults.length > MAX_SHOWN ? (
        <p className="text-sm text-muted">
          And {formatNumber(faults.length - MAX_SHOWN)} more: they are all in the report.
        </p>
      ) : null}
    </div>
  );
}

/** Its numbers add up to the rows of the file, without headings and empty ones. */
const sumInWords = ({ created, renamed, unchanged, repeated, faults }: Progress): string => {
  const parts = {
    new: created,
    "with a new name": renamed,
    unchanged,
    "repeated in the file": repeated,
    "left out": faults.length,
  };
  const rows = Object.values(parts).reduce((sum, count) => sum + count, 0);
  const words = Object.entries(parts).flatMap(([word, count]) => (count > 0 ? [`${formatNumber(count)} ${word}`] : []));
  return rows === 0 ? "The file has no rows." : `${rowsInWords(rows)}: ${words.join(", ")}.`;
};

const rowsInWords = (rows: number): string => `${formatNumber(rows)} ${rows === 1 ? "row" : "rows"}`;

const PREVIEWED = 5;

function PreviewTable({ preview: rows }: { preview: Preview }) {
  const faults = rows.filter((row) => "reason" in row).length;
  return (
    <section aria-label="Preview" className="grid gap-1">
      <p role="status" className="text-muted">
        {rows.length === 0
          ? "No rows found. Choose a CSV file with a phone number in each row."
          : `${rowsInWords(rows.length)}, ${formatNumber(rows.length - faults)} to import${faults > 0 ? `, ${formatNumber(faults)} to leave out` : ""}. Nothing is saved yet.`}
      </p>
      {rows.length > 0 ? (
        <DataTable
          caption="The first rows, as they will be imported"
          rows={rows.slice(0, PREVIEWED)}
          rowKey={({ row }: Preview[number]) => `${row}`}
          columns={{
            Row: { className: "sm:w-16", cell: ({ row }) => <Muted>{row}</Muted> },
            Phone: (row) => ("reason" in row ? <span className="text-danger">{row.reason}</span> : `+${row.phone}`),
            Name: (row) => ("reason" in row ? "–" : <span dir="auto">{row.name ?? <Muted>No name</Muted>}</span>),
          }}
        />
      ) : null}
    </section>
  );
}
