import type { ReactNode } from "react";
import { Icon } from "@/app/_components/icon";

type Props = {
  number: number;
  name: string;
  state: "done" | "next" | "open";
  /** What happened, once it did; it takes the place of the explanation. */
  done: ReactNode;
  children: ReactNode;
};

/** The next step is open, later ones can be opened, done ones are one line. */
export function Step({ number, name, state, done, children }: Props) {
  const heading = (
    <span className="flex min-w-0 items-center gap-2.5">
      <span
        className={`inline-flex size-6 shrink-0 items-center justify-center rounded-full text-sm font-semibold ${MARKS[state]}`}
      >
        {state === "done" ? <Icon name="check" className="size-3.5" /> : number}
      </span>
      <h2 className="font-semibold">{name}</h2>
      <span className="sr-only">{WORDS[state]}</span>
    </span>
  );
  if (state === "done") {
    return (
      <li className="grid gap-x-6 gap-y-1 rounded-card border border-hairline px-4 py-3 sm:grid-cols-[16rem_minmax(0,1fr)] sm:items-center">
        {heading}
        <div className="ps-8.5 text-muted sm:ps-0">{done}</div>
      </li>
    );
  }
  return (
    <li className={`rounded-card border ${state === "next" ? "border-accent" : "border-hairline"}`}>
      <details open={state === "next"} className="group">
        <summary className="flex list-none items-center justify-between gap-3 px-4 py-3 [&::-webkit-details-marker]:hidden">
          {heading}
          <Icon name="chevron" className="text-muted group-open:rotate-180" />
        </summary>
        <div className="px-4 pb-4 sm:ps-12.5">{children}</div>
      </details>
    </li>
  );
}

const MARKS = {
  done: "bg-good-fill text-good",
  next: "bg-accent text-on-accent",
  open: "border border-control text-muted",
} as const;

const WORDS = { done: "done", next: "next step", open: "not done yet" } as const;
