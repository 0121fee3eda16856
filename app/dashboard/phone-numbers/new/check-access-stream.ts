import type { Check } from "@/lib/phone-numbers/check";
import type { AccessCheckLine, OfferedNumber } from "@/lib/phone-numbers/stream-access-checks";

type Fields = { accessToken: string; whatsappBusinessAccountId: string };
type Outcome = { numbers: OfferedNumber[] } | { message: string };

const CUT_OFF = "The checks were cut off before the end. Nothing was stored: check again.";

/** Runs the checks and reports each when it is done. The token travels in the body, never in an address. */
export async function checkAccessStream(
  workspaceId: string,
  fields: Fields,
  onCheck: (check: Check) => void,
): Promise<Outcome> {
  try {
    const response = await fetch(`/api/v1/workspaces/${workspaceId}/phone-numbers/checks`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(fields),
    });
    if (!response.ok || !response.body) return { message: await refusalOf(response) };
    for await (const line of linesOf(response.body)) {
      const parsed: AccessCheckLine = JSON.parse(line);
      if ("numbers" in parsed) return parsed;
      onCheck(parsed.check);
    }
    return { message: CUT_OFF };
  } catch {
    return { message: CUT_OFF };
  }
}

const refusalOf = async (response: Response): Promise<string> => {
  const body: { message?: string; details?: { issues?: { message: string }[] } } = await response.json();
  return body.details?.issues?.map(({ message }) => message).join(" ") ?? body.message ?? CUT_OFF;
};

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = `${rest}${decoder.decode(value, { stream: true })}`.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
