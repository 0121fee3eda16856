import { Timestamp } from "@/app/_components/timestamp";
import type { ShownLine } from "@/lib/phone-numbers/queries";

type Props = {
  line: Pick<ShownLine, "mode" | "tokenProblem" | "tokenCheckedAt" | "tokenExpiresAt" | "disconnectedAt">;
  timeZone: string;
};

/** How a line's token stands, in a few words. */
export function TokenState({ line, timeZone }: Props) {
  const { mode, tokenProblem, tokenCheckedAt, tokenExpiresAt, disconnectedAt } = line;
  if (disconnectedAt) return <span className="text-muted">Deleted</span>;
  if (mode === "test") return <span className="text-muted">Sandbox, none needed</span>;
  if (tokenProblem !== null) return <span className="font-medium text-danger">Refused</span>;
  if (tokenExpiresAt) {
    return (
      <>
        Ends <Timestamp at={tokenExpiresAt} timeZone={timeZone} />
      </>
    );
  }
  return tokenCheckedAt ? "Valid, expiry unknown" : <span className="text-muted">Not checked yet</span>;
}
