import { CopyButton } from "@/app/_components/copy-button";
import { Icon } from "@/app/_components/icon";
import type { Member } from "@/lib/auth/member";
import { env } from "@/lib/core/env";
import { formatNumber } from "@/lib/core/number";
import { withQuery } from "@/lib/core/query-string";
import type { LogView } from "@/lib/messages/log-view";
import { AutoRefreshSwitch } from "./auto-refresh-switch";
import { NewerBar } from "./newer-bar";

type Props = {
  member: Member;
  view: LogView;
  isRefreshed: boolean;
  total: { count: number; isMore: boolean };
  /** The place of the first row, beyond which everything is new. */
  shown: string;
  isFirstPage: boolean;
  /** This list with auto-refresh turned on, or off. */
  turned: string;
};

/** Between the filters and the list: how many there are, whether new ones are looked for, and the list as a file. */
export function ListTools({ member, view, isRefreshed, total, shown, isFirstPage, turned }: Props) {
  const { filters, mode } = view;
  const routes = `/api/v1/workspaces/${member.workspaceId}/messages`;
  const link = withQuery(`${env().APP_URL}/dashboard/messages`, { ...filters, mode, workspace: member.workspaceId });
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-2">
        <p role="status" className="me-auto text-sm text-muted">
          {totalText(total)}
        </p>
        <AutoRefreshSwitch isOn={isRefreshed} turned={turned} />
        <a
          href={withQuery(`${routes}/export`, { ...filters, mode })}
          download
          className="inline-flex min-h-8 items-center gap-1.5 rounded-control border border-control px-2.5 text-sm hover:bg-surface pointer-coarse:min-h-11"
        >
          <Icon name="download" />
          CSV
        </a>
        <span data-copyable className="inline-flex items-center gap-1.5 text-sm">
          Link
          <CopyButton value={link} label="link to this list" />
        </span>
      </div>
      {isRefreshed ? (
        <NewerBar
          // A list with other contents counts from zero.
          key={shown}
          route={withQuery(`${routes}/newer`, { ...filters, mode, since: shown })}
          firstPage={withQuery("/dashboard/messages", { ...filters, refresh: "on" })}
          isFirstPage={isFirstPage}
        />
      ) : null}
    </>
  );
}

const totalText = ({ count, isMore }: { count: number; isMore: boolean }): string => {
  const number = formatNumber(count);
  if (isMore) return `More than ${number} results`;
  return count < 100 ? `${number} ${count === 1 ? "result" : "results"}` : `About ${number} results`;
};
