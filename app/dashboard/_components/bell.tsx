import { Icon } from "@/app/_components/icon";
import { Link } from "@/app/_components/link";

const MAX_SHOWN = 99;

/** Leads to the alerts, with the number of open ones that this member has not seen. */
export function Bell({ count }: { count: number }) {
  return (
    <Link
      href="/dashboard/alerts"
      title="Alerts"
      className="relative inline-flex size-9 items-center justify-center rounded-control border border-control hover:bg-surface pointer-coarse:size-11"
    >
      <Icon name="bell" />
      <span className="sr-only">{count === 0 ? "Alerts" : `Alerts: ${count} new`}</span>
      {count > 0 ? (
        <span
          aria-hidden="true"
          className="absolute -end-1.5 -top-1.5 min-w-5 rounded-full bg-danger px-1 text-center text-xs leading-5 font-semibold text-page tabular-nums"
        >
          {count > MAX_SHOWN ? `${MAX_SHOWN}+` : count}
        </span>
      ) : null}
    </Link>
  );
}
