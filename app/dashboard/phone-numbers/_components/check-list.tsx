import type { ReactNode } from "react";
import { Icon, type IconName } from "@/app/_components/icon";
import { InlineCode } from "@/app/_components/inline-code";
import type { Check } from "@/lib/phone-numbers/check";

/** What was looked at, in order; of what did not pass also what WhatsApp said, to the letter, and what to do. */
export function CheckList({ checks, children }: { checks: readonly Check[]; children?: ReactNode }) {
  return (
    <ol className="grid gap-2">
      {checks.map(({ name, state, words, advice, platform }) => (
        <li key={name} className="flex gap-2">
          <Icon name={LOOKS[state].icon} className={`mt-[3px] ${LOOKS[state].color}`} />
          <div className="min-w-0">
            <p>
              <span className="sr-only">{LOOKS[state].word}: </span>
              {words}
            </p>
            {platform ? (
              <p className="mt-0.5 text-sm text-muted">
                WhatsApp said: <q className="break-words">{platform}</q>
              </p>
            ) : null}
            {advice ? (
              <p className="mt-0.5 text-sm text-muted">
                <InlineCode text={advice} />
              </p>
            ) : null}
          </div>
        </li>
      ))}
      {children}
    </ol>
  );
}

const LOOKS: Record<Check["state"], { icon: IconName; color: string; word: string }> = {
  passed: { icon: "check", color: "text-good", word: "Passed" },
  warning: { icon: "alert", color: "text-caution", word: "Warning" },
  failed: { icon: "cross", color: "text-danger", word: "Failed" },
};
