"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { Button } from "@/app/_components/button";
import { DataTable } from "@/app/_components/data-table";
import { Icon } from "@/app/_components/icon";
import { TextLink } from "@/app/_components/text-link";
import type { RowFault } from "@/lib/contacts/contact-file";
import { csvLine } from "@/lib/core/csv";
import { formatNumber } from "@/lib/core/number";
import { importFile, type Progress } from "./read-file";

const MOST_SHOWN = 20;

export function ImportFile({ workspaceId }: { workspaceId: string }) {
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
      <div>
        <Button onClick={start} aria-disabled={!file || isRunning}>
          <Icon name="upload" />
          {isRunning ? "Importing…" : "Import"}
        </Button>
      </div>
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
        <p role="alert" className="rounded-control bg-bad-fill px-3 py-2 text-bad">
          {failure} {formatNumber(done)} contacts were imported before. The same file may be imported again: it creates
          no duplicates.
        </p>
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
    const address = URL.createObjectURL(new Blob(lines, { type: "text/csv" }));
    const link = document.createElement("a");
    link.href = address;
    link.download = fileName.replace(/(\.\w+)?$/, "-left-out.csv");
    link.click();
    URL.revokeObjectURL(address);
  };
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="font-semibold">Rows that were left out</h2>
        <Button look="secondary" onClick={download}>
          <Icon name="download" />
          Report as CSV
        </Button>
      </div>
      <DataTable
        caption="Rows that were left out"
        rows={faults.slice(0, MOST_SHOWN)}
        rowKey={({ line }) => `${line}`}
        columns={[
          { heading: "Line", cell: ({ line }) => line },
          { heading: "Why", cell: ({ reason }) => reason },
        ]}
      />
      {faults.length > MOST_SHOWN ? (
        <p className="text-sm text-muted">
          And {formatNumber(faults.length - MOST_SHOWN)} more: they are all in the report.
        </p>
      ) : null}
    </div>
  );
}
