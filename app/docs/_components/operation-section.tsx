import type { MarkedToken } from "marked";
import type { ReactNode } from "react";
import { Anchored, Blocks, STACK, Subsection } from "./markdown-blocks";
import { type Part, partsOf, withoutCode } from "./markdown-parts";

type Props = { section: Part; aside: ReactNode };

/** An endpoint: its fields, and beside them, where there is room, the requests and responses that they belong to. */
export function OperationSection({ section: { id, title, tokens }, aside }: Props) {
  return (
    <section aria-labelledby={id} data-wide className="grid grid-cols-1 gap-8 border-t border-hairline pt-8">
      {rowsOf(partsOf(tokens, 3)).map(({ parts, code }, index) => (
        <div key={parts[0]?.id} className="grid grid-cols-1 items-start gap-x-8 gap-y-4 xl:grid-cols-2">
          <div className={`min-w-0 ${STACK}`}>
            {index === 0 ? (
              <h2 id={id} className="text-xl font-semibold tracking-tight">
                <Anchored id={id} title={title} />
              </h2>
            ) : null}
            {parts.map((part) => (
              <Subsection key={part.id} part={part} section={title} />
            ))}
          </div>
          <div className="grid min-w-0 grid-cols-1 gap-4 xl:not-has-data-open:sticky xl:top-8">
            <Blocks tokens={code} about={title} />
            {index === 0 ? aside : null}
          </div>
        </div>
      ))}
    </section>
  );
}

/** Parts of the text, and the code that follows the last of them. */
type Row = { parts: Part[]; code: MarkedToken[] };

const rowsOf = (parts: readonly Part[]): Row[] => {
  const rows: Row[] = [];
  let row: Row = { parts: [], code: [] };
  for (const part of parts) {
    const { text, code } = withoutCode(part.tokens);
    row = { parts: [...row.parts, { ...part, tokens: text }], code };
    if (code.length === 0) continue;
    rows.push(row);
    row = { parts: [], code: [] };
  }
  return row.parts.length > 0 ? [...rows, row] : rows;
};
