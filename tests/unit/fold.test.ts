import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fold } from "@/lib/core/fold";

describe("texts that people type", () => {
  test.each([
    ["İPTAL", "iptal"],
    ["IPTAL", "ıptal"],
    ["STRASSE", "straße"],
    ["STRAẞE", "strasse"],
    ["ΣΤΟΠ ΟΛΟΣ", "στοπ όλος"],
    ["Ἀθῆναι", "αθηναι"],
    ["ARRÊT", "arret"],
    ["arre\u0302t", "arrêt"],
    ["DỪNG LẠI", "dung lai"],
    ["ŁÓDŹ Sørensen Đorđe Æsir", "lodz sorensen dorde aesir"],
    ["СТОП", "стоп"],
    ["ԴԱԴԱՐ", "դադար"],
    ["ႠႡ ᲐᲑ", "ⴀⴁ აბ"],
    ["ﬁn", "FIN"],
    ["ＳＴＯＰ", "stop"],
    ["ｽﾄｯﾌﾟ", "ストップ"],
    ["توقّـــف", "توقف"],
    ["إِلْغَاء", "إلغاء"],
    ["הָסֵר", "הסר"],
    ["st\u200bo\u00adp\ufeff", "stop"],
    ["\u202astop\u202c", "stop"],
    ["می\u200cخواهم", "میخواهم"],
    ["1️⃣", "1"],
    ["nein\u00a0\n danke ", "Nein danke"],
  ])("%j is %j", (one, other) => expect(fold(one)).toBe(fold(other)));

  test.each([
    ["мой", "мои"],
    ["все", "всё"],
    ["が", "か"],
    ["パ", "ハ"],
    ["ストップ", "すとっぷ"],
    ["काम", "कम"],
    ["फ़न", "फन"],
    ["ไม่", "ไม"],
    ["วัน", "วน"],
    ["أن", "ان"],
    ["آن", "ان"],
    ["বন্ধ", "বনধ"],
    ["stop", "stopp"],
  ])("%j is not %j: the sign makes another word", (one, other) => expect(fold(one)).not.toBe(fold(other)));

  test("are equal in either case and form, and folded once for all: every character, and any text", () => {
    const hold = (text: string) => {
      const folded = fold(text);
      const others = [folded, text.normalize("NFD"), text.normalize("NFC"), text.toLowerCase(), text.toUpperCase()];
      return others.every((other) => fold(other) === folded);
    };
    const letters = Array.from({ length: 0x20000 }, (_, code) => String.fromCodePoint(code)).filter((one) =>
      /(?!\p{Script=Han}|\p{Script=Hangul})[\p{L}\p{M}\p{N}]/u.test(one),
    );
    expect(letters.filter((letter) => !hold(letter))).toEqual([]);
    const unit = fc.oneof(
      fc.constantFrom(..."aAiIİıßẞſσςΣéё\u0301\u0307\u0640\u064e\u200d ´K1"),
      fc.nat(letters.length - 1).map((at) => letters[at] ?? ""),
    );
    // Without a letter, an iota subscript is none.
    const isText = (text: string) => !text.includes("\u0345");
    fc.assert(fc.property(fc.string({ unit }).filter(isText), hold));
  });
});
