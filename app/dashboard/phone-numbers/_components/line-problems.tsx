import { Button, ButtonLink } from "@/app/_components/button";
import { Notice } from "@/app/_components/notice";
import type { LineProblem } from "@/lib/phone-numbers/health";
import { whoCan } from "@/lib/workspaces/roles";
import { runLineCheck, subscribeLineApp } from "../actions";
import { OneLineAction } from "./one-line-action";

type Props = { phoneNumberId: string; workspaceId: string; problems: readonly LineProblem[]; canManage: boolean };

/** Each trouble of a line in one sentence, with the one button that fixes it. */
export function LineProblems({ problems, ...about }: Props) {
  if (problems.length === 0) return null;
  return (
    <section aria-label="What needs attention" className="mb-6 grid gap-3">
      {problems.map((problem) => (
        <Notice key={problem.sentence} tone={problem.tone} action={<Remedy problem={problem} {...about} />}>
          {problem.sentence}
        </Notice>
      ))}
    </section>
  );
}

function Remedy({
  problem: { remedy },
  phoneNumberId,
  workspaceId,
  canManage,
}: Omit<Props, "problems"> & { problem: LineProblem }) {
  if (remedy === "templates") return <Leading href="/dashboard/templates" word="Look at the templates" />;
  if (remedy === "webhooks") return <Leading href="/dashboard/webhooks" word="Check the WhatsApp feed" />;
  if (remedy === "manager") return <Leading href={WHATSAPP_MANAGER} word="Open WhatsApp Manager" />;
  if (!canManage) {
    return (
      <span className="flex flex-wrap items-center gap-2">
        <Button look="secondary" disabled>
          {WORDS[remedy]}
        </Button>
        <span className="text-sm">{whoCan("manageLines")}</span>
      </span>
    );
  }
  if (remedy === "replaceToken")
    return <Leading href={`/dashboard/phone-numbers/${phoneNumberId}#token`} word={WORDS[remedy]} />;
  const about = { workspaceId, phoneNumberId, word: WORDS[remedy] };
  return remedy === "subscribe" ? (
    <OneLineAction action={subscribeLineApp} busy="Subscribing…" {...about} />
  ) : (
    <OneLineAction action={runLineCheck} busy="Checking…" {...about} />
  );
}

function Leading({ href, word }: { href: string; word: string }) {
  return (
    <ButtonLink look="secondary" href={href}>
      {word}
    </ButtonLink>
  );
}

const WHATSAPP_MANAGER = "https://business.facebook.com/wa/manage/home/";
const WORDS = { replaceToken: "Replace token", subscribe: "Subscribe the app", check: "Run check" } as const;
