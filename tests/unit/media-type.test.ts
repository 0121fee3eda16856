import { describe, expect, test } from "vitest";
import { mediaTypeOf } from "@/lib/media/media-link";

const box = (brand: string) => Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from(`ftyp${brand}`, "latin1")]);

describe("mediaTypeOf", () => {
  test.each([
    ["image/jpeg", Buffer.from([0xff, 0xd8, 0xff, 0xe0])],
    ["image/png", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0])],
    ["application/pdf", Buffer.from("%PDF-1.7")],
    ["video/mp4", box("isom")],
    ["video/mp4", box("mp42")],
    ["video/mp4", box("M4V ")],
    ["video/3gpp", box("3gp5")],
  ])("%s is known by its first bytes", (mimeType, bytes) => {
    expect(mediaTypeOf(bytes)).toBe(mimeType);
  });

  test.each([
    ["nothing", Buffer.alloc(0)],
    ["half a signature", Buffer.from([0x89, 0x50, 0x4e])],
    ["a GIF", Buffer.from("GIF89a")],
    ["a WebP", Buffer.from("RIFF0000WEBP")],
    ["HTML", Buffer.from("<!doctype html>")],
    ["an SVG", Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'>")],
    ["a QuickTime film", box("qt  ")],
    ["an audio file", box("M4A ")],
    ["a HEIC picture", box("heic")],
    ["an AVIF picture", box("avif")],
    ["a box cut short", box("is")],
  ])("%s is not taken", (_, bytes) => {
    expect(mediaTypeOf(bytes)).toBeUndefined();
  });
});
