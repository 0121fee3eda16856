import type { PhoneNumber } from "@/db/schema";

type Candidate = Pick<PhoneNumber, "whatsappBusinessAccountId" | "isActive" | "tokenProblem">;

/** One line for each business account: an active one, and one whose token is not known to be dead. */
export function oneLinePerAccount<Line extends Candidate>(lines: Line[]): Line[] {
  const rank = ({ isActive, tokenProblem }: Candidate) => Number(tokenProblem !== null) * 2 + Number(!isActive);
  const byAccount = new Map<string, Line>();
  for (const line of lines) {
    const known = byAccount.get(line.whatsappBusinessAccountId);
    if (!known || rank(line) < rank(known)) byAccount.set(line.whatsappBusinessAccountId, line);
  }
  return [...byAccount.values()];
}
