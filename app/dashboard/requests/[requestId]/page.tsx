import { Fragment } from "react";
import { z } from "zod";
import { CodeBlock, FoldedCode } from "@/app/_components/code-block";
import { Copyable } from "@/app/_components/copy-button";
import { TextLink } from "@/app/_components/link";
import { FailurePanel, Fields, Notice, SideBySide } from "@/app/_components/panels";
import { Chip, Code, HttpStatusChip, InlineCode, ModeLabel, Muted } from "@/app/_components/text";
import { Timestamp } from "@/app/_components/timestamp";
import { RetryChip } from "@/app/docs/_components/retry-chip";
import { findRequest, type Request, readRequestContents } from "@/lib/api/log/queries";
import { may, recordPageLoader, recordTitle } from "@/lib/auth/page-member";
import type { KeyLimitReason } from "@/lib/core/app-error";
import { env } from "@/lib/core/env";
import { formatNumber } from "@/lib/core/text";
import { ERROR_CATALOGUE, isErrorCode } from "@/lib/docs/error-catalogue";
import { reproduction } from "@/lib/docs/snippets";
import { pricingWords, storedPricing } from "@/lib/messages/statuses/pricing";
import { Page, WhoHelps } from "../../_components/page-frame";

const readRequest = recordPageLoader("/dashboard/requests/[requestId]", findRequest);

export const generateMetadata = recordTitle(readRequest, ({ id }) => `Request ${id} · Requests`);

export default async function RequestPage(props: PageProps<"/dashboard/requests/[requestId]">) {
  const { member, found: request } = await readRequest(props);
  const seesBodies = may("seeBodies");
  const { body, answer } = seesBodies
    ? await readRequestContents(member.workspaceId, request.id)
    : { body: null, answer: null };
  const apiKey = may("seeApiKeys") ? (request.apiKey ?? undefined) : undefined;
  return (
    <Page
      title={
        <span className="break-words">
          {request.method}{" "}
          {request.path.split(/(?=\/)/).map((part, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts of an address never move
            <Fragment key={index}>
              <wbr />
              {part}
            </Fragment>
          ))}
        </span>
      }
      chips={
        <>
          <HttpStatusChip status={request.status} />
          {request.isReplay ? <Chip tone="sent" icon="refresh" word="Replay" /> : null}
          <ModeLabel mode={request.mode} />
          <Timestamp at={request.at} />
        </>
      }
      back={{ href: "/dashboard/requests", word: "Requests" }}
      recordMode={request.mode}
    >
      {request.errorCode ? (
        <Refusal code={request.errorCode} answer={answer} keyId={apiKey ? request.apiKeyId : undefined} />
      ) : null}
      <SideBySide columns="@min-[60rem]:grid-cols-2">
        <RequestFields request={request} apiKey={apiKey} />
        <div className="grid min-w-0 gap-4">
          {body ? <FoldedCode label="Request, without its values" code={body} /> : null}
          {answer ? <FoldedCode label="Response" code={answer} /> : null}
          {seesBodies ? null : (
            <Notice>
              What was sent and answered is not shown here. <WhoHelps to="seeBodies" />
            </Notice>
          )}
          <CodeBlock
            label="The same call in a shell"
            code={reproduction({ ...request, body }, { origin: env().APP_URL, apiKey })}
          />
          {body ? (
            <p className="text-sm text-muted">
              Values are never stored: put your own for <code className="font-mono">{"<… characters>"}</code>.
            </p>
          ) : null}
        </div>
      </SideBySide>
    </Page>
  );
}

function RequestFields({ request, apiKey }: { request: Request; apiKey: string | undefined }) {
  const { id, messageId, durationMs, platformMs } = request;
  const price = storedPricing(request);
  return (
    <Fields
      rows={{
        "Request id": <Copyable value={id} label="request id" />,
        Message: messageId ? (
          <TextLink href={`/dashboard/messages/${messageId}`}>
            <Code>{messageId}</Code>
          </TextLink>
        ) : (
          <Muted>None</Muted>
        ),
        "WhatsApp’s pricing": price && pricingWords(price),
        Key: apiKey ? (
          <TextLink href={`/dashboard/settings/api-keys/${request.apiKeyId}`}>{request.keyLabel ?? apiKey}</TextLink>
        ) : null,
        "Tried in the docs by": request.triedBy,
        "Idempotency key": <Copyable value={request.idempotencyKey} label="idempotency key" />,
        "Time taken": (
          <span className="tabular-nums">
            {formatNumber(durationMs)} ms
            {platformMs === null ? null : <Muted> · WhatsApp {formatNumber(platformMs)} ms</Muted>}
          </span>
        ),
        "Client IP": <Code>{request.ip}</Code>,
        "User agent": request.userAgent ?? <Muted>None given</Muted>,
        "The caller’s own id": (
          <Copyable value={request.clientRequestId} label="caller’s own id" absent="No X-Request-Id given" />
        ),
      }}
    />
  );
}

type RefusalProps = { code: string; answer: string | null; keyId: string | undefined };

/** Why a call was refused, which field is at fault, and what to do. `answer` and `keyId` are given if the visitor may see them. */
function Refusal({ code, answer, keyId }: RefusalProps) {
  const page = isErrorCode(code) ? ERROR_CATALOGUE[code] : undefined;
  const refusal = readAnswer(answer);
  const issues = refusal?.details.issues ?? [];
  return (
    <div className="mb-6">
      <FailurePanel title={page ? `${page.title} (${code})` : code}>
        {refusal && issues.length < 2 ? (
          <p className="break-words text-ink">
            <InlineCode text={refusal.message} />
          </p>
        ) : null}
        {issues.length > 1 ? (
          <ul className="list-disc ps-5 text-ink">
            {issues.map(({ path, message }) => (
              <li key={`${path} ${message}`} className="break-words">
                {path ? <code className="font-mono text-sm">{path}</code> : null} {message}
              </li>
            ))}
          </ul>
        ) : null}
        {refusal?.details.reason && keyId ? (
          <p className="mt-2 text-ink">
            Refused by the {LIMITS[refusal.details.reason]} of this key.{" "}
            <TextLink href={`/dashboard/settings/api-keys/${keyId}`}>See or change its limits</TextLink>
          </p>
        ) : null}
        {page ? (
          <p className="mt-2 flex flex-wrap items-center gap-2">
            <span className="font-medium text-ink">Retry?</span>
            <RetryChip advice={page.retry.advice} />
            <span>
              <InlineCode text={page.retry.text} />{" "}
              <TextLink href={`/docs/errors/${code}`}>What to do about it</TextLink>
            </span>
          </p>
        ) : null}
      </FailurePanel>
    </div>
  );
}

const LIMITS = {
  permission: "permissions",
  line: "lines",
  template: "templates",
  ip: "IP ranges",
  monthly_cap: "monthly cap",
} as const satisfies Record<KeyLimitReason | "monthly_cap", string>;

const Answer = z.object({
  message: z.string(),
  details: z.object({
    reason: z
      .enum(Object.keys(LIMITS) as (keyof typeof LIMITS)[])
      .optional()
      .catch(undefined),
    issues: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .catch(undefined),
  }),
});

/** A very long answer was cut off when it was stored, and is no JSON any more: it is shown below as it is. */
function readAnswer(answer: string | null) {
  try {
    return Answer.safeParse(JSON.parse(answer ?? "")).data;
  } catch {
    return undefined;
  }
}
