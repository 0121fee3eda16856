import { CopyButton } from "./copy-button";

export function CodeBlock({ code, label, canCopy = true }: { code: string; label: string; canCopy?: boolean }) {
  return (
    <figure data-copyable className="overflow-hidden rounded-card border border-hairline bg-surface">
      <figcaption className="flex min-h-10 items-center justify-between gap-4 border-b border-hairline px-4 py-2 text-xs text-muted">
        {label}
        {canCopy ? <CopyButton value={code} label={label} /> : null}
      </figcaption>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        className="overflow-x-auto p-4 font-mono text-xs leading-5 focus-visible:-outline-offset-2"
      >
        <code>{code}</code>
      </pre>
    </figure>
  );
}
