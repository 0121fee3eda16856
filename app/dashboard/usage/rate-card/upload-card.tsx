"use client";

import { useState } from "react";
import { Button } from "@/app/_components/button";
import { ActionForm, SubmitButton } from "@/app/_components/form";
import { DataTable, Notice } from "@/app/_components/panels";
import { csvLine } from "@/lib/core/csv";
import type { RowFault } from "@/lib/core/csv-rows";
import { decodeText, formatNumber } from "@/lib/core/text";
import { encodingOf } from "@/lib/core/text-file";
import { saveFile } from "../../_components/save-file";
import { uploadRateCard } from "./actions";

const MAX_SHOWN = 20;

/** `budgetRemoved`: the currency of a budget that the new prices lack. */
type Outcome = { prices: number; faults: RowFault[]; budgetRemoved: string | null };

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

function saveReport(faults: readonly RowFault[]): void {
  const lines = [csvLine(["row", "reason"]), ...faults.map(({ row, reason }) => csvLine([row, reason]))];
  saveFile("rate-card-rows-to-fix.csv", "text/csv", lines.join(""));
}

function Faults({ faults }: { faults: RowFault[] }) {
  const rows = faults.length === 1 ? "One row has" : `${formatNumber(faults.length)} rows have`;
  return (
    <section aria-label="Rows to fix" className="grid gap-3">
      <div role="alert">
        <Notice tone="bad">{rows} to be fixed. Nothing was saved. Fix the file and upload it again.</Notice>
      </div>
      <Button icon="download" look="secondary" className="justify-self-start" onClick={() => saveReport(faults)}>
        Report as CSV
      </Button>
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
