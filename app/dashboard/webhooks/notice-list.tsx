import { Chip, type Tone } from "@/app/_components/chip";
import type { IconName } from "@/app/_components/icon";
import { Timestamp } from "@/app/_components/timestamp";
import type { Notice } from "@/lib/incoming/queries";

const MOST_SHOWN = 20;

type Props = {
  notices: Notice[];
  timeZone: string;
  lines: { label: string; whatsappPhoneNumberId: string }[];
};

/** WhatsApp's verifications, and what was refused at the door, newest first. */
export function NoticeList({ notices, timeZone, lines }: Props) {
  const labelOf = (number: string | null) => lines.find((line) => line.whatsappPhoneNumberId === number)?.label;
  return (
    <section aria-labelledby="notices">
      <h2 id="notices" className="mb-3 text-lg font-semibold">
        Verification and refusals, last 7 days
      </h2>
      {notices.length === 0 ? (
        <p className="text-muted">
          Nothing yet. WhatsApp’s verification appears here within seconds, with the reason where it is refused.
        </p>
      ) : (
        <ul className="divide-y divide-hairline rounded-card border border-hairline">
          {notices.slice(0, MOST_SHOWN).map(({ id, at, kind, reason, bodyDigest, whatsappPhoneNumberId }) => (
            <li key={id} className="grid gap-1 px-4 py-2.5">
              <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
                <Chip {...LOOKS[kind]} />
                <Timestamp at={at} timeZone={timeZone} />
                {whatsappPhoneNumberId ? (
                  <span className="text-sm text-muted">Claims line: {labelOf(whatsappPhoneNumberId)}</span>
                ) : null}
              </p>
              {reason ? <p className="text-sm">{reason}</p> : null}
              {bodyDigest ? (
                <p className="text-xs text-muted">
                  Body SHA-256 <code className="font-mono">{bodyDigest}…</code>
                </p>
              ) : null}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const LOOKS: Record<Notice["kind"], { tone: Tone; icon: IconName; word: string }> = {
  verified: { tone: "good", icon: "check", word: "Verified" },
  verificationRefused: { tone: "bad", icon: "cross", word: "Verification refused" },
  signatureRefused: { tone: "bad", icon: "cross", word: "Bad signature" },
  unknownNumber: { tone: "caution", icon: "alert", word: "Unknown number" },
};
