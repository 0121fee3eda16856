import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Role } from "@/db/schema/identity";
import { asWord, matcherOf, StopWords } from "@/lib/contacts/stop-words";
import { type InvitationState, invitationState } from "@/lib/workspaces/invitations";
import { memberFault, rolesWithinReach } from "@/lib/workspaces/roles";
import { isTimeZone, TimeZone, timeZoneNames } from "@/lib/workspaces/workspace-fields";

const ROLES: Role[] = ["owner", "admin", "member"];

describe("who may change whom", () => {
  test("no one reaches above themselves, and members reach no one", () => {
    expect(ROLES.map(rolesWithinReach)).toEqual([["owner", "admin", "member"], ["admin", "member"], []]);
    for (const acting of ROLES) {
      for (const target of ROLES) {
        for (const role of [...ROLES, null]) {
          const membership = {
            acting: { userId: "a", role: acting },
            target: { userId: "b", role: target },
            ownerCount: 2,
          };
          const reach = rolesWithinReach(acting);
          const isAllowed = reach.includes(target) && (role === null || reach.includes(role));
          expect(memberFault(membership, role) === undefined, `${acting} ${target} ${role}`).toBe(isAllowed);
        }
      }
    }
  });

  test("everyone may leave, but the last owner neither leaves nor steps down nor is removed", () => {
    for (const role of ROLES) {
      const self = { userId: "a", role };
      expect(memberFault({ acting: self, target: self, ownerCount: 2 }, null)).toBeUndefined();
      const last = memberFault({ acting: self, target: self, ownerCount: 1 }, null);
      expect(last === undefined).toBe(role !== "owner");
    }
    const owner = { userId: "a", role: "owner" as const };
    expect(memberFault({ acting: owner, target: owner, ownerCount: 1 }, "admin")).toContain("last owner");
    expect(memberFault({ acting: owner, target: owner, ownerCount: 1 }, "owner")).toBeUndefined();
  });

  test("someone who is no longer a member changes no one", () => {
    const target = { userId: "b", role: "member" as const };
    expect(memberFault({ acting: undefined, target, ownerCount: 1 }, null)).toBeDefined();
  });
});

test("an invitation is what happened to it first", () => {
  const [past, now, future] = [new Date(1_000), new Date(2_000), new Date(3_000)];
  const none = { acceptedAt: null, revokedAt: null, expiresAt: future };
  const cases: [InvitationState, Parameters<typeof invitationState>[0]][] = [
    ["open", none],
    ["expired", { ...none, expiresAt: now }],
    ["revoked", { ...none, revokedAt: past, expiresAt: past }],
    ["accepted", { ...none, acceptedAt: past, expiresAt: past }],
  ];
  for (const [state, invitation] of cases) expect(invitationState(invitation, now)).toBe(state);
});

test("a stop word is in lower case, without what surrounds it, and keeps its vowel signs", () => {
  const words = { "  „STOP!“ ": "stop", "Stop ❤️": "stop", "1️⃣": "1", "Nein,\n danke.": "nein, danke" };
  for (const [text, word] of Object.entries(words)) expect(asWord(text), text).toBe(word);
  for (const word of ["रोकें", "हाँ", "ไม่", "বন্ধ করো", "café"]) expect(asWord(`${word}!`)).toBe(word);
});

test("a stop word matches in any spelling of its letters, also one that was saved before", () => {
  const isStop = matcherOf(["iptal", "arrêt", "στοπ όλος", "توقف", "stopp"]);
  for (const text of ["İPTAL!", "ıptal", "Arret.", "ΣΤΟΠ ΟΛΟΣ", "تَوَقُّـف", "st\u200bopp"])
    expect(isStop(text), text).toBe(true);
  for (const text of ["stop", "", "!", "\u0640", "iptal et"]) expect(isStop(text), text).toBe(false);
  expect(["", "\u0640"].some(matcherOf([]))).toBe(false);
});

test("property: a stop word of any language counts with invisible characters anywhere in it and with marks around it", () => {
  const languages =
    "stop,arrêt,baja,parar,iptal,dừng lại,стоп,στοπ,դադար,შეწყვეტა,توقف,لغو‌عضویت,بند کرو,הסר,रोकें,बंद करो,ਰੋਕੋ,রোকো,বন্ধ,રોકો,நிறுத்து,ఆపు,ನಿಲ್ಲಿಸಿ,നിർത്തുക,නවත්වන්න,ไม่เอา,หยุด,ຢຸດ,ရပ်ပါ,ឈប់ផ្ញើ,བཀག,አቁም,停止,ストップ,그만,그만\u1112\u1161";
  const hidden = fc.constantFrom(
    ..."\u200b\u200c\u200d\u200e\u202a\u2060\ufeff\u00ad\u034f\u061c\u180e\ufe0f\u115f\u3164",
  );
  const around = fc.constantFrom("", "!", " .", "„", "…\u200d ", "!\u3164");
  const written = fc
    .constantFrom(...languages.split(","))
    .chain((word) =>
      fc.tuple(
        fc.constant(word),
        fc.array(fc.tuple(fc.nat([...word].length), hidden), { minLength: 1, maxLength: 6 }),
        around,
        around,
      ),
    );
  fc.assert(
    fc.property(written, ([word, strewn, before, after]) => {
      const letters = [...word];
      for (const [place, mark] of strewn.toSorted(([a], [b]) => b - a)) letters.splice(place, 0, mark);
      const text = `${before}${letters.join("")}${after}`;
      expect(matcherOf([word])(text), JSON.stringify(text)).toBe(true);
      // Also one that an owner copied from somewhere with such characters in it.
      expect(matcherOf([asWord(text)])(word), JSON.stringify(text)).toBe(true);
    }),
    { numRuns: 3_000 },
  );
});

test("stop words are saved once in whatever spelling, and none allows what it stops", () => {
  const given = (stopWords: string, startWords = "") => StopWords.safeParse({ stopWords, startWords });
  expect(given("Arrêt, ARRET, iptal, İPTAL").data?.stopWords).toEqual(["arrêt", "iptal"]);
  expect(given("abmelden; nein danke\nقف، إلغاء、停止").data?.stopWords).toHaveLength(5);
  expect(given("\u0640").error?.issues[0]?.message).toBe("A word needs a letter or a digit.");
  expect(given("Arrêt", "arret").error?.issues[0]?.message).toBe("A word cannot stop marketing and allow it.");
});

test.each([
  ["Berlin", "Europe/Berlin"],
  ["new york", "America/New_York"],
  ["UTC", "UTC"],
  ["Europe/Nowhere", undefined],
])("a city by itself is its zone: %s is %s", (typed, zone) => {
  expect(TimeZone.safeParse(typed).data).toBe(zone);
});

test("every zone to choose is a zone; offsets and made-up places are none", () => {
  expect(timeZoneNames().filter((name) => !isTimeZone(name))).toEqual([]);
  expect(timeZoneNames()).toContain("Europe/Berlin");
  expect(["+02:00", "Europe/Nowhere", "", "CET", "eet", "AET", "IST", "US/Pacific-New"].filter(isTimeZone)).toEqual([]);
});
