"use client";

import { useState } from "react";
import { Button } from "@/app/_components/button";
import { ProgressBar, Refusal } from "@/app/_components/form";
import { useWorkspaceId } from "@/app/_components/link";
import { ShownOnceText } from "../../settings/_components/shown-once-dialog";
import { connectSignedUpLine } from "../actions";
import { useOpenLine } from "./connect-form";
import { type Finished, loadMetaSdk, type MetaSdk, openMetaDialog, type SignUpSettings } from "./meta-dialog";

type Stage =
  | { name: "idle" }
  | { name: "busy"; words: string }
  /** Loading took so long that the browser would block a window now: one more click opens it. */
  | { name: "loaded"; sdk: MetaSdk }
  | { name: "failed"; message: string }
  | { name: "registered"; id: string; pin: string };

const NOT_LOADED =
  "The dialog could not be loaded from connect.facebook.net. Allow it in your browser or its extensions and try again, or paste a token.";
const CUT_OFF = "The answer was cut off. Open Lines to see whether the line is there before you start again.";

/** Meta's own dialog in a window of its own. Its script is third-party, so it is loaded only on a click. */
export function SignUp({ settings }: { settings: SignUpSettings }) {
  const open = useOpenLine();
  const workspaceId = useWorkspaceId();
  const [stage, setStage] = useState<Stage>({ name: "idle" });

  const ask = async (sdk: MetaSdk) => {
    setStage({ name: "busy", words: "Continue in Meta’s window…" });
    const outcome = await openMetaDialog(sdk, settings);
    if ("message" in outcome) return setStage({ name: "failed", ...outcome });
    setStage({ name: "busy", words: "Checking the number with WhatsApp and connecting it…" });
    setStage(await connect(outcome));
  };
  const connect = async (finished: Finished): Promise<Stage> => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ workspaceId, ...finished })) form.set(name, value);
    const answer = await connectSignedUpLine(null, form).catch(() => undefined);
    if (!answer) return { name: "failed", message: CUT_OFF };
    if (!answer.ok) return { name: "failed", message: Object.values(answer.issues).join(" ") || answer.message };
    const { id, pin } = answer.value;
    if (pin !== null) return { name: "registered", id, pin };
    open({ id });
    return { name: "busy", words: "Connected." };
  };
  const start = async () => {
    if (stage.name === "busy") return;
    if (stage.name === "loaded") return ask(stage.sdk);
    setStage({ name: "busy", words: "Loading Meta’s dialog…" });
    const sdk = await loadMetaSdk(settings).catch(() => undefined);
    if (!sdk) return setStage({ name: "failed", message: NOT_LOADED });
    if (navigator.userActivation?.isActive === false) return setStage({ name: "loaded", sdk });
    await ask(sdk);
  };

  return (
    <div className="grid max-w-prose justify-items-start gap-3">
      <Button onClick={() => void start()} aria-disabled={stage.name === "busy"}>
        {stage.name === "loaded" ? "Open the dialog" : "Connect with Facebook"}
      </Button>
      <p className="text-sm text-muted">
        Opens Meta’s dialog in a new window: sign in there, choose your business and add or choose a number. Loads a
        script from Meta when you click.
      </p>
      <div aria-live="polite" className="grid w-full gap-2 empty:hidden">
        {stage.name === "busy" ? (
          <>
            <ProgressBar />
            <p className="text-sm text-muted">{stage.words}</p>
          </>
        ) : null}
        {stage.name === "failed" ? <Refusal>{stage.message}</Refusal> : null}
      </div>
      {stage.name === "registered" ? (
        // The PIN is stored nowhere: Meta asks for it when the number is registered again, such as at another provider.
        <ShownOnceText
          title="Line connected"
          value={stage.pin}
          label="the PIN"
          caution="Write this PIN down. It is not stored and not shown again."
          done="Open line"
          onDone={() => open(stage)}
        >
          It is the number’s PIN for two-step verification. WhatsApp asks for it when the number is registered again,
          for example with another provider. You can change it in WhatsApp Manager.
        </ShownOnceText>
      ) : null}
    </div>
  );
}
