import { afterEach, describe, expect, test } from "vitest";
import { frontDoor, hasFrontDoor, ownOrigin, setFrontDoor } from "@/lib/core/own-server";

const DOOR = Symbol.for("switchboard.front-door");

describe("frontDoor", () => {
  afterEach(() => {
    Reflect.get(globalThis, DOOR).of = undefined;
  });

  test("is where the server says that it listens, for every bundle of the process", () => {
    setFrontDoor({ origin: "http://127.0.0.1:3000" });
    expect(ownOrigin()).toBe("http://127.0.0.1:3000");
    expect(Reflect.get(globalThis, DOOR).of).toBe(frontDoor());
  });

  test("is absent where Next runs by itself", () => {
    expect(hasFrontDoor()).toBe(false);
  });
});
