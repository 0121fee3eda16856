import { Fragment } from "react";
import { ButtonLink } from "@/app/_components/button";
import { Copyable, CopyLink } from "@/app/_components/copy-button";
import { TextLink } from "@/app/_components/link";
import { Card, DataTable, FailurePanel, Fields, SideBySide } from "@/app/_components/panels";
import { InlineCode, ModeLabel, Muted, StatusChip } from "@/app/_components/text";
import { RetryChip } from "@/app/docs/_components/retry-chip";
import { may, pageMember, recordPageLoader, recordTitle } from "@/lib/auth/page-member";
import { shownReason, shownRecipient } from "@/lib/contacts/recipient";
import { countryName } from "@/lib/core/country-name";
import { env } from "@/lib/core/env";
import { withQuery } from "@/lib/core/query-string";
import { shortId } from "@/lib/core/text";
import { explainPlatformCode } from "@/lib/docs/platform-errors";
import { findMessageWithEvents, type MessageWithEvents } from "@/lib/messages/list/log-queries";
import { pricingWords, storedPricing } from "@/lib/messages/statuses/pricing";
import { refreshEveryMs } from "@/lib/messages/statuses/timeline";
import { listDeliveriesAbout } from "@/lib/outgoing/delivery-queries";
import { MessageTimeline } from "../../_components/message-timeline";
import { Page, WhoHelps } from "../../_components/page-frame";
import { DeliveryStateMark } from "../../settings/webhooks/deliveries";
import { RawWebhook, RequestBody } from "./reveal";

const readMessage = recordPageLoader("/dashboard/messages/[messageId]", findMessageWithEvents);

export const generateMetadata = recordTitle(readMessage, ({ id }) => `Message ${id} · Messages`);

export default async function MessagePage(props: PageProps<"/dashboard/messages/[messageId]">) {
  const { found: message, member } = await readMessage(props);
  const { id, phone, status, mode, type, templateName, templateLanguage, events, hasRequest } = message;
  const seesBodies = may("seeBodies");
  return (
    <Page
      title={`Message to ${shownRecipient(phone, member.role)}`}
      chips={
        <>
          <span role="status">
            <StatusChip status={status} />
          </span>
          <ModeLabel mode={mode} />
          <span className="break-all">{templateName ? `Template ${templateName} (${templateLanguage})` : type}</span>
        </>
      }
      actions={<Tools message={message} />}
      back={{ href: "/dashboard/messages", word: "Messages" }}
      recordMode={mode}
      refreshMs={refreshEveryMs(message, new Date())}
    >
      {status === "FAILED" ? (
        <div className="mb-6">
          <PlatformFailure
            code={message.failureCode}
            said={shownReason(message.failureReason ?? "WhatsApp gave no reason.", member.role)}
            traceId={message.failureTraceId}
            wasAccepted={message.whatsappMessageId !== null}
          />
        </div>
      ) : null}
      <SideBySide columns="@min-[60rem]:grid-cols-[5fr_6fr]">
        <div className="grid min-w-0 gap-6">
          <Card title="Timeline">
            <p className="mb-4 text-sm text-muted">
              In order of arrival, times in {member.workspace.timeZone}. Repeated events are shown once.
              {seesBodies && events.some(({ hasRaw }) => hasRaw)
                ? " Showing a raw webhook is logged in the audit log."
                : ""}
            </p>
            {seesBodies ? <RawTimeline message={message} /> : <MessageTimeline message={message} />}
          </Card>
          {seesBodies ? (
            <Card title="What was sent">
              {hasRequest ? (
                <RequestBody messageId={id} />
              ) : (
                <p className="text-sm text-muted">The contents were deleted: {keptFor()}</p>
              )}
            </Card>
          ) : null}
          {may("manageWebhooks") ? <Deliveries messageId={id} /> : null}
        </div>
        <MessageFields message={message} />
      </SideBySide>
    </Page>
  );
}

/** The events about it that were posted to the workspace's own endpoints. */
async function Deliveries({ messageId }: { messageId: string }) {
  const deliveries = await listDeliveriesAbout(pageMember().workspaceId, messageId);
  if (deliveries.length === 0) return null;
  return (
    <Card title="Events to your endpoints">
      <DataTable
        caption="Events about this message, in order"
        rows={deliveries}
        href={({ id, endpointId }) => `/dashboard/settings/webhooks/${endpointId}/deliveries/${id}`}
        columns={{
          Event: ({ type }) => type,
          Endpoint: { place: "below", cell: ({ endpointLabel }) => <Muted>{endpointLabel}</Muted> },
          State: { place: "end", cell: ({ state }) => <DeliveryStateMark state={state} /> },
        }}
      />
    </Card>
  );
}

type PlatformFailureProps = { code: number | null; said: string; traceId: string | null; wasAccepted: boolean };

