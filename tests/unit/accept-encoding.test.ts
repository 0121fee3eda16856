import { expect, test } from "vitest";
import { takesGzip } from "@/lib/http/requests";

test.each([
  ["gzip", true],
  ["x-gzip", true],
  ["GZIP;Q=0.5", true],
  ["br, gzip;q=0.1", true],
  ["gzip , deflate, br", true],
  ["*", true],
  ["*;q=0.2, br", true],
  ["gzip, *;q=0", true],
  ["identity;q=0, gzip;q=0.1", true],
  ["", false],
  ["br", false],
  ["identity", false],
  ["gzipped", false],
  ["gzip;q=0", false],
  ["gzip; q = 0.000", false],
  ["gzip;q=0, *", false],
  ["gzip;q=nonsense", false],
  ["*;q=0", false],
  ["identity, gzip;q=0.5", false],
  ["gzip;q=0.5, *", false],
])("Accept-Encoding %j takes gzip: %s", (header, takes) => {
  expect(takesGzip(header)).toBe(takes);
});
