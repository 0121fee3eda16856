import { Ago } from "@/app/_components/timestamp";
import { windowLeftMs, windowShare } from "@/lib/contacts/window";

/** How long free text is still allowed, as a clock that runs down. */
export function WindowClock({ lastInboundAt }: { lastInboundAt: Date | null }) {
  const leftMs = windowLeftMs(lastInboundAt, new Date());
  return (
    <section aria-label="24-hour window" className="flex items-center gap-4">
      <svg aria-hidden="true" viewBox="0 0 36 36" className="size-14 shrink-0 -rotate-90 fill-none" strokeWidth="4">
        <circle cx="18" cy="18" r="15.9155" className="stroke-hairline" />
        {leftMs > 0 ? (
          <circle
            cx="18"
            cy="18"
            r="15.9155"
            className="stroke-good"
            strokeDasharray={`${100 * windowShare(leftMs)} 100`}
          />
        ) : null}
      </svg>
      <div className="min-w-0">
        <p className="font-semibold">{leftMs > 0 ? `Free text for another ${inWords(leftMs)}` : "Needs a template"}</p>
        <p className="text-muted">
          {lastInboundAt ? (
            <>
              Last wrote <Ago at={lastInboundAt} />
            </>
          ) : (
            "Has never written to you"
          )}
        </p>
      </div>
    </section>
  );
}

const MINUTE_MS = 60_000;

const inWords = (ms: number): string => {
  const minutes = Math.ceil(ms / MINUTE_MS);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};
