/**
 * Decodes Windows-1252, which the web also calls Latin-1. As part of a stream, because several releases of Node read 0x80 to
 * 0x9F as control characters otherwise (findings/windows-1252.sh).
 */
export function fromWindows1252(bytes: Uint8Array): string {
  return new TextDecoder("windows-1252").decode(bytes, { stream: true });
}
