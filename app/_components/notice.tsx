import type { ReactNode } from "react";
import { Icon, type IconName } from "./icon";

type Tone = "info" | "good" | "caution" | "bad";

/** A sentence that must be seen, with what to do about it at its end. */
export function Notice({ tone = "info", children, action }: { tone?: Tone; children: ReactNode; action?: ReactNode }) {
  const { look, icon } = TONES[tone];
  return (
    <div
      className={`flex items-center justify-between gap-x-4 gap-y-2 rounded-card px-4 py-3 max-sm:flex-col max-sm:items-start ${look}`}
    >
      <div className="flex min-w-0 gap-2">
        <Icon name={icon} className="mt-[3px]" />
        <div className="min-w-0 break-words">{children}</div>
      </div>
      {action ? <div className="shrink-0 max-sm:ms-6">{action}</div> : null}
    </div>
  );
}

const TONES: Record<Tone, { look: string; icon: IconName }> = {
  info: { look: "border border-hairline bg-surface text-ink", icon: "info" },
  good: { look: "bg-good-fill text-good", icon: "check" },
  caution: { look: "bg-caution-fill text-caution", icon: "alert" },
  bad: { look: "bg-bad-fill text-bad", icon: "alert" },
};
