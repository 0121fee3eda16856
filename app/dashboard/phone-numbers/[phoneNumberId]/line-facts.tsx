import { Copyable } from "@/app/_components/copyable";
import { FieldRow, Fields } from "@/app/_components/fields";
import { Timestamp } from "@/app/_components/timestamp";
import { noticeWords } from "@/lib/phone-numbers/notices";
import type { LineWithNotices } from "@/lib/phone-numbers/queries";
import { limitWord, qualityWord, throughputWord } from "@/lib/phone-numbers/words";
import { TokenState } from "../_components/token-state";

export function LineFacts({ line, timeZone }: { line: LineWithNotices; timeZone: string }) {
  return (
    <Fields>
      <FieldRow name="Line id">
        <Copyable value={line.id} label="line id" />
      </FieldRow>
      <FieldRow name="Platform id">
        <span className="font-mono text-sm text-muted">{line.whatsappPhoneNumberId}</span>
        <span className="block text-xs text-muted">not accepted by this API</span>
      </FieldRow>
      <FieldRow name="Business account">
        <span className="font-mono text-sm">{line.whatsappBusinessAccountId}</span>
      </FieldRow>
      <FieldRow name="Verified name">{line.verifiedName ?? NOT_KNOWN}</FieldRow>
      <FieldRow name="Token">
        <TokenState line={line} timeZone={timeZone} />
        {line.tokenCheckedAt ? (
          <span className="block text-sm text-muted">
            Checked <Timestamp at={line.tokenCheckedAt} timeZone={timeZone} />
          </span>
        ) : null}
      </FieldRow>
      <FieldRow name="Quality">{qualityWord(line.qualityRating) ?? NOT_KNOWN}</FieldRow>
      <FieldRow name="Limit">{limitWord(line.messagingLimit) ?? NOT_KNOWN}</FieldRow>
      <FieldRow name="Throughput">{throughputWord(line.throughput) ?? NOT_KNOWN}</FieldRow>
      <FieldRow name="Account notices">
        {line.notices.length === 0 ? <span className="text-muted">None</span> : null}
        {line.notices.slice(0, MOST_NOTICES).map((notice) => (
          <span key={notice.kind} className="block text-sm">
            {noticeWords(notice)}{" "}
            <span className="text-muted">
              <Timestamp at={notice.occurredAt} timeZone={timeZone} />
            </span>
          </span>
        ))}
      </FieldRow>
      <FieldRow name="Connected">
        <Timestamp at={line.createdAt} timeZone={timeZone} />
      </FieldRow>
      {line.disconnectedAt ? (
        <FieldRow name="Disconnected">
          <Timestamp at={line.disconnectedAt} timeZone={timeZone} />
        </FieldRow>
      ) : null}
    </Fields>
  );
}

/** One of each kind; the latest come first. */
const MOST_NOTICES = 6;

const NOT_KNOWN = <span className="text-muted">Not known yet</span>;
