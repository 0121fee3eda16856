import { useState } from "react";
import { Button } from "@/app/_components/button";
import { Choice } from "@/app/_components/choice";
import { DataTable, Notice } from "@/app/_components/panels";
import { Muted } from "@/app/_components/text";
import type { ContactFile } from "@/lib/contacts/contact-file";
import { countryName } from "@/lib/core/country-name";
import { formatNumber } from "@/lib/core/text";

type Row = ContactFile["rows"][number];

const PER_PAGE = 10;
const WORDS = {
  all: "All rows",
  guessed: "Guessed numbers",
  repeated: "Repeated",
  refused: "No marketing",
  out: "Left out",
};

/** Every row of a file as it will be imported, or why it will not be. */
export function PreviewTable({ contacts }: { contacts: ContactFile }) {
  const { rows, columns, country, countries } = contacts;
  const [shown, setShown] = useState<keyof typeof WORDS>("all");
  const [page, setPage] = useState(0);
  const people = rows.filter((row) => "phone" in row);
  const guessed = people.filter(({ given, from }) => given !== null || from !== null);
  const others = guessed.filter(({ from }) => from !== null);
  const out = rows.filter((row) => "reason" in row);
  const repeated = people.filter(({ sameAs }) => sameAs !== null);
  const refused = people.filter(({ isRefused }) => isRefused);
  const kinds = { guessed, repeated, refused, out };
  const some: readonly Row[] = { all: rows, ...kinds }[shown];
  const counted = (["guessed", "repeated", "refused", "out"] as const).flatMap((kind) =>
    kinds[kind].length > 0 ? [[kind, `${WORDS[kind]} (${formatNumber(kinds[kind].length)})`]] : [],
  );
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
      <ConsentNotice contacts={contacts} />
      {counted.length > 0 ? (
        <Choice
          label="Rows to show"
          value={shown}
          options={{ all: WORDS.all, ...Object.fromEntries(counted) }}
          onChange={(next: keyof typeof WORDS) => {
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
            Name: {
              className: "sm:min-w-48",
              cell: ({ name }) => <span dir="auto">{name ?? <Muted>No name</Muted>}</span>,
            },
          }}
        />
      ) : null}
      <PreviewPager page={Math.min(page, last)} last={last} rows={some.length} onTurn={setPage} />
    </section>
  );
}

/** What the file says of who accepts marketing, which no import decides. */
function ConsentNotice({ contacts: { columns, refused } }: { contacts: ContactFile }) {
  if (refused.size === 0) return null;
  const counts = [...refused].map(([index, rows]) => `“${columns[index]?.heading}” (no in ${rowsInWords(rows)})`);
  return (
    <Notice tone="caution">
      The file says who accepts marketing: {counts.join(", ")}. That is not imported: a contact keeps only a stop that
      its person sent or set in WhatsApp. Send no marketing templates to those who do not accept it.
    </Notice>
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
      {row.notes.map((note) => (
        <span key={note} className="text-sm text-caution">
          {note}
        </span>
      ))}
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
