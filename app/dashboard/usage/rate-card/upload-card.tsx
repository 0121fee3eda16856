"use client";

import { useState } from "react";
import { ActionForm, SubmitButton } from "@/app/_components/form";
import { DataTable, Notice } from "@/app/_components/panels";
import { Muted } from "@/app/_components/text";
import type { RowFault } from "@/lib/core/csv-rows";
import { formatNumber } from "@/lib/core/text";
import { decodeText, encodingOf } from "@/lib/core/text-file";
import type { CardRow } from "@/lib/costs/rate-card";
import { uploadRateCard } from "./actions";

const MAX_SHOWN = 20;
const MAX_ROWS_SHOWN = 100;

/** `budgetRemoved`: the currency of a budget that the new prices lack. */
type Outcome = { prices: number; rows: CardRow[]; faults: RowFault[]; budgetRemoved: string | null };

/** The file is read here, so that what is wrong with a row can be said at the row. */
export function UploadCard({ maxCharacters }: { maxCharacters: number }) {
  const [card, setCard] = useState("");
  const [outcome, setOutcome] = useState<Outcome>();
  const choose = async (file: File | undefined) => {
    setOutcome(undefined);
    const bytes = new Uint8Array((await file?.slice(0, 4 * maxCharacters).arrayBuffer()) ?? []);
    // The server refuses what is longer, and says why.
    setCard(decodeText(bytes, encodingOf(bytes)).slice(0, maxCharacters + 1));
  };
  /** The form forgets its file once that was sent, and so does this. */
  const finish = (done: Outcome) => {
    setCard("");
    setOutcome(done);
  };
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <ActionForm action={uploadRateCard} fields={{ card }} onDone={finish}>
        <div className="grid grid-cols-[minmax(0,1fr)] gap-1">
          <label htmlFor="card-file" className="font-medium">
            File
          </label>
          <input
            id="card-file"
            type="file"
            accept=".csv,.txt,text/csv,text/plain"
            onChange={(event) => choose(event.target.files?.[0])}
            className="w-full min-w-0 rounded-control border border-control bg-page p-1.5 file:me-3 file:rounded-control file:border-0 file:bg-hairline file:px-3 file:py-1 file:text-ink"
          />
          <p className="text-sm text-muted">
            CSV: WhatsApp’s price list as it is, or a row for each price. It replaces the prices from its first day on.
            Those of the days before stay.
          </p>
        </div>
        <SubmitButton icon="upload" busy="Uploading…" className="justify-self-start" aria-disabled={card === ""}>
          Upload
        </SubmitButton>
      </ActionForm>
      <div role="status">{outcome && outcome.faults.length === 0 ? <Saved {...outcome} /> : null}</div>
      {outcome && outcome.rows.length > 0 ? <Rows rows={outcome.rows} /> : null}
      {outcome && outcome.faults.length > 0 ? <Faults faults={outcome.faults} /> : null}
    </div>
  );
}

function Saved({ prices, budgetRemoved }: Outcome) {
  const counted = prices === 1 ? "1 price" : `${formatNumber(prices)} prices`;
  return (
    <div className="grid gap-3">
      <Notice tone="good">Saved: {counted}. A region counts once for each of its countries.</Notice>
      {budgetRemoved ? (
        <Notice tone="bad">The budget was removed: no price of today or later is in {budgetRemoved}.</Notice>
      ) : null}
    </div>
  );
}

/** What became of each row, those that were left out first. */
function Rows({ rows }: { rows: CardRow[] }) {
  const shown = rows.toSorted((one, other) => Number(one.isRead) - Number(other.isRead) || one.row - other.row);
  return (
    <section aria-label="Rows of the file" className="grid gap-3">
      <DataTable
        caption="What each row was read as"
        rows={shown.slice(0, MAX_ROWS_SHOWN)}
        rowKey={({ row }) => `${row}`}
        columns={{
          Row: { className: "sm:w-16", cell: ({ row }) => row },
          Market: { className: "sm:w-40", cell: ({ given }) => <span className="wrap-anywhere">{given}</span> },
          "Read as": ({ isRead, outcome }) => (isRead ? outcome : <Muted>Left out. {outcome}</Muted>),
        }}
      />
      {rows.length > MAX_ROWS_SHOWN ? (
        <p className="text-sm text-muted">And {formatNumber(rows.length - MAX_ROWS_SHOWN)} more.</p>
      ) : null}
    </section>
  );
}

function Faults({ faults }: { faults: RowFault[] }) {
  const rows = faults.length === 1 ? "One row has" : `${formatNumber(faults.length)} rows have`;
  return (
    <section aria-label="Rows to fix" className="grid gap-3">
      <div role="alert">
        <Notice tone="bad">{rows} to be fixed. Nothing was saved. Fix the file and upload it again.</Notice>
      </div>
      <DataTable
        caption="Rows to fix"
        rows={faults.slice(0, MAX_SHOWN)}
        rowKey={({ row, reason }) => `${row} ${reason}`}
        columns={{ Row: { className: "sm:w-16", cell: ({ row }) => row }, Why: ({ reason }) => reason }}
      />
      {faults.length > MAX_SHOWN ? (
        <p className="text-sm text-muted">And {formatNumber(faults.length - MAX_SHOWN)} more.</p>
      ) : null}
    </section>
  );
}
