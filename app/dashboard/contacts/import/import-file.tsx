"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { Button } from "@/app/_components/button";
import { TextLink, useWorkspaceId } from "@/app/_components/link";
import { DataTable, Notice } from "@/app/_components/panels";
import { Muted } from "@/app/_components/text";
import type { Choices, ContactFile, LeftOutRow } from "@/lib/contacts/contact-file";
import type { CallingCode } from "@/lib/contacts/file-phone";
import { csvLine } from "@/lib/core/csv";
import { formatNumber } from "@/lib/core/text";
import { MAX_FILE_BYTES } from "@/lib/core/text-file";
import { saveFile } from "../../_components/save-file";
import { FileChoices } from "./file-choices";
import { PreviewTable, rowsInWords } from "./preview-table";
import { importRows, type Progress } from "./send-rows";

const MAX_SHOWN = 20;

type Chosen = { file: { name: string; bytes: Uint8Array }; choices: Choices };
type Read = { of: Chosen; contacts: ContactFile | { refusal: string }; countries: readonly CallingCode[] };

/** `country` is the country of the workspace's lines. */
export function ImportFile({ country }: { country: string | null }) {
  const workspaceId = useWorkspaceId();
  const router = useRouter();
  const [chosen, setChosen] = useState<Chosen>();
  const [latest, setLatest] = useState<Read>();
  const [progress, setProgress] = useState<Progress>();
  const isRunning = progress?.state === "running";
  // While the same file is read in another way its choices stay, and with them the focus.
  const read = latest?.of.file === chosen?.file ? latest : undefined;
  const isReading = latest?.of !== chosen;
  const contacts = read && "rows" in read.contacts ? read.contacts : undefined;
  const canImport = !isReading && (contacts?.rows.some((row) => "phone" in row) ?? false);
  const apply = async (next: Chosen) => {
    setChosen(next);
    setLatest(await readFile(next, country));
  };
  const choose = async (file: File | undefined) => {
    setProgress(undefined);
    setChosen(undefined);
    if (file) await apply({ file: { name: file.name, bytes: await bytesOf(file) }, choices: {} });
  };
  const start = async () => {
    if (!contacts || !canImport || isRunning) return;
    await importRows(contacts.rows, workspaceId, setProgress);
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
          disabled={isRunning}
          onChange={(event) => choose(event.target.files?.[0])}
          className="w-full min-w-0 rounded-control border border-control bg-page p-1.5 file:me-3 file:rounded-control file:border-0 file:bg-hairline file:px-3 file:py-1 file:text-ink"
        />
        <p className="text-sm text-muted">
          The file is read in this browser: of each row the number and the name are saved, and nothing else is sent.
          Existing contacts keep their contactId. A name in the file replaces the current one.
        </p>
      </div>
      <div role="status" className="empty:hidden">
        {chosen && isReading ? "Reading the file…" : null}
      </div>
      {read && "refusal" in read.contacts ? (
        <div role="alert">
          <Notice tone="bad">{read.contacts.refusal}</Notice>
        </div>
      ) : null}
      {chosen && read && contacts && !progress ? (
        <>
          {contacts.columns.length > 0 ? (
            <FileChoices
              contacts={contacts}
              countries={read.countries}
              onChoose={(choices) => apply({ ...chosen, choices: { ...chosen.choices, ...choices } })}
            />
          ) : null}
          <PreviewTable key={chosen.file.name} contacts={contacts} />
        </>
      ) : null}
      <Button icon="upload" className="justify-self-start" onClick={start} aria-disabled={!canImport || isRunning}>
        {isRunning ? "Importing…" : "Import"}
      </Button>
      {progress ? (
        <Outcome
          progress={progress}
          notes={contacts ? notesIn(contacts, progress) : []}
          fileName={chosen?.file.name ?? "contacts.csv"}
        />
      ) : null}
    </div>
  );
}

/** As much as is read of a file; none of one that was moved. */
async function bytesOf(file: File): Promise<Uint8Array> {
  const bytes = await file
    .slice(0, MAX_FILE_BYTES + 1)
    .arrayBuffer()
    .catch(() => undefined);
  return bytes ? new Uint8Array(bytes) : new Uint8Array();
}

/** What reads the file, with the plans of all countries' numbers, is loaded with the first file. */
async function readFile(of: Chosen, country: string | null): Promise<Read> {
  const [{ readContactFile }, { CALLING_CODES, diallingCountry }] = await Promise.all([
    import("@/lib/contacts/contact-file"),
    import("@/lib/contacts/file-phone"),
  ]);
  // "Reading" is shown first: a hundred thousand rows take a second.
  await new Promise((resolve) => setTimeout(resolve));
  const contacts = readContactFile(of.file, { line: diallingCountry(country), ...of.choices });
  return { of, contacts, countries: CALLING_CODES };
}

/** What was not imported of the rows that were sent. */
function notesIn({ rows }: ContactFile, { sentRows }: Progress): LeftOutRow[] {
  const sent = rows.filter((row) => "phone" in row).slice(0, sentRows);
  return sent.flatMap(({ row, name, phone, given, notes }) =>
    notes.length > 0 ? [{ row, name, given: given ?? `+${phone}`, reason: `Imported. ${notes.join(" ")}` }] : [],
  );
}

type OutcomeProps = { progress: Progress; notes: readonly LeftOutRow[]; fileName: string };

function Outcome({ progress, notes, fileName }: OutcomeProps) {
  const { state, sentRows, totalRows, failure } = progress;
  const reported = [...progress.faults, ...notes, ...progress.renames];
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
      {reported.length > 0 ? <Report rows={reported} fileName={fileName} /> : null}
      {state === "done" ? (
        <p>
          <TextLink href="/dashboard/contacts">Open the contacts</TextLink>
        </p>
      ) : null}
    </section>
  );
}

function Report({ rows, fileName }: { rows: readonly LeftOutRow[]; fileName: string }) {
  const download = () => {
    const lines = rows.map(({ row, name, given, reason }) => csvLine([row, name, given, reason]));
    saveFile(
      fileName.replace(/(\.\w+)?$/, "-left-out.csv"),
      "text/csv",
      csvLine(["row", "name", "phone", "reason"]) + lines.join(""),
    );
  };
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="font-semibold">Left out or replaced</h2>
        <Button icon="download" look="secondary" onClick={download}>
          Report as CSV
        </Button>
      </div>
      <DataTable
        caption="Left out or replaced"
        rows={rows.slice(0, MAX_SHOWN)}
        rowKey={({ row, reason }) => `${row} ${reason}`}
        columns={{
          Row: ({ row }) => row,
          Name: {
            className: "sm:min-w-36",
            cell: ({ name }) => <span dir="auto">{name ?? <Muted>No name</Muted>}</span>,
          },
          Phone: ({ given }) => <bdi>{given}</bdi>,
          Why: ({ reason }) => reason,
        }}
      />
      {rows.length > MAX_SHOWN ? (
        <p className="text-sm text-muted">
          And {formatNumber(rows.length - MAX_SHOWN)} more: they are all in the report.
        </p>
      ) : null}
    </div>
  );
}

/** Its numbers add up to the rows of the file, without headings and empty ones. */
function sumInWords({ created, renamed, unchanged, repeated, faults }: Progress): string {
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
}
