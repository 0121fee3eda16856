import { CLOSED, readSignUpMessage, type SignUpMessage } from "@/lib/whatsapp/sign-up-message";

export type SignUpSettings = { appId: string; configId: string; graphVersion: string };

type LoginResponse = { authResponse?: { code?: string } | null };

/** The part of Meta's script that is used. */
export type MetaSdk = {
  init: (options: { appId: string; version: string; status: boolean; cookie: boolean; xfbml: boolean }) => void;
  login: (done: (response: LoginResponse) => void, options: object) => void;
};

declare global {
  interface Window {
    FB?: MetaSdk;
  }
}

const SDK = "https://connect.facebook.net/en_US/sdk.js";
/** The ids usually arrive before the code; after the window is closed they can only be late by a moment. */
const LATE_MS = 5_000;

/** Loads Meta's script, at the first click and not before; throws if the browser could not load it. */
export async function loadMetaSdk({ appId, graphVersion }: SignUpSettings): Promise<MetaSdk> {
  if (!window.FB) await addScript();
  if (!window.FB) throw new Error("Meta's script defines no FB");
  window.FB.init({ appId, version: graphVersion, status: false, cookie: false, xfbml: false });
  return window.FB;
}

const addScript = () =>
  new Promise<void>((resolve, reject) => {
    const script = document.createElement("script");
    script.src = SDK;
    script.async = true;
    script.onload = () => resolve();
    script.onerror = () => {
      script.remove();
      reject(new Error("Meta's script could not be loaded"));
    };
    document.head.append(script);
  });

export type Finished = { code: string; whatsappBusinessAccountId: string; whatsappPhoneNumberId: string };

/** Opens Meta's dialog; returns the code with the chosen number, or why there is none. */
export function openMetaDialog(sdk: MetaSdk, { configId }: SignUpSettings): Promise<Finished | { message: string }> {
  return new Promise((resolve) => {
    let code: string | undefined;
    let reported: SignUpMessage | undefined;
    const end = (outcome: Finished | { message: string }) => {
      removeEventListener("message", listen);
      resolve(outcome);
    };
    const settle = () => {
      if (reported?.outcome === "stopped") return end(reported);
      if (!reported || code === undefined) return;
      const { outcome: _, ...ids } = reported;
      end({ code, ...ids });
    };
    const listen = ({ origin, data }: MessageEvent) => {
      reported = readSignUpMessage(origin, data) ?? reported;
      settle();
    };
    addEventListener("message", listen);
    sdk.login(
      (response) => {
        code = response.authResponse?.code;
        if (code === undefined) return end(reported?.outcome === "stopped" ? reported : { message: CLOSED });
        settle();
        setTimeout(() => end({ message: NO_IDS }), LATE_MS);
      },
      {
        config_id: configId,
        response_type: "code",
        override_default_response_type: true,
        extras: { setup: {}, sessionInfoVersion: "3", version: "v4" },
      },
    );
  });
}

const NO_IDS = "Meta’s dialog did not report which number was chosen. Nothing was stored: start again.";
