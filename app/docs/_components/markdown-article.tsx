import { lexer, type MarkedToken } from "marked";
import type { ReactNode } from "react";
import { Anchored, Blocks, Inline, type Part, partsOf, STACK, Subsection, withoutCode } from "./markdown-blocks";
import { FoldedOutline, Outline, type OutlineHeading } from "./outline";

type Props = {
  markdown: string;
  /** By anchors of sections that show their code beside their text: what follows the first code. */
  asides?: Readonly<Record<string, ReactNode>>;
};

/** A page of the docs: title and lead, the sections, and links to them. */
export function MarkdownArticle({ markdown, asides = {} }: Props) {
  const tokens = lexer(markdown).filter(({ type }) => type !== "space");
  const [{ tokens: opening }, ...sections] = partsOf(tokens as MarkedToken[], 2);
  const [title, lead, ...rest] = opening;
  const outline = outlineOf(sections);
  const isWide = Object.keys(asides).length > 0;
  return (
    <div
      className={`grid grid-cols-1 gap-10 ${isWide ? "2xl:grid-cols-[minmax(0,1fr)_12rem]" : "justify-between xl:grid-cols-[minmax(0,48rem)_12rem]"}`}
    >
      <article
        className={`grid min-w-0 grid-cols-1 content-start gap-10 *:min-w-0 ${isWide ? "*:max-w-[48rem] *:data-wide:max-w-none" : "max-w-[48rem]"}`}
      >
        <header>
          <h1 className="text-xl font-bold tracking-tight">{title?.type === "heading" ? title.text : null}</h1>
          <p className="mt-2 max-w-prose text-pretty text-muted">
            {lead?.type === "paragraph" ? <Inline tokens={lead.tokens} /> : null}
          </p>
          {outline.length > 0 ? <FoldedOutline headings={outline} isWide={isWide} /> : null}
        </header>
        {rest.length > 0 ? (
          <div className={STACK}>
            <Subsection part={{ id: "", title: "", tokens: rest }} section="" />
          </div>
        ) : null}
        {sections.map((section) =>
          section.id in asides ? (
            <OperationSection key={section.id} section={section} aside={asides[section.id]} />
          ) : (
            <section key={section.id} aria-labelledby={section.id} className="border-t border-hairline pt-8">
              <h2 id={section.id} className="text-lg font-semibold tracking-tight">
                <Anchored id={section.id} title={section.title} />
              </h2>
              <div className={`mt-3 ${STACK}`}>
                {partsOf(section.tokens, 3).map((part) => (
                  <Subsection key={part.id} part={part} section={section.title} />
                ))}
              </div>
            </section>
          ),
        )}
      </article>
      {outline.length > 0 ? <Outline headings={outline} isWide={isWide} /> : null}
    </div>
  );
}

/** Fewer headings than this are seen at a glance. */
const MIN_OUTLINED = 3;

function outlineOf(sections: Part[]): OutlineHeading[] {
  const headings = sections.flatMap(({ id, title, tokens }) => [
    { id, title, depth: 2 as const },
    ...partsOf(tokens, 3).flatMap((part) => (part.id ? [{ id: part.id, title: part.title, depth: 3 as const }] : [])),
  ]);
  return headings.length < MIN_OUTLINED ? [] : headings;
}

/** An endpoint: its fields, and beside them, if there is room, their requests and responses. */
function OperationSection({ section: { id, title, tokens }, aside }: { section: Part; aside: ReactNode }) {
  return (
    <section aria-labelledby={id} data-wide className="grid grid-cols-1 gap-8 border-t border-hairline pt-8">
      {rowsOf(partsOf(tokens, 3)).map(({ parts, code }, index) => (
        <div key={parts[0]?.id} className="grid grid-cols-1 items-start gap-x-8 gap-y-4 xl:grid-cols-2">
          <div className={`min-w-0 ${STACK}`}>
            {index === 0 ? (
              <h2 id={id} className="text-lg font-semibold tracking-tight">
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

function rowsOf(parts: readonly Part[]): Row[] {
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
}
