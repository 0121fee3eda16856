import { createHash } from "node:crypto";
import type { MediaFormat } from "@/lib/whatsapp/components";

/** A public address and what it is to be: checked as a picture, it is not yet checked as a video. */
export type MediaLink = { format: MediaFormat; link: string };

/** Equal for the same address in the same role. */
export function mediaKey({ format, link }: MediaLink): string {
  return `${format} ${link}`;
}

export function mediaDigest(media: MediaLink): Uint8Array {
  return createHash("sha256").update(mediaKey(media)).digest();
}
