import { useState } from "react";
import { Button } from "@/app/_components/button";
import { Choice } from "@/app/_components/choice";
import { DataTable } from "@/app/_components/panels";
import { Muted } from "@/app/_components/text";
import type { ContactFile } from "@/lib/contacts/contact-file";
import { countryName } from "@/lib/core/country-name";
import { formatNumber } from "@/lib/core/text";

type Row = ContactFile["rows"][number];

const PER_PAGE = 10;
const WORDS = { all: "All rows", guessed: "Guessed numbers", repeated: "Repeated", out: "Left out" };

/** Every row of a file as it will be imported, or why it will not be. */
export function PreviewTable({ contacts: { rows, columns, country, countries } }: { contacts: ContactFile }) {
  const [shown, setShown] = useState<keyof typeof WORDS>("all");
  const [page, setPage] = useState(0);
  const guessed = rows.filter((row) => "given" in row && (row.given !== null || row.from !== null));
  const others = guessed.filter((row) => "from" in row && row.from !== null);
  const out = rows.filter((row) => "reason" in row);
  const repeated = rows.filter((row) => "sameAs" in row && row.sameAs !== null);
  const some = { all: rows, guessed, repeated, out }[shown];
  const last = Math.max(0, Math.ceil(some.length / PER_PAGE) - 1);
  const at = Math.min(page, last) * PER_PAGE;
  return (
    <section aria-label="Preview" className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <p role="status" className="text-muted">
        {sumInWords({ rows: rows.length, out: out.length })}
      </p>
      {guessed.length > 0 ? (
        <p>
          {formatNumber(guessed.length)} {guessed.length === 1 ? "number is" : "numbers are"} guessed from the cell
          {ofCountries(country, countries.length > 0)}.{" "}
          {others.length > 0
            ? `${formatNumber(others.length)} from another column than the phone’s, which may be another person’s. `
            : ""}
          Check before you import.
        </p>
      ) : null}
      {repeated.length > 0 ? (
        <p>
          {repeated.length === 1 ? "1 row repeats a number" : `${formatNumber(repeated.length)} rows repeat a number`}{" "}
          of a row before. Each number is saved once, with the name in its last row.
        </p>
      ) : null}
      {guessed.length + repeated.length + out.length > 0 ? (
        <Choice
          label="Rows to show"
          value={shown}
          options={{
            all: WORDS.all,
            ...(guessed.length > 0 ? { guessed: `${WORDS.guessed} (${formatNumber(guessed.length)})` } : {}),
            ...(repeated.length > 0 ? { repeated: `${WORDS.repeated} (${formatNumber(repeated.length)})` } : {}),
            ...(out.length > 0 ? { out: `${WORDS.out} (${formatNumber(out.length)})` } : {}),
          }}
          onChange={(next) => {
            setShown(next);
            setPage(0);
          }}
        />
      ) : null}
      {some.length > 0 ? (
        <DataTable
          caption="Rows as they will be imported"
          rows={some.slice(at, at + PER_PAGE)}
          rowKey={({ row }: Row) => `${row}`}
          columns={{
            Row: { className: "sm:w-16", cell: ({ row }) => <Muted>{row}</Muted> },
            Phone: (row) => <Phone row={row} columns={columns} />,
            Name: (row) => ("reason" in row ? "–" : <span dir="auto">{row.name ?? <Muted>No name</Muted>}</span>),
          }}
        />
      ) : null}
      <PreviewPager page={Math.min(page, last)} last={last} rows={some.length} onTurn={setPage} />
    </section>
  );
}

type PagerProps = { page: number; last: number; rows: number; onTurn: (page: number) => void };

function PreviewPager({ page, last, rows, onTurn }: PagerProps) {
  if (last === 0) return null;
  const at = page * PER_PAGE;
  return (
    <nav aria-label="Rows of the preview" className="flex flex-wrap items-center gap-2 text-sm">
      <Button look="secondary" size="small" disabled={page === 0} onClick={() => onTurn(page - 1)}>
        Previous
      </Button>
      <Button look="secondary" size="small" disabled={page === last} onClick={() => onTurn(page + 1)}>
        Next
      </Button>
      <span className="text-muted tabular-nums">
        {formatNumber(at + 1)} to {formatNumber(Math.min(at + PER_PAGE, rows))} of {formatNumber(rows)}
      </span>
    </nav>
  );
}

function Phone({ row, columns }: { row: Row; columns: ContactFile["columns"] }) {
  if ("reason" in row) return <span className="text-danger">{row.reason}</span>;
  return (
    <span className="grid">
      <span>+{row.phone}</span>
      {row.given === null ? null : (
        <span className="text-sm text-caution">
          Guessed from <bdi>{row.given}</bdi>
        </span>
      )}
      {row.from === null ? null : (
        <span className="text-sm text-caution">
          From <bdi>{columns[row.from]?.heading}</bdi>
        </span>
      )}
      {row.sameAs === null ? null : <span className="text-sm text-muted">As in row {row.sameAs}</span>}
    </span>
  );
}

function ofCountries(country: string | null, isNamed: boolean): string {
  const places = [...(isNamed ? ["the country that the row names"] : []), ...(country ? [countryName(country)] : [])];
  return places.length > 0 ? `, national ones as of ${places.join(", else of ")}` : "";
}

function sumInWords({ rows, out }: { rows: number; out: number }): string {
  if (rows === 0) return "No rows found. Choose a CSV file with a phone number in each row.";
  const leftOut = out > 0 ? `, ${formatNumber(out)} to leave out` : "";
  return `${rowsInWords(rows)}, ${formatNumber(rows - out)} to import${leftOut}. Nothing is saved yet.`;
}

export function rowsInWords(rows: number): string {
  return `${formatNumber(rows)} ${rows === 1 ? "row" : "rows"}`;
}
