import { TextLink } from "@/app/_components/text-link";
import { formatNumber } from "@/lib/core/number";
import { RANGE_WORDS, type UsageFilters, unnarrowedWords } from "@/lib/messages/usage-range";
import { Tile } from "./tile";

type Count = { code: string | number; count: number };

type Props = { errors: Count[]; failures: Count[]; filters: UsageFilters };

const SHOWN = 6;

/**
 * Refused calls by our code, failed messages by WhatsApp's; each leads to the list of them. A call names no line
 * before it is understood.
 */
export function ErrorTile({ errors, failures, filters }: Props) {
  const most = Math.max(1, ...[...errors, ...failures].map(({ count }) => count));
  return (
    <Tile name={`Errors, ${RANGE_WORDS[filters.range].toLowerCase()}`}>
      {errors.length + failures.length === 0 ? <p className="text-muted">None.</p> : null}
      <div className="grid gap-x-10 gap-y-4 sm:grid-cols-2">
        <Bars
          name={`Calls refused or failed${unnarrowedWords(filters, ["line"])}`}
          rows={errors}
          most={most}
          href={(code) => `/dashboard/requests?code=${code}`}
          word={String}
        />
        <Bars
          name="Messages failed at WhatsApp"
          rows={failures}
          most={most}
          href={(code) => `/dashboard/messages?status=FAILED${code === 0 ? "" : `&code=${code}`}`}
          word={(code) => (code === 0 ? "no code" : String(code))}
        />
      </div>
    </Tile>
  );
}

type BarsProps = {
  name: string;
  rows: Count[];
  most: number;
  href: (code: Count["code"]) => string;
  word: (code: Count["code"]) => string;
};

function Bars({ name, rows, most, href, word }: BarsProps) {
  if (rows.length === 0) return null;
  return (
    <div className="min-w-0">
      <h3 className="text-xs font-medium text-muted">{name}</h3>
      <ul className="mt-1 grid gap-1.5">
        {rows.slice(0, SHOWN).map(({ code, count }) => (
          <li key={code} className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3">
            <TextLink href={href(code)} prefetch={false} className="truncate font-mono text-sm">
              {word(code)}
            </TextLink>
            <span>{formatNumber(count)}</span>
            <svg aria-hidden="true" viewBox="0 0 100 4" preserveAspectRatio="none" className="col-span-2 h-1 w-full">
              <rect width={(100 * count) / most} height="4" rx="1" className="fill-bar-failed" />
            </svg>
          </li>
        ))}
      </ul>
    </div>
  );
}
