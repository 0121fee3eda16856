import type { MarkedToken, Token, Tokens } from "marked";
import { createElement, Fragment, type ReactNode } from "react";
import { TextLink } from "@/app/_components/link";
import { DataTable } from "@/app/_components/panels";
import { InlineCode, StatusChip, Unbroken } from "@/app/_components/text";
import { ANCHOR } from "@/lib/docs/markdown";
import { CodeGroup } from "./code-group";
import { RetryChip } from "./retry-chip";

export const STACK = "grid grid-cols-1 gap-4 [&>p]:max-w-prose [&>ul.list-disc]:max-w-prose";

type SubsectionProps = {
  part: Part;
  /** Names the tables where the part has no heading of its own. */
  section: string;
};

/** A heading of the third level with its text. */
export function Subsection({ part: { id, title, tokens }, section }: SubsectionProps) {
  const [{ tokens: shown }, ...folded] = partsOf(tokens, 4);
  return (
    <>
      {title === "" ? null : (
        <h3 id={id} className="mt-2 text-base font-semibold">
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
  /** Names the tables for readers who cannot see their heading. */
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

function blockOf(token: MarkedToken, about: string): ReactNode {
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
}

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
  const columns = Object.fromEntries(
    table.header.map(({ text }, column) => [
      text,
      (row: Tokens.TableCell[]) => <Inline tokens={row[column]?.tokens} />,
    ]),
  );
  const rowKey = (row: Tokens.TableCell[]) => row.map(({ text }) => text).join();
  return <DataTable caption={caption} columns={columns} rows={table.rows} rowKey={rowKey} />;
}

/** A run of text: code, links, bold, and chips. */
export function Inline({ tokens = [] }: { tokens?: Token[] }) {
  return together(tokens.map((token) => inline(token as MarkedToken)));
}

function inline(token: MarkedToken): ReactNode {
  switch (token.type) {
    case "codespan":
      return <InlineCode text={`\`${token.text}\``} />;
    case "strong":
      return (
        <strong className="font-semibold">
          <Inline tokens={token.tokens} />
        </strong>
      );
    case "em":
      return chipOf(token.text);
    case "link":
      return linkTo(token.href, <Inline tokens={token.tokens} />);
    case "text":
    case "escape":
      return <Unbroken text={token.text.replace(ANCHOR, "")} />;
    default:
      throw new Error(`the docs have no ${token.type} in their text: ${token.raw}`);
  }
}

/** Emphasis marks what the product shows as a chip: the advice on a retry, or the status of a message. */
function chipOf(word: string): ReactNode {
  const advice = ADVICE[word];
  return advice ? <RetryChip advice={advice} /> : <StatusChip status={word.toUpperCase()} />;
}

const ADVICE: Record<string, "yes" | "no" | "sometimes"> = { Yes: "yes", No: "no", "It depends": "sometimes" };

/** Files are plain links, because the router cannot open them. */
function linkTo(href: string, words: ReactNode): ReactNode {
  if (/\.\w+$/.test(href)) {
    return (
      <a href={href} className="rounded-sm text-link underline decoration-1 underline-offset-2 hover:decoration-2">
        {words}
      </a>
    );
  }
  return <TextLink href={href}>{words}</TextLink>;
}

/** Children that never move need no keys. */
function together(nodes: ReactNode[]): ReactNode {
  return createElement(Fragment, null, ...nodes);
}

export type Part = { id: string; title: string; tokens: MarkedToken[] };

/** The text under each heading of a depth; the first part is the text above them. */
export function partsOf(tokens: readonly MarkedToken[], depth: number): [Part, ...Part[]] {
  const parts: [Part, ...Part[]] = [{ id: "", title: "", tokens: [] }];
  for (const token of tokens) {
    if (token.type === "heading" && token.depth === depth) {
      const [, id = ""] = ANCHOR.exec(token.text) ?? [];
      parts.push({ id, title: token.text.replace(ANCHOR, ""), tokens: [] });
    } else parts.at(-1)?.tokens.push(token);
  }
  return parts;
}

/** A paragraph above code that is bold as a whole is its caption. */
function captionOf(token: MarkedToken | undefined): string | undefined {
  if (token?.type !== "paragraph") return undefined;
  const [first, ...others] = token.tokens as MarkedToken[];
  return first?.type === "strong" && others.length === 0 ? first.text : undefined;
}

/** The code of a part with its captions, and the rest. What is folded up stays with the rest. */
export function withoutCode(tokens: readonly MarkedToken[]): { text: MarkedToken[]; code: MarkedToken[] } {
  const [shown, ...folded] = partsOf(tokens, 4);
  const isCode = (token: MarkedToken, index: number) =>
    token.type === "code" || (captionOf(token) !== undefined && shown.tokens[index + 1]?.type === "code");
  const end = folded.length === 0 ? tokens.length : shown.tokens.length;
  const top = tokens.slice(0, end);
  return {
    text: [...top.filter((token, index) => !isCode(token, index)), ...tokens.slice(end)],
    code: top.filter(isCode),
  };
}
