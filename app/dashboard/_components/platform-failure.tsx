import { Copyable } from "@/app/_components/copyable";
import { FailurePanel } from "@/app/_components/failure-panel";
import { InlineCode } from "@/app/_components/inline-code";
import { RetryChip } from "@/app/_components/retry-chip";
import { TextLink } from "@/app/_components/text-link";
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
        <dt className="font-medium text-ink">You can</dt>
        <dd>
          <InlineCode text={page.partner} />
        </dd>
        <dt className="font-medium text-ink">The line’s owner can</dt>
        <dd>
          <InlineCode text={page.owner} />
        </dd>
        <dt className="font-medium text-ink">Retry?</dt>
        <dd className="flex flex-wrap items-center gap-2">
          <RetryChip advice={page.retry.advice} />
          <span>{page.retry.text}</span>
        </dd>
        <dt className="font-medium text-ink">WhatsApp said</dt>
        <dd className="break-words" dir="auto">
          {said}
        </dd>
        {traceId === null ? null : (
          <>
            <dt className="font-medium text-ink">fbtrace id</dt>
            <dd>
              <Copyable value={traceId} label="fbtrace id" />
            </dd>
          </>
        )}
      </dl>
      <p className="mt-3">
        <TextLink href={`/docs/errors/platform/${page.code}`}>More about {page.code}</TextLink>
      </p>
    </FailurePanel>
  );
}
