import { DataTable } from "@/app/_components/data-table";
import { InlineCode } from "@/app/_components/inline-code";
import { Section } from "./_components/section";

export function TestMode() {
  return (
    <Section id="test-mode" title="Test mode">
      <p>
        <InlineCode text="A key that begins with `pk_test_` speaks to a built-in sandbox: nothing reaches a person, nothing counts against the plan, and it sees only test lines and test messages. The recipient decides what happens:" />
      </p>
      <DataTable
        caption="Test recipients"
        rows={RECIPIENTS}
        rowKey={({ phone }) => phone}
        columns={[
          { heading: "Recipient", cell: ({ phone }) => <code className="font-mono text-sm">{phone}</code> },
          { heading: "What happens", cell: ({ outcome }) => <InlineCode text={outcome} /> },
        ]}
      />
      <p>These numbers are set aside for drama and belong to nobody. Any other number behaves like 447700900003.</p>
    </Section>
  );
}

const RECIPIENTS = [
  { phone: "447700900001", outcome: "`SENT`, and nothing more" },
  { phone: "447700900002", outcome: "`SENT`, then `DELIVERED`" },
  { phone: "447700900003", outcome: "`SENT`, `DELIVERED`, then `READ`, within two seconds" },
  { phone: "447700900004", outcome: "`SENT`, then `READ` with no delivery event in between" },
  { phone: "447700900126", outcome: "`FAILED`: undeliverable (131026)" },
  { phone: "447700900147", outcome: "`FAILED`: outside the 24-hour window (131047)" },
  { phone: "447700900190", outcome: "`502 CHAT_GRAPH_ERROR`, `not_sent`: the line’s access token is dead" },
  { phone: "447700900504", outcome: "`502 CHAT_GRAPH_ERROR`, `unknown`: the platform’s answer comes too late" },
];
