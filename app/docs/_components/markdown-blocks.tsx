import type { MarkedToken, Token, Tokens } from "marked";
import { Fragment, type ReactNode } from "react";
import { DataTable } from "@/app/_components/data-table";
import { InlineCode } from "@/app/_components/inline-code";
import { ANCHOR } from "@/lib/docs/markdown";
import { CodeGroup } from "./code-group";
import { Inline } from "./inline";
import { captionOf, type Part, partsOf } from "./markdown-parts";

export const STACK = "grid grid-cols-1 gap-4 [&>p]:max-w-prose [&>ul.list-disc]:max-w-prose";

type SubsectionProps = {
  part: Part;
  /** Names the tables where the part has no heading of its own. */
  section: string;
};

/** A heading of the third level with what stands below it. */
export function Subsection({ part: { id, title, tokens }, section }: SubsectionProps) {
  const [{ tokens: shown }, ...folded] = partsOf(tokens, 4);
  return (
    <>
      {title === "" ? null : (
        <h3 id={id} className="mt-2 text-lg font-semibold">
          <Anchored id={id} title={title} />
        </h3>
      )}
      <Blocks tokens={shown} about={title || section} />
      {folded.length > 0 ? (
        <div className="divide-y divide-hairline rounded-card border border-hairline">
          {folded.map((part) => (
            <details key={part.title} className="px-4 py-2.5">
              <summary className="rounded-sm text-sm break-words text-muted pointer-coarse:py-2.5">
                <InlineCode text={part.title} />
              </summary>
              <div className="mt-3 grid grid-cols-1 gap-3 pb-2">
                <Blocks tokens={part.tokens} about={part.title} />
              </div>
            </details>
          ))}
        </div>
      ) : null}
    </>
  );
}

/** A heading is its own link, to be copied. */
export function Anchored({ id, title }: { id: string; title: string }) {
  return (
    <a href={`#${id}`} className="group rounded-sm hover:underline hover:decoration-1 hover:underline-offset-4">
      <InlineCode text={title} />
      <span aria-hidden="true" className="ms-2 font-normal text-muted opacity-0 group-hover:opacity-100">
        #
      </span>
    </a>
  );
}

type BlocksProps = {
  tokens: readonly MarkedToken[];
  /** Names the tables for readers who cannot see where they stand. */
  about: string;
};

/** Paragraphs, lists, tables and code. Code blocks that follow each other are one call in several languages. */
export function Blocks({ tokens, about }: BlocksProps) {
  return tokens.map((token, index) => {
    const before = tokens[index - 1];
    if (token.type === "code") {
      if (before?.type === "code") return null;
      const end = tokens.findIndex(({ type }, at) => at > index && type !== "code");
      const codes = tokens.slice(index, end === -1 ? undefined : end) as Tokens.Code[];
      // biome-ignore lint/suspicious/noArrayIndexKey: the blocks of a text never move
      return <CodeGroup key={index} caption={captionOf(before) ?? about} codes={codes} />;
    }
    const isCaption = tokens[index + 1]?.type === "code" && captionOf(token) !== undefined;
    // biome-ignore lint/suspicious/noArrayIndexKey: the blocks of a text never move
    return isCaption ? null : <Fragment key={index}>{blockOf(token, about)}</Fragment>;
  });
}

const blockOf = (token: MarkedToken, about: string): ReactNode => {
  switch (token.type) {
    case "paragraph":
      return (
        <p>
          <Inline tokens={token.tokens} />
        </p>
      );
    case "list":
      return token.loose ? <Terms list={token} /> : <Bullets list={token} />;
    case "table":
      return <MarkdownTable table={token} caption={about} />;
    default:
      throw new Error(`the docs have no ${token.type}: ${token.raw}`);
  }
};

function Bullets({ list }: { list: Tokens.List }) {
  return (
    <ul className="grid list-disc gap-1.5 ps-5 marker:text-control">
      {list.items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the items of a text never move
        <li key={index} id={idOf(item)}>
          {paragraphsOf(item)}
        </li>
      ))}
    </ul>
  );
}

/** A list whose items are paragraphs: terms, each above its definition; as cards where the terms are links. */
function Terms({ list }: { list: Tokens.List }) {
  const hasLinks = list.items.every(({ text }) => text.startsWith("["));
  return (
    <ul
      className={
        hasLinks ? "grid gap-3 sm:grid-cols-2" : "divide-y divide-hairline rounded-card border border-hairline"
      }
    >
      {list.items.map((item, index) => {
        const [term, definition] = paragraphsOf(item);
        return (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: the items of a text never move
            key={index}
            id={idOf(item)}
            className={hasLinks ? "rounded-card border border-hairline bg-surface p-4" : "px-4 py-2.5"}
          >
            <p className="text-muted [&>a]:font-semibold [&>code]:font-semibold [&>code]:text-ink [&>strong]:font-medium [&>strong]:text-bad">
              {term}
            </p>
            <p className={hasLinks ? "mt-1 text-muted" : "mt-0.5 max-w-prose"}>{definition}</p>
          </li>
        );
      })}
    </ul>
  );
}

const paragraphsOf = (item: Tokens.ListItem): ReactNode[] =>
  item.tokens.flatMap((token: Token, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the paragraphs of a text never move
    "tokens" in token ? [<Inline key={index} tokens={token.tokens} />] : [],
  );

const idOf = (item: Tokens.ListItem): string | undefined => ANCHOR.exec(item.text.split("\n", 1)[0] ?? "")?.[1];

function MarkdownTable({ table, caption }: { table: Tokens.Table; caption: string }) {
  const [first, ...others] = table.header.map(({ text }, column) => ({
    heading: text,
    cell: (row: Tokens.TableCell[]) => <Inline tokens={row[column]?.tokens} />,
  }));
  if (!first) return null;
  const rowKey = (row: Tokens.TableCell[]) => row.map(({ text }) => text).join();
  return <DataTable caption={caption} columns={[first, ...others]} rows={table.rows} rowKey={rowKey} />;
}
