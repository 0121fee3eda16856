import type { ReactNode } from "react";
import { Card } from "@/app/_components/card";

export function Tile({ name, children, aside }: { name: string; children: ReactNode; aside?: ReactNode }) {
  return (
    <Card className="h-full min-w-0 tabular-nums">
      <div className="mb-2 flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 className="text-sm text-muted">{name}</h2>
        {aside}
      </div>
      {children}
    </Card>
  );
}
