import { type ComponentProps, type ReactNode, useId } from "react";
import { Button, ButtonLink } from "@/app/_components/button";
import { BackLink, PageHeading } from "@/app/_components/heading";
import { PageMode, PageScope } from "@/app/_components/link";
import { Notice } from "@/app/_components/panels";
import { Timestamp } from "@/app/_components/timestamp";
import type { ListReader } from "@/db/read-lists";
import { SHOWN_LAG_SECONDS } from "@/db/replica-lag";
import { may, pageMember, requireMember, whoMayHelp } from "@/lib/auth/page-member";
import type { Mode } from "@/lib/core/principal";
import type { Action } from "@/lib/workspaces/roles";
import { AutoRefresh } from "./auto-refresh";

type Props = {
  title: ReactNode;
  intro?: ReactNode;
  /** The state of a record, below its title. */
  chips?: ReactNode;
  /** What can be done on the page, beside the title. */
  actions?: ReactNode;
  /** The list that the page belongs to. */
  back?: { href: string; word: string };
  /** What the page's list was read with: says how old the list may be. */
  lists?: ListReader;
  /** The mode that a list shows. */
  mode?: Mode;
  /** The mode that a record belongs to. */
  recordMode?: Mode;
  /** The time between two refreshes; without it there are none. */
  refreshMs?: number | null;
  children?: ReactNode;
};

/** Every page of the dashboard. Forms in it act on its workspace, and links lead to its mode. */
export function Page({ title, intro, chips, actions, back, lists, mode, recordMode, refreshMs, children }: Props) {
  return (
    <PageScope workspaceId={pageMember().workspaceId} recordMode={recordMode}>
      {mode ? <PageMode mode={mode} /> : null}
      {refreshMs ? <AutoRefresh everyMs={refreshMs} /> : null}
      {back ? <BackLink href={back.href}>{back.word}</BackLink> : null}
      <PageHeading title={title} actions={actions}>
        {chips ? <span className="flex flex-wrap items-center gap-2">{chips}</span> : intro}
      </PageHeading>
      {lists ? <ListAge lagSeconds={lists.lagSeconds} /> : null}
      {children}
    </PageScope>
  );
}

/** How old a list from the read replica is; nothing if it is almost current. */
function ListAge({ lagSeconds = 0 }: { lagSeconds: number | undefined }) {
  if (lagSeconds <= SHOWN_LAG_SECONDS) return null;
  return (
    <p className="mb-3 text-sm text-muted">
      As of <Timestamp at={new Date(Date.now() - 1_000 * lagSeconds)} withDay={false} /> (read replica,{" "}
      {Math.ceil(lagSeconds)} s behind)
    </p>
  );
}

type AllowedProps = {
  to: Action;
  /** What the button says; without it the others see a notice instead of a button. */
  step?: string;
  look?: ComponentProps<typeof Button>["look"];
  children: ReactNode;
};

/** A step that only some roles may take. The others see it as a disabled button, and who may. */
export function Allowed({ to, step, look, children }: AllowedProps) {
  const id = useId();
  if (may(to)) return children;
  if (step === undefined) {
    return (
      <Notice>
        <WhoHelps to={to} />
      </Notice>
    );
  }
  return (
    <span className="flex flex-wrap items-center gap-2">
      <Button look={look} disabled aria-describedby={id}>
        {step}
      </Button>
      <span id={id} className="text-sm text-muted">
        <WhoHelps to={to} />
      </span>
    </span>
  );
}

/** Who may do what this member may not, by name. */
export async function WhoHelps({ to }: { to: Action }) {
  return whoMayHelp(to);
}

/** A page of some roles: the others read in its place who can help. */
export function pageFor<Given>(action: Action, render: (props: Given) => Promise<ReactNode>) {
  return async function RestrictedPage(props: Given): Promise<ReactNode> {
    await requireMember();
    if (may(action)) return render(props);
    return (
      <Page title="Your role cannot open this page">
        <div className="grid justify-items-start gap-5">
          <p>
            <WhoHelps to={action} />
          </p>
          <ButtonLink href="/dashboard">Go to the overview</ButtonLink>
        </div>
      </Page>
    );
  };
}
