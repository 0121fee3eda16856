import { CopyButton } from "./copy-button";

/** A value in mono with its Copy button; `label` finishes "Copy …". */
export function Copyable({ value, label }: { value: string; label: string }) {
  return (
    <span data-copyable className="inline-flex max-w-full items-center gap-2">
      <code className="min-w-0 font-mono text-sm break-all">{value}</code>
      <CopyButton value={value} label={label} />
    </span>
  );
}
