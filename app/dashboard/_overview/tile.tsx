import type { ReactNode } from "react";

export function Tile({ name, children, aside }: { name: string; children: ReactNode; aside?: ReactNode }) {
  return (
    <section className="h-full min-w-0 rounded-card border border-hairline p-4 tabular-nums sm:p-5">
      <div className="mb-2 flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 className="text-sm text-muted">{name}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}
