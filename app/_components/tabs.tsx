import { Link } from "./link";

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
          className="-mb-px inline-flex min-h-9 items-center border-b-2 border-transparent px-3 whitespace-nowrap text-muted hover:text-ink focus-visible:-outline-offset-2 aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink pointer-coarse:min-h-11"
        >
          {word}
        </Link>
      ))}
    </nav>
  );
}
