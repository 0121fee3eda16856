import { EmptyState } from "@/app/_components/empty-state";
import { TextLink } from "@/app/_components/text-link";
import type { Mode } from "@/db/schema/identity";

export function NoMessageYet({ mode = "test" }: { mode?: Mode }) {
  return (
    <EmptyState title={mode === "live" ? "No live message yet" : "No message yet"}>
      <TextLink href="/dashboard/send">Send a message</TextLink> from here, or the first one with a {mode} key:{" "}
      <TextLink href="/docs/quickstart">open the quickstart</TextLink>.
    </EmptyState>
  );
}
