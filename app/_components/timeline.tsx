import type { ReactNode } from "react";

/** `below`: what else is known of a step, each in a line or part of its own. */
type Step = { id: string; title: ReactNode; at: ReactNode; below?: ReactNode };

/** What happened to a message, one below the other, each with its time. */
export function Timeline({ steps }: { steps: readonly Step[] }) {
  return (
    <ol className="relative grid gap-4 before:absolute before:inset-y-2 before:start-[3px] before:w-px before:bg-hairline">
      {steps.map(({ id, title, at, below }) => (
        <li
          key={id}
          className="relative min-w-0 ps-6 before:absolute before:start-0 before:top-[7px] before:size-[7px] before:rounded-full before:bg-control"
        >
          <div className="flex flex-wrap items-baseline justify-between gap-x-4">
            <span className="font-medium">{title}</span>
            <span className="text-sm text-muted">{at}</span>
          </div>
          {below}
        </li>
      ))}
    </ol>
  );
}

export function TimelineLine({ children }: { children: ReactNode }) {
  return <p className="mt-0.5 text-sm break-words text-muted">{children}</p>;
}
