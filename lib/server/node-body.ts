import type { IncomingMessage } from "node:http";
import type { BodySource } from "@/lib/core/request-bytes";

/** The body of Node's own request. */
export function nodeBody(request: IncomingMessage): BodySource {
  return ({ chunk, end, cut }) => {
    const stop = () => {
      request.off("data", chunk).off("end", end).off("close", cut);
      // What still comes is read and discarded, so that a client that is still sending can read its response.
      request.resume();
    };
    request.on("data", chunk).on("end", end).on("close", cut);
    // It may have ended before there was a listener.
    if (request.destroyed && !request.complete) cut();
    return stop;
  };
}
