import { Icon } from "@/app/_components/icon";
import { TextLink } from "@/app/_components/text-link";
import { Timestamp } from "@/app/_components/timestamp";
import type { Attention } from "@/lib/dashboard/attention";

export function AttentionList({ items, now, timeZone }: { items: Attention[]; now: Date; timeZone: string }) {
  if (items.length === 0) {
    return (
      <p className="mb-6 flex items-center gap-2 text-good">
        <Icon name="check" />
        <span>
          All clear <span className="text-muted">· checked</span>{" "}
          <span className="text-muted">
            <Timestamp at={now} timeZone={timeZone} withDay={false} />
          </span>
        </span>
      </p>
    );
  }
  return (
    <section aria-labelledby="attention" className="mb-6 rounded-card border border-hairline">
      <h2 id="attention" className="border-b border-hairline px-4 py-2.5 font-semibold">
        {items.length === 1 ? "1 thing needs attention" : `${items.length} things need attention`}
      </h2>
      <ul className="divide-y divide-hairline">
        {items.map(({ tone, sentence, href, action }) => (
          <li
            key={`${href} ${sentence}`}
            className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1 px-4 py-2.5 sm:flex-nowrap"
          >
            <span className="flex min-w-0 gap-2">
              <Icon name="alert" className={`mt-[3px] ${tone === "bad" ? "text-danger" : "text-caution"}`} />
              <span className="min-w-0 break-words">{sentence}</span>
            </span>
            <TextLink href={href} className="shrink-0 max-sm:ms-6">
              {action}
            </TextLink>
          </li>
        ))}
      </ul>
    </section>
  );
}
