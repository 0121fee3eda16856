import { after } from "next/server";
import { Icon } from "@/app/_components/icon";
import { TextLink } from "@/app/_components/link";
import { EmptyState, ROWS, Section } from "@/app/_components/panels";
import { Muted, Unbroken } from "@/app/_components/text";
import { Ago } from "@/app/_components/timestamp";
import { markAlertsSeen } from "@/lib/alerts/change-alert-settings";
import { listAlerts, type ShownAlert } from "@/lib/alerts/queries";
import { requireMember } from "@/lib/auth/page-member";
import { errorFields, log } from "@/lib/core/log";
import { sendsMail } from "@/lib/mail/queue-mail";
import { Page } from "../_components/page-frame";

export const metadata = { title: "Alerts" };

export default async function AlertsPage() {
  const member = await requireMember();
  const { workspaceId, userId } = member;
  const alerts = await listAlerts(workspaceId, member);
  // After the response, so that a failure to record it neither delays nor breaks the page.
  after(() => markAlertsSeen(workspaceId, userId).catch((error) => log("warn", "alerts.not-seen", errorFields(error))));
  const open = together(alerts.filter(({ closedAt }) => closedAt === null));
  const over = alerts.filter(({ closedAt }) => closedAt !== null);
  return (
    <Page
      title="Alerts"
      intro={
        <>
          What needs attention on live lines, within a minute of WhatsApp’s report.
          {sendsMail() ? (
            <>
              {" "}
              Choose what is <Unbroken text="e-mailed" /> to you on{" "}
              <TextLink href="/dashboard/account#alerts">your account page</TextLink>.
            </>
          ) : null}
        </>
      }
    >
      {open.length === 0 ? (
        <EmptyState title="No open alerts">
          A refused token, a paused template, a full quota or a failing webhook appears here.
        </EmptyState>
      ) : (
        <AlertList alerts={open} />
      )}
      {over.length > 0 ? (
        <Section title="Over" className="mt-8">
          <AlertList alerts={over} />
        </Section>
      ) : null}
    </Page>
  );
}

/** Those about one thing, such as a line, beside each other: where the first of them stands. */
function together(alerts: ShownAlert[]): ShownAlert[] {
  const placeOf = ({ href }: ShownAlert) => href.replace(/[#?].*/, "");
  const places = [...new Set(alerts.map(placeOf))];
  return alerts.toSorted((one, other) => places.indexOf(placeOf(one)) - places.indexOf(placeOf(other)));
}

function AlertList({ alerts }: { alerts: ShownAlert[] }) {
  return (
    <ul className={ROWS}>
      {alerts.map(({ id, tone, sentence, href, action, openedAt, closedAt }) => (
        <li key={id} className="grid gap-x-4 gap-y-1 py-3 sm:grid-cols-[minmax(0,1fr)_auto]">
          <div className="flex min-w-0 gap-2">
            <Icon
              name={closedAt ? "check" : "alert"}
              className={`mt-[3px] ${closedAt ? "text-muted" : tone === "bad" ? "text-danger" : "text-caution"}`}
            />
            <p className="min-w-0 break-words">
              <span className="sr-only">{closedAt ? "Over: " : tone === "bad" ? "Critical: " : "Warning: "}</span>
              <Unbroken text={sentence} />{" "}
              <Muted>
                <Ago at={openedAt} />
                {closedAt ? (
                  <>
                    , over <Ago at={closedAt} />
                  </>
                ) : null}
              </Muted>
            </p>
          </div>
          {closedAt ? null : (
            <p className="max-sm:ms-6 sm:text-end">
              <TextLink href={href}>{action}</TextLink>
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}
