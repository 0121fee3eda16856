import { EmptyState } from "@/app/_components/empty-state";
import { TextLink } from "@/app/_components/text-link";

export function NoMessageYet() {
  return (
    <EmptyState title="No message yet">
      Send the first one with a test key: <TextLink href="/docs#quickstart">open the quickstart</TextLink>.
    </EmptyState>
  );
}
