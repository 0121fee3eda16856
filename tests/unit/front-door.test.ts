import { afterEach, describe, expect, test } from "vitest";
import { frontDoor } from "@/lib/front-door";

const FRONT_DOOR = Symbol.for("switchboard.frontDoor");

describe("frontDoor", () => {
  afterEach(() => {
    Reflect.deleteProperty(globalThis, FRONT_DOOR);
  });

  test("is where server.mjs says that it listens", () => {
    Reflect.set(globalThis, FRONT_DOOR, { origin: "http://127.0.0.1:3000" });
    expect(frontDoor()).toEqual({ origin: "http://127.0.0.1:3000" });
  });

  test.each([[undefined], [null], ["http://127.0.0.1"], [{}], [{ origin: 1 }]])(
    "is absent where it says %j",
    (door) => {
      Reflect.set(globalThis, FRONT_DOOR, door);
      expect(frontDoor()).toBeUndefined();
    },
  );
});
