import type { Metadata } from "next";
import { ButtonLink } from "@/app/_components/button";
import { EmptyState } from "@/app/_components/empty-state";
import { Icon } from "@/app/_components/icon";
import { PageHeading } from "@/app/_components/page-heading";
import { TextLink } from "@/app/_components/text-link";
import { requireMember } from "@/lib/auth/page-member";
import { readCursor, writeCursor } from "@/lib/dashboard/page-cursor";
import { listMessages } from "@/lib/dashboard/queries";
import { MessageTable } from "../_components/message-table";
import { NoMessageYet } from "../_components/no-message-yet";

export const metadata: Metadata = { title: "Messages" };

export default async function MessagesPage({ searchParams }: PageProps<"/dashboard/messages">) {
  const member = await requireMember();
  const { older, newer } = await searchParams;
  const page = await listMessages(member.workspaceId, { older: readCursor(older), newer: readCursor(newer) });
  const [first, last] = [page.messages[0], page.messages.at(-1)];
  return (
    <>
      <PageHeading title="Messages">Newest first, times in {member.workspace.timeZone}.</PageHeading>
      {page.messages.length > 0 ? (
        <MessageTable caption="Messages, newest first" messages={page.messages} member={member} />
      ) : page.hasNewer ? (
        <EmptyState title="No older messages">
          This is the end of the log. <TextLink href="/dashboard/messages">Back to the newest</TextLink>.
        </EmptyState>
      ) : (
        <NoMessageYet />
      )}
      <nav aria-label="Pages of the log" className="mt-4 flex justify-between gap-3">
        {page.hasNewer && first ? (
          <ButtonLink look="secondary" href={`/dashboard/messages?newer=${writeCursor(first)}`}>
            <Icon name="arrowLeft" />
            Newer
          </ButtonLink>
        ) : (
          <span />
        )}
        {page.hasOlder && last ? (
          <ButtonLink look="secondary" href={`/dashboard/messages?older=${writeCursor(last)}`}>
            Older
            <Icon name="arrowRight" />
          </ButtonLink>
        ) : null}
      </nav>
    </>
  );
}
