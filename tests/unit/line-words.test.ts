import { expect, test } from "vitest";
import { limitWord, qualityWord, throughputWord } from "@/lib/phone-numbers/words";

test.each([
  [limitWord("TIER_250"), "250 people a day"],
  [limitWord("TIER_2K"), "2,000 people a day"],
  [limitWord("TIER_100K"), "100,000 people a day"],
  [limitWord("TIER_UNLIMITED"), "Any number of people a day"],
  [limitWord("UNTIERED"), "Untiered"],
  [limitWord(null), null],
  [qualityWord("YELLOW"), "Medium"],
  [qualityWord("SOMETHING_NEW"), "Something new"],
  [qualityWord(null), null],
  [throughputWord("STANDARD"), "80 messages a second"],
  [throughputWord("EXTREME"), "Extreme"],
])("%j", (reported, words) => expect(reported).toBe(words));
