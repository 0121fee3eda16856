import type { ReactNode } from "react";

export function Fields({ children }: { children: ReactNode }) {
  return <dl className="divide-y divide-hairline rounded-card border border-hairline">{children}</dl>;
}

export function FieldRow({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid gap-x-4 gap-y-1 px-4 py-2.5 sm:grid-cols-[11rem_minmax(0,1fr)] sm:items-center">
      <dt className="text-sm text-muted">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </div>
  );
}
