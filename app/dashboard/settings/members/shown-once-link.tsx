import type { ReactNode } from "react";
import { Button } from "@/app/_components/button";
import { CopyButton } from "@/app/_components/copy-button";
import { Notice } from "@/app/_components/notice";

type Props = {
  link: string;
  /** Such as "the reset link". */
  label: string;
  caution: ReactNode;
  children: ReactNode;
  onDone: () => void;
};

/** A link that works as a secret: shown once, with a button that copies it. `children` say what it does. */
export function ShownOnceLink({ link, label, caution, children, onDone }: Props) {
  return (
    <div className="grid gap-4">
      <Notice tone="caution">{caution}</Notice>
      <div
        data-copyable
        className="flex flex-wrap items-center justify-between gap-2 rounded-control border border-hairline bg-surface px-3 py-2"
      >
        <code className="min-w-0 font-mono text-sm break-all">{link}</code>
        <CopyButton value={link} label={label} />
      </div>
      <p className="text-muted">{children}</p>
      <div className="flex justify-end">
        <Button onClick={onDone}>Done</Button>
      </div>
    </div>
  );
}