/** Why a message failed, and who can do what about it. `said` are WhatsApp's own words. */
function PlatformFailure({ code, said, traceId, wasAccepted }: PlatformFailureProps) {
  const page = code === null ? undefined : explainPlatformCode(code, { wasAccepted });
  if (!page) {
    return (
      <FailurePanel title={code === null ? "It was not sent" : `WhatsApp refused it (${code})`}>
        <p className="text-ink">{said}</p>
        {code === null ? null : <p className="mt-1">Unknown code. WhatsApp’s message is above.</p>}
        {traceId === null ? null : (
          <p className="mt-1 flex flex-wrap items-center gap-x-2">
            <span>fbtrace id</span> <Copyable value={traceId} label="fbtrace id" />
          </p>
        )}
      </FailurePanel>
    );
  }
  return (
    <FailurePanel title={`${page.code} · ${page.title}`}>
      <p className="text-ink">
        <InlineCode text={page.why} />
      </p>
      <dl className="mt-3 grid gap-x-4 gap-y-2 sm:grid-cols-[max-content_minmax(0,1fr)]">
        {Object.entries({
          // Who manages lines is not told to ask who does.
          ...(page.who === "owner" && may("manageLines") ? {} : { "You can": <InlineCode text={page.partner} /> }),
          "The line’s owner can": <InlineCode text={page.owner} />,
          "Retry?": (
            <span className="flex flex-wrap items-center gap-2">
              <RetryChip advice={page.retry.advice} />
              <span>{page.retry.text}</span>
            </span>
          ),
          "WhatsApp said": (
            <span dir="auto" className="break-words">
              {said}
            </span>
          ),
          ...(traceId === null ? {} : { "fbtrace id": <Copyable value={traceId} label="fbtrace id" /> }),
        }).map(([name, value]) => (
          <Fragment key={name}>
            <dt className="font-medium text-ink">{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
      </dl>
      <p className="mt-3">
        <TextLink href={`/docs/errors/platform/${page.code}`}>More about {page.code}</TextLink>
      </p>
    </FailurePanel>
  );
}

function Tools({ message: { id, mode, hasRequest } }: { message: MessageWithEvents }) {
  const maySendAgain = may("seeBodies");
  const { workspaceId } = pageMember();
  const link = withQuery(`${env().APP_URL}/dashboard/messages/${id}`, { mode, workspace: workspaceId });
  return (
    <div className="grid justify-items-start gap-1 sm:justify-items-end">
      <div className="flex flex-wrap items-center gap-3">
        {maySendAgain && hasRequest ? (
          <ButtonLink look="secondary" href={`/dashboard/send?message=${id}`}>
            Send again
          </ButtonLink>
        ) : null}
        <CopyLink value={link} label="link to this message" />
      </div>
      {maySendAgain ? null : (
        <p className="text-sm text-muted">
          To send it again: <WhoHelps to="seeBodies" />
        </p>
      )}
    </div>
  );
}

/** With WhatsApp's own words. */
function RawTimeline({ message }: { message: MessageWithEvents }) {
  return (
    <>
      <MessageTimeline
        message={message}
        below={({ id, hasRaw }, word) => (hasRaw ? <RawWebhook eventId={id} word={word} /> : null)}
      />
      {message.events.every(({ hasRaw }) => hasRaw) ? null : (
        <p className="mt-5 text-sm text-muted">
          {message.hasRequest
            ? "If there is no button, the raw webhook was not stored: it was too large, or arrived before raw webhooks were stored."
            : `The raw webhooks were deleted: ${keptFor()}`}
        </p>
      )}
    </>
  );
}

function keptFor(): string {
  const days = pageMember().workspace.retentionDays ?? env().MESSAGE_RETENTION_DAYS;
  return `they are stored for ${days} ${days === 1 ? "day" : "days"}, or until the contact is erased.`;
}

/** Whom and what it concerns; the ids, which are only copied, come after. */
function MessageFields({ message }: { message: MessageWithEvents }) {
  const { id, contactId, line, key, requestId, whatsappMessageId } = message;
  const price = storedPricing(message);
  return (
    <div className="grid min-w-0 gap-6">
      <Fields
        rows={{
          Contact: <TextLink href={`/dashboard/contacts/${contactId}`}>Open contact</TextLink>,
          Line: <TextLink href={`/dashboard/phone-numbers/${line.id}`}>{line.label}</TextLink>,
          "API key": !may("seeApiKeys") ? null : key ? (
            <TextLink href={`/dashboard/settings/api-keys/${key.id}`}>{key.label}</TextLink>
          ) : (
            "None: sent from the dashboard"
          ),
          "WhatsApp’s pricing": price && pricingWords(price),
          "Recipient’s country": message.recipientCountry && countryName(message.recipientCountry),
          // The log of requests holds the calls of keys.
          Request:
            requestId && key ? <TextLink href={`/dashboard/requests/${requestId}`}>Open request</TextLink> : null,
        }}
      />
      <Card title="Ids">
        <Fields
          rows={{
            Message: <Copyable value={id} label="message id" />,
            WhatsApp:
              whatsappMessageId === null || may("seeFullRecipient") ? (
                <Copyable
                  value={whatsappMessageId}
                  short={whatsappMessageId === null ? undefined : shortId(whatsappMessageId)}
                  label="WhatsApp message id"
                />
              ) : (
                <Muted>Not shown: it holds the recipient’s number.</Muted>
              ),
            Contact: <Copyable value={contactId} label="contact id" />,
            "Idempotency key": <Copyable value={message.idempotencyKey} label="idempotency key" />,
            Request: <Copyable value={requestId} label="request id" />,
          }}
        />
      </Card>
    </div>
  );
}
