import { lexer, type MarkedToken, type Token, type Tokens } from "marked";
import type { ReactNode } from "react";
import { CallSnippets } from "@/app/_components/call-snippets";
import { CodeBlock } from "@/app/_components/code-block";
import { DataTable } from "@/app/_components/data-table";
import { InlineCode } from "@/app/_components/inline-code";
import { ANCHOR } from "@/lib/docs/markdown";
import { shownCalls } from "@/lib/docs/shown-calls";
import type { Caller } from "@/lib/snippets/snippets";
import { Inline, together } from "./inline";
import { FoldedOutline, Outline, type OutlineHeading } from "./outline";

type Props = {
  markdown: string;
  /** Whose key the calls carry. */
  caller: Caller;
};

/** A page of the docs: title and lead, the sections, and links to them. */
export function MarkdownArticle({ markdown, caller }: Props) {
  const tokens = lexer(markdown).filter(({ type }) => type !== "space");
  const [{ tokens: opening } = NOTHING, ...sections] = partsOf(tokens as MarkedToken[], 2);
  const [title, lead, ...rest] = opening;
  const outline = outlineOf(sections);
  return (
    <div className="grid grid-cols-1 gap-10 xl:grid-cols-[minmax(0,48rem)_12rem]">
      <article className="grid max-w-[48rem] min-w-0 grid-cols-1 content-start gap-10">
        <header>
          <h1 className="text-2xl font-semibold tracking-tight">{title?.type === "heading" ? title.text : null}</h1>
          <p className="mt-2 max-w-prose text-lg text-pretty text-muted">
            {lead?.type === "paragraph" ? <Inline tokens={lead.tokens} /> : null}
          </p>
          {outline.length > 0 ? <FoldedOutline headings={outline} /> : null}
        </header>
        {rest.length > 0 ? <div className={STACK}>{blocksOf(rest, "", caller)}</div> : null}
        {sections.map(({ id, title, tokens }) => (
          <section key={id} aria-labelledby={id} className="min-w-0 border-t border-hairline pt-8">
            <h2 id={id} className="text-xl font-semibold tracking-tight">
              <Anchored id={id} title={title} />
            </h2>
            <div className={`mt-3 ${STACK}`}>
              {together(partsOf(tokens, 3).map((part) => subsection(part, title, caller)))}
            </div>
          </section>
        ))}
      </article>
      {outline.length > 0 ? <Outline headings={outline} /> : null}
    </div>
  );
}

/** Fewer headings than this are seen at a glance. */
const LEAST_OUTLINED = 3;

const outlineOf = (sections: Part[]): OutlineHeading[] => {
  const headings = sections.flatMap(({ id, title, tokens }) => [
    { id, title, depth: 2 as const },
    ...partsOf(tokens, 3).flatMap((part) => (part.id ? [{ id: part.id, title: part.title, depth: 3 as const }] : [])),
  ]);
  return headings.length < LEAST_OUTLINED ? [] : headings;
};

const STACK = "grid grid-cols-1 gap-4 [&>p]:max-w-prose [&>ul.list-disc]:max-w-prose";

type Part = { id: string; title: string; tokens: MarkedToken[] };

const NOTHING: Part = { id: "", title: "", tokens: [] };

/** What stands under each heading of a depth; the first part is what stands above them. */
const partsOf = (tokens: MarkedToken[], depth: number): Part[] => {
  const parts: Part[] = [{ ...NOTHING, tokens: [] }];
  for (const token of tokens) {
    if (token.type === "heading" && token.depth === depth) {
      const [, id = ""] = ANCHOR.exec(token.text) ?? [];
      parts.push({ id, title: token.text.replace(ANCHOR, ""), tokens: [] });
    } else parts.at(-1)?.tokens.push(token);
  }
  return parts;
};

const subsection = ({ id, title, tokens }: Part, section: string, caller: Caller): ReactNode => {
  const [{ tokens: shown } = NOTHING, ...folded] = partsOf(tokens, 4);
  return (
    <>
      {title === "" ? null : (
        <h3 id={id} className="mt-2 text-lg font-semibold">
          <Anchored id={id} title={title} />
        </h3>
      )}
      {blocksOf(shown, title || section, caller)}
      {folded.length > 0 ? (
        <div className="divide-y divide-hairline rounded-card border border-hairline">
          {folded.map((part) => (
            <details key={part.title} className="px-4 py-2.5">
              <summary className="rounded-sm text-sm break-words text-muted pointer-coarse:py-2.5">
                <InlineCode text={part.title} />
              </summary>
              <div className="mt-3 grid grid-cols-1 gap-3 pb-2">{blocksOf(part.tokens, part.title, caller)}</div>
            </details>
          ))}
        </div>
      ) : null}
    </>
  );
};

/** A heading is its own link, to be copied. */
function Anchored({ id, title }: { id: string; title: string }) {
  return (
    <a href={`#${id}`} className="group rounded-sm hover:underline hover:decoration-1 hover:underline-offset-4">
      <InlineCode text={title} />
      <span aria-hidden="true" className="ms-2 font-normal text-muted opacity-0 group-hover:opacity-100">
        #
      </span>
    </a>
  );
}

/** `about` names the tables for readers who cannot see where they stand. */
const blocksOf = (tokens: MarkedToken[], about: string, caller: Caller): ReactNode =>
  together(
    tokens.map((token, index) => {
      if (token.type === "code") return codeOf(token, captionOf(tokens[index - 1]) ?? about, caller);
      const isCaption = tokens[index + 1]?.type === "code" && captionOf(token) !== undefined;
      return isCaption ? null : blockOf(token, about);
    }),
  );

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

/** A paragraph above code that is bold as a whole is its caption. */
const captionOf = (token: MarkedToken | undefined): string | undefined => {
  if (token?.type !== "paragraph") return undefined;
  const [first, ...others] = token.tokens as MarkedToken[];
  return first?.type === "strong" && others.length === 0 ? first.text : undefined;
};

const codeOf = ({ lang = "", text }: Tokens.Code, caption: string, caller: Caller): ReactNode => {
  const shown = shownCalls(caller.origin).find(({ label }) => label === caption);
  if (shown) return <CallSnippets label={caption} call={shown.call} caller={caller} />;
  return <CodeBlock label={caption} code={text} canCopy={!IS_RESPONSE.has(lang)} />;
};

/** Languages of what is read rather than run. */
const IS_RESPONSE = new Set(["json", "http"]);

function Bullets({ list }: { list: Tokens.List }) {
  return (
    <ul className="grid list-disc gap-1.5 ps-5 marker:text-control">
      {list.items.map((item) => (
        <li key={item.raw} id={idOf(item)}>
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
      {list.items.map((item) => {
        const [term, definition] = paragraphsOf(item);
        return (
          <li
            key={item.raw}
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
  item.tokens.flatMap((token: Token) => ("tokens" in token ? [<Inline key={token.raw} tokens={token.tokens} />] : []));

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
