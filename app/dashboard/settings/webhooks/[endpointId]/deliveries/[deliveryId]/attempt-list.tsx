import { CodeBlock } from "@/app/_components/code-block";
import { Timestamp } from "@/app/_components/timestamp";
import { formatNumber } from "@/lib/core/number";
import type { Attempt } from "@/lib/outgoing/delivery-queries";
import { ResponseChip } from "../../../delivery-chips";

/** What an endpoint answered, the last attempt first. */
export function AttemptList({ attempts, timeZone }: { attempts: Attempt[]; timeZone: string }) {
  return (
    <section aria-labelledby="attempts">
      <h2 id="attempts" className="mb-3 text-lg font-semibold">
        Attempts
      </h2>
      {attempts.length === 0 ? (
        <p className="text-muted">None is finished yet. Each appears here with the response.</p>
      ) : (
        <ol reversed className="divide-y divide-hairline rounded-card border border-hairline">
          {attempts.toReversed().map((attempt, i) => (
            <li key={attempt.number} className="grid grid-cols-1 gap-2 px-4 py-3">
              <AttemptEntry attempt={attempt} isLast={i === 0} timeZone={timeZone} />
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

type EntryProps = { attempt: Attempt; isLast: boolean; timeZone: string };

function AttemptEntry({ attempt, isLast, timeZone }: EntryProps) {
  const { number, startedAt, durationMs, statusCode, failure, response } = attempt;
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="font-medium">Attempt {number}</span>
        <ResponseChip statusCode={statusCode} />
        <Timestamp at={startedAt} timeZone={timeZone} />
        <span className="text-sm text-muted tabular-nums">{formatNumber(durationMs)} ms</span>
      </div>
      {failure ? <p className="break-words">{failure}</p> : null}
      {response ? (
        <details open={isLast}>
          <summary className="w-fit rounded-sm py-0.5 text-sm text-link">Response body</summary>
          <div className="mt-2">
            <CodeBlock label="The first 4 KB" code={response} />
          </div>
        </details>
      ) : statusCode === null ? null : (
        <p className="text-sm text-muted">The response had no body.</p>
      )}
    </>
  );
}
