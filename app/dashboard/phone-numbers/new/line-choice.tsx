import { useState } from "react";
import { useIssue } from "@/app/_components/action-form";
import { Field } from "@/app/_components/field";
import type { OfferedNumber } from "@/lib/phone-numbers/stream-access-checks";

/** Which of the account's numbers becomes the line, and what people call it. */
export function LineChoice({ numbers }: { numbers: OfferedNumber[] }) {
  const [chosen, setChosen] = useState(numbers[0]?.whatsappPhoneNumberId);
  const [label, setLabel] = useState(numbers[0]?.verifiedName ?? "");
  const issue = useIssue("whatsappPhoneNumberId");
  return (
    <>
      <fieldset aria-describedby={issue ? "number-issue" : undefined}>
        <legend className="mb-1 font-medium">Number</legend>
        <div className="grid gap-1">
          {numbers.map(({ whatsappPhoneNumberId, displayPhoneNumber, verifiedName }) => (
            <label key={whatsappPhoneNumberId} className="flex min-h-8 items-center gap-2 pointer-coarse:min-h-11">
              <input
                type="radio"
                name="whatsappPhoneNumberId"
                value={whatsappPhoneNumberId}
                checked={chosen === whatsappPhoneNumberId}
                onChange={() => setChosen(whatsappPhoneNumberId)}
                className="size-4 accent-accent"
              />
              <span>
                {displayPhoneNumber}
                {verifiedName ? <span className="text-muted"> · {verifiedName}</span> : null}
              </span>
            </label>
          ))}
        </div>
        {issue ? (
          <p id="number-issue" className="mt-1 text-sm text-danger">
            {issue}
          </p>
        ) : null}
      </fieldset>
      <div className="max-w-sm">
        <Field
          name="label"
          label="Name of the line"
          maxLength={100}
          value={label}
          onChange={(event) => setLabel(event.target.value)}
          hint="Shown in the dashboard, for example Support. API calls use the line’s id instead."
        />
      </div>
    </>
  );
}
