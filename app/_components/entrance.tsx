import type { ReactNode } from "react";
import { Brand } from "./brand";

/** The frame of the pages in front of the dashboard: one card in the middle. */
export function Entrance({ title, children, below }: { title: string; children: ReactNode; below?: ReactNode }) {
  return (
    <main id="main" className="mx-auto flex min-h-dvh max-w-sm flex-col justify-center px-4 py-12">
      <div className="mb-8 flex justify-center">
        <Brand />
      </div>
      <div className="rounded-card border border-hairline p-6 sm:p-8">
        <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
        {children}
      </div>
      {below ? <div className="mt-6 text-center text-muted">{below}</div> : null}
    </main>
  );
}
