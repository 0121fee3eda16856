import { type PageCursor, writeCursor } from "@/lib/core/keyset-page";
import { ButtonLink } from "./button";
import { Icon } from "./icon";
import { Link, TextLink } from "./link";
import { EmptyState } from "./panels";

type TimePagerProps = {
  page: { newer?: PageCursor | undefined; older?: PageCursor | undefined };
  /** The list's address at a place. */
  at: (place: Record<string, string>) => string;
};

/** Newer and older pages of a list by time. */
export function TimePager({ page: { newer, older }, at }: TimePagerProps) {
  return (
    <Pager
      newer={newer && at({ newer: writeCursor(newer) })}
      older={older && at({ older: writeCursor(older) })}
      words={{ newer: "Newer", older: "Older" }}
    />
  );
}

type Props = {
  newer: string | undefined;
  older: string | undefined;
  words: { newer: string; older: string };
};

/** An absent address is no page. */
export function Pager({ newer, older, words }: Props) {
  if (!newer && !older) return null;
  return (
    <nav aria-label="Pages" className="mt-4 flex justify-between gap-3">
      {newer ? (
        <ButtonLink icon="arrowLeft" look="secondary" href={newer}>
          {words.newer}
        </ButtonLink>
      ) : (
        <span />
      )}
      {older ? (
        <ButtonLink look="secondary" href={older}>
          {words.older}
          <Icon name="arrowRight" />
        </ButtonLink>
      ) : null}
    </nav>
  );
}

/** In place of a page beyond the last row, such as one from an old link. */
export function BeyondTheEnd({ of, newest }: { of: string; newest: string }) {
  return (
    <EmptyState title={`No older ${of}`}>
      This is the end of the list. <TextLink href={newest}>Back to the newest</TextLink>.
    </EmptyState>
  );
}

type Tab = { href: string; word: string; isCurrent: boolean };

/** Tabs that are addresses: they can be shared, reloaded and gone back to, and need no script. */
export function Tabs({ label, tabs }: { label: string; tabs: Tab[] }) {
  return (
    <nav aria-label={label} className="mb-4 flex gap-1 overflow-x-auto border-b border-hairline">
      {tabs.map(({ href, word, isCurrent }) => (
        <Link
          key={href}
          href={href}
          scroll={false}
          aria-current={isCurrent ? "page" : undefined}
          className="-mb-px inline-flex min-h-9 items-center border-b-2 border-transparent px-3 whitespace-nowrap text-muted hover:text-ink focus-visible:-outline-offset-2 aria-[current=page]:border-ink aria-[current=page]:font-medium aria-[current=page]:text-ink pointer-coarse:min-h-11"
        >
          {word}
        </Link>
      ))}
    </nav>
  );
}
