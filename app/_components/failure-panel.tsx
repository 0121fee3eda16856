import type { ReactNode } from "react";
import { Heading } from "./heading";
import { Icon } from "./icon";

export function FailurePanel({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="flex gap-3 rounded-card border border-danger p-4">
      <Icon name="alert" className="mt-0.5 text-danger" />
      <div className="min-w-0">
        <Heading level={2} className="font-semibold">
          {title}
        </Heading>
        <div className="mt-1 text-muted">{children}</div>
      </div>
    </section>
  );
}
