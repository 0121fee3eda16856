import { TextLink } from "@/app/_components/text-link";
import type { MenuEntry } from "./menu-entries";

export function ShortcutHelp({ pages }: { pages: MenuEntry[] }) {
  const shortcuts = [
    { keys: ["⌘ K", "Ctrl K"], word: "Go to a page, find an id or a phone", between: "or" },
    { keys: ["/"], word: "Search this list" },
    { keys: ["?"], word: "This list" },
    ...pages.flatMap(({ key, word }) => (key ? [{ keys: ["g", key], word, between: "then" }] : [])),
  ];
  return (
    <>
      <dl
        // A region that scrolls must be reachable by keyboard.
        tabIndex={0}
        className="max-h-[55dvh] divide-y divide-hairline overflow-y-auto focus-visible:-outline-offset-2"
      >
        {shortcuts.map(({ keys, word, between }) => (
          <div key={word} className="flex items-center justify-between gap-4 py-1.5">
            <dt>{word}</dt>
            <dd className="flex shrink-0 items-center gap-1.5 text-sm text-muted">
              {keys.map((key, i) => (
                <span key={key} className="flex items-center gap-1.5">
                  {i > 0 ? between : null}
                  <kbd className="rounded-sm border border-control px-1.5 font-mono text-xs whitespace-nowrap text-ink">
                    {key}
                  </kbd>
                </span>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <p className="mt-4 text-sm text-muted">
        Single-letter shortcuts can be turned off in <TextLink href="/dashboard/account">your account</TextLink>.
      </p>
    </>
  );
}
