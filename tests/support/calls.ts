import type { Call } from "@/lib/http/call";

/** A call of our own server, without a body. */
export const callWith = (headers: Record<string, string> = {}, more: Partial<Call> = {}): Call => ({
  method: "GET",
  url: new URL("http://localhost/"),
  headers: new Headers(headers),
  repeated: [],
  peer: "192.0.2.1",
  body: ({ end }) => {
    end();
    return () => {};
  },
  fault: undefined,
  params: {},
  ...more,
});
