"use client";

import { useCallback, useState } from "react";
import { Button } from "@/app/_components/button";
import { Dialog } from "@/app/_components/dialog";
import { DialogForm } from "../../_components/dialog-form";
import { change } from "../actions";
import { EndpointFields, type EndpointSettings } from "../endpoint-fields";

type Props = { workspaceId: string; endpoint: EndpointSettings & { id: string }; urlHint: string };

export function EditEndpoint({ workspaceId, endpoint, urlHint }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const close = useCallback(() => setIsOpen(false), []);
  return (
    <>
      <Button look="secondary" onClick={() => setIsOpen(true)}>
        Edit
      </Button>
      <Dialog title={`Edit ${endpoint.label}`} isOpen={isOpen} onClose={close}>
        <DialogForm
          action={change}
          workspaceId={workspaceId}
          confirm="Save"
          busy="Saving…"
          onCancel={close}
          onDone={close}
        >
          <input type="hidden" name="endpointId" value={endpoint.id} />
          <EndpointFields settings={endpoint} urlHint={`${urlHint} Waiting events go to the new URL.`} />
        </DialogForm>
      </Dialog>
    </>
  );
}
