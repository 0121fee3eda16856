import { boundTo } from "@/app/_components/bound-fields";
import { Field, Select, Tick } from "@/app/_components/form";
import { optionsOf } from "@/app/_components/options";
import type { DraftCode } from "@/lib/whatsapp/draft";

type Props = { code: DraftCode; onChange: (code: DraftCode) => void };

/** An authentication template: WhatsApp fixes its text, and leaves these choices. */
export function CodeEditor({ code, onChange }: Props) {
  const change = (some: Partial<DraftCode>) => onChange({ ...code, ...some });
  const bound = boundTo(code, onChange, "code.");
  return (
    <fieldset className="grid gap-4">
      <legend className="mb-1 font-medium">One-time code</legend>
      <p className="text-sm text-muted">
        WhatsApp writes the text in the template’s language, as in the preview. A send fills in the code as value 1.
      </p>
      <Tick type="checkbox" checked={code.hasAdvice} onChange={({ target }) => change({ hasAdvice: target.checked })}>
        Add “For your security, do not share this code.”
      </Tick>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label="Code expires after, minutes"
          {...bound("minutes")}
          inputMode="numeric"
          hint="1 to 90, as the footer says. Empty for no footer."
        />
        <Select
          label="Button"
          name="code.button"
          value={code.button}
          onText={(button) => change({ button: button === "oneTap" ? "oneTap" : "copyCode" })}
          options={optionsOf(["copyCode", "oneTap"], (kind) => BUTTONS[kind])}
          hint={code.button === "oneTap" ? "Outside your app it copies the code." : undefined}
        />
        {code.button === "oneTap" ? (
          <>
            <Field label="Android package" {...bound("packageName")} spellCheck={false} hint="com.example.shop" />
            <Field
              label="App signing key hash"
              {...bound("signatureHash")}
              spellCheck={false}
              hint="11 characters, from Meta’s instructions for one-tap autofill."
            />
          </>
        ) : null}
      </div>
    </fieldset>
  );
}

const BUTTONS = { copyCode: "Copy code", oneTap: "One-tap autofill (Android)" };
