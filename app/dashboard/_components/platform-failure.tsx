import { Fragment } from "react";
import { Copyable } from "@/app/_components/copy-button";
import { TextLink } from "@/app/_components/link";
import { FailurePanel } from "@/app/_components/panels";
import { InlineCode, RetryChip } from "@/app/_components/text";
import { explainPlatformCode } from "@/lib/docs/platform-errors";

type Props = { code: number | null; said: string; traceId: string | null };

/** Why a message failed, and who can do what about it. `said` are WhatsApp's own words. */
export function PlatformFailure({ code, said, traceId }: Props) {
  const page = code === null ? undefined : explainPlatformCode(code);
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
          "You can": <InlineCode text={page.partner} />,
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
