import type { ReactNode } from "react";

type Props = { id: string; title: ReactNode; children: ReactNode };

export function Section({ id, title, children }: Props) {
  return (
    <section aria-labelledby={id} className="min-w-0 border-t border-hairline pt-8">
      <h2 id={id} className="text-xl font-semibold tracking-tight">
        <Anchored id={id}>{title}</Anchored>
      </h2>
      <div className="mt-3 grid grid-cols-1 gap-4 [&>p]:max-w-prose [&>ul]:max-w-prose">{children}</div>
    </section>
  );
}

/** A heading within a section. */
export function Subheading({ id, children }: { id: string; children: ReactNode }) {
  return (
    <h3 id={id} className="mt-2 text-lg font-semibold">
      <Anchored id={id}>{children}</Anchored>
    </h3>
  );
}

/** A heading is its own link, to be copied. */
function Anchored({ id, children }: { id: string; children: ReactNode }) {
  return (
    <a href={`#${id}`} className="group rounded-sm hover:underline hover:decoration-1 hover:underline-offset-4">
      {children}
      <span aria-hidden="true" className="ms-2 font-normal text-muted opacity-0 group-hover:opacity-100">
        #
      </span>
    </a>
  );
}

export function Bullets({ children }: { children: ReactNode }) {
  return <ul className="grid list-disc gap-1.5 ps-5 marker:text-control">{children}</ul>;
}
