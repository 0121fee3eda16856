import type { ComingShape, PageShape } from "./page-shape";

/** The layout of a page that is on its way, over the one that is left. */
export function PageSkeleton({ shape }: { shape: ComingShape }) {
  if (shape === "panel") return <PanelSkeleton />;
  return (
    <div aria-hidden="true" className="page-skeleton absolute inset-0 z-5 bg-page px-4 py-6 sm:px-6 lg:py-8">
      <div className="sticky top-20 grid gap-6">
        <div className="grid gap-2">
          <Line className="h-8 w-48" />
          <Line className="h-4 w-80 max-w-full" />
        </div>
        {LAYOUTS[shape]}
      </div>
    </div>
  );
}

function PanelSkeleton() {
  return (
    <div aria-hidden="true" className="page-skeleton">
      <div className="side-panel grid content-start gap-6 bg-page px-4 pt-17 sm:px-6">
        <div className="grid gap-2">
          <Line className="h-8 w-64" />
          <Line className="h-4 w-48" />
        </div>
        <Card className="h-72" lines={5} />
        <Card className="h-72" lines={5} />
      </div>
    </div>
  );
}

function Line({ className }: { className: string }) {
  return <span className={`block rounded-control bg-hairline/70 ${className}`} />;
}

function Card({ className, lines }: { className?: string; lines: number }) {
  return (
    <div className={`grid content-start gap-3 rounded-card border border-hairline p-4 ${className ?? ""}`}>
      {Array.from({ length: lines }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: grey lines have no other name.
        <Line key={i} className={i === 0 ? "h-5 w-40" : "h-4 w-full"} />
      ))}
    </div>
  );
}

function Rows() {
  return (
    <div className="rounded-card border border-hairline">
      {Array.from({ length: 10 }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: grey rows have no other name.
        <div key={i} className="flex h-11 items-center gap-6 border-b border-hairline px-4 last:border-b-0">
          <Line className="h-4 w-28" />
          <Line className="h-4 grow" />
          <Line className="hidden h-4 w-24 sm:block" />
          <Line className="h-5 w-20" />
        </div>
      ))}
    </div>
  );
}

const LAYOUTS: Record<PageShape, React.ReactNode> = {
  overview: (
    <>
      <Card lines={2} />
      <Card className="h-72" lines={1} />
      <div className="grid gap-4 lg:grid-cols-2">
        <Card className="h-40" lines={3} />
        <Card className="h-40" lines={3} />
      </div>
    </>
  ),
  list: (
    <>
      <Line className="h-9 w-full max-w-xl" />
      <Rows />
    </>
  ),
  detail: (
    <div className="grid gap-4 lg:grid-cols-[2fr_1fr]">
      <Card className="h-96" lines={6} />
      <Card className="h-96" lines={5} />
    </div>
  ),
  form: (
    <>
      <Card className="h-64" lines={4} />
      <Card className="h-40" lines={3} />
    </>
  ),
};
