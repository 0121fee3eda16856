import { createHash } from "node:crypto";
import type { MediaFormat } from "@/lib/whatsapp/message-payload";

/** A public URL and its expected kind: a URL checked as a picture is not checked as a video. */
export type MediaLink = { format: MediaFormat; link: string };

/** Returns the same key for the same URL and kind. */
export function mediaKey({ format, link }: MediaLink): string {
  return `${format} ${link}`;
}

export function mediaDigest(media: MediaLink): Uint8Array {
  return createHash("sha256").update(mediaKey(media)).digest();
}

const SIGNATURES: readonly (readonly [mimeType: string, bytes: readonly number[]])[] = [
  ["image/jpeg", [0xff, 0xd8, 0xff]],
  ["image/png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ["application/pdf", [0x25, 0x50, 0x44, 0x46, 0x2d]],
];

/** Brands of the same container that WhatsApp does not accept as video: QuickTime, audio and still pictures. */
const OTHER_BRANDS = /^(?:qt |M4[ABP]|F4[ABP]|hei|hev|mif|msf|avi|crx|jp[2mx])/;

/** Returns the MIME type by magic bytes: JPEG, PNG, MP4, 3GP or PDF; undefined for anything else. */
export function mediaTypeOf(bytes: Uint8Array): string | undefined {
  const known = SIGNATURES.find(([, signature]) => signature.every((byte, at) => bytes[at] === byte));
  return known ? known[0] : videoTypeOf(bytes);
}

/** MP4 and 3GP begin with an `ftyp` box, whose first word is the brand. */
function videoTypeOf(bytes: Uint8Array): string | undefined {
  if (ascii(bytes, 4) !== "ftyp") return undefined;
  const brand = ascii(bytes, 8);
  if (brand.startsWith("3g")) return "video/3gpp";
  return brand.length < 4 || OTHER_BRANDS.test(brand) ? undefined : "video/mp4";
}

const ascii = (bytes: Uint8Array, from: number): string => String.fromCharCode(...bytes.subarray(from, from + 4));

/** Uploaded media. `fileName` is the name that recipients see for a document; null for pictures and videos. */
export type UploadedMedia = { whatsappMediaId: string; fileName: string | null };
