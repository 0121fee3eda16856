/**
 * Words of the headings of files of contacts, in lower case: English, Spanish, Portuguese, Hindi, Indonesian, Arabic,
 * German, French, Italian, Turkish, Russian and Urdu, in which most people use WhatsApp; and Dutch, Bengali, Japanese, Chinese and Korean.
 */
export function wordsIn(text: string): readonly string[] {
  return text.split(/\s*[,|]\s*/);
}

/** Headings of mobile numbers. */
export const MOBILE = wordsIn(
  `mobile, mobiles, mobile phone, cell, cellphone, whatsapp, wa|
   móvil, movil, celular|
   telemóvel, telemovel|
   मोबाइल, व्हाट्सएप, व्हाट्सऐप|
   ponsel, hp, handphone, seluler|
   جوال, الجوال, موبايل, الموبايل, محمول, المحمول, واتساب|
   handy, handynummer, mobil, mobilnummer, mobiltelefon, mobilfunk, mobilfunknummer|
   portable, tél portable|
   cellulare|
   cep telefonu, cep numarası, cep no, gsm|
   мобильный, мобильного, моб, сотовый, ватсап|
   موبائل, واٹس ایپ|
   mobiel, mobiele|
   携帯電話, 携帯電話番号, 携帯番号, 携帯|
   手机, 手机号, 手机号码, 手機, 手機號碼|
   휴대폰, 휴대폰번호, 휴대전화, 핸드폰|
   মোবাইল, হোয়াটসঅ্যাপ`,
);

/** Headings of phone numbers of any kind. */
export const PHONE = wordsIn(
  `phone, phones, phonenumber, telephone, tel, msisdn, recipient, to|
   teléfono, telefono, teléfonos, tfno|
   telefone, fone|
   फ़ोन, फोन, दूरभाष|
   telepon, telp, telpon|
   هاتف, الهاتف, تليفون, تلفون|
   telefon, telefonnummer, rufnummer, fon|
   téléphone, tél|
   recapito telefonico|
   telefonu, telefon numarası|
   телефон, телефона, тел|
   فون|
   telefoon, telefoonnummer|
   電話番号, 電話|
   电话, 电话号码, 電話號碼|
   전화번호, 전화|
   ফোন`,
);

/**
 * What headings of another number of the same person have beside a word for phones or numbers. With any other word it may be
 * another person's: "Driver phone".
 */
const OF_THE_SAME_PERSON = wordsIn(
  `home, work, business, office, private, personal, main, primary, preferred, secondary, second, alternative, alternate, other, additional, default, address, billing, landline, car, day, evening, value, with, country, code, e 164, customer, client, your, my|
   casa, trabajo, oficina, particular, principal, otro, fijo, de, del, la, el, cliente|
   residencial, comercial, trabalho, outro, fixo, do, da|
   घर, कार्यालय|
   rumah, kantor, utama|
   المنزل, العمل, آخر, الرئيسي|
   privat, privates, geschäftlich, geschäft, dienstlich, arbeit, festnetz, zuhause, weitere, weiteres, andere, haupt, kunde, kunden|
   domicile, bureau, professionnel, pro, privé, fixe, principal, autre, du, le, client|
   ufficio, lavoro, abitazione, fisso, principale, altro|
   ev, iş, ofis, diğer, sabit|
   домашний, рабочий, основной, другой|
   گھر, دفتر|
   thuis, werk, zakelijk, privé, vast, overig, overige|
   自宅, 会社, 勤務先|
   家庭, 住宅, 公司, 办公, 工作|
   집, 회사, 직장|
   বাসা, অফিস`,
);

/** Headings of numbers, which may be phone numbers. */
export const NUMBER = wordsIn(
  `number, numbers|
   número, numero|
   नंबर|
   nomor, no|
   رقم, الرقم|
   nummer, nr|
   numéro|
   numara, numarası|
   номер|
   نمبر|
   নম্বর`,
);

/** Headings of numbers that are no phone numbers. */
export const OTHER_NUMBER = wordsIn(
  `id, customer, client, order, orders, account, invoice, item, product, sku, code, zip, postal, postcode, date, birthday, created, updated, spent, amount, price, total, vat, tax, iban, ssn, row, house|
   cliente, pedido, factura, cuenta, fecha, código, cp|
   nota, conta, data, cpf, cnpj, cep|
   ग्राहक, खाता, पिन|
   pelanggan, pesanan, tanggal, nik, ktp|
   العميل, الطلب, الحساب, التاريخ|
   kunden, kundennummer, kundennr, bestellung, bestellnummer, rechnung, rechnungsnummer, konto, kontonummer, artikel, artikelnummer, plz, datum, hausnummer, ust|
   commande, facture, compte, siret|
   ordine, fattura, cap, codice|
   müşteri, sipariş, fatura, hesap, tarih, posta|
   клиента, заказа, счета, дата, индекс, инн|
   گاہک, آرڈر|
   klant, klantnummer, bestelling, factuur|
   গ্রাহক`,
);

/** Headings of what describes a phone number, and of what is called otherwise. */
export const DESCRIPTION = wordsIn(
  `label, type, kind, extension, ext, country code, fax, telefax, pager, radio, telex, isdn, opt in, consent|
   tipo, etiqueta|
   etichetta|
   typ, beschriftung, bezeichnung, vorwahl|
   télécopie, télécopieur, type de, libellé|
   tür, etiket|
   факс, тип|
   النوع, فاكس|
   jenis, tipe|
   फैक्स, प्रकार`,
);

/** Headings of whole names that hold the word of a part. */
export const WHOLE_NAME = wordsIn(
  `full name, display name, contact name, customer name, first and last name, file as|
   nombre completo, nombre y apellidos, nombre y apellido|
   nome completo, nome e sobrenome, nome e cognome|
   पूरा नाम|
   nama lengkap|
   الاسم الكامل|
   vollständiger name, vor und nachname, vorname nachname, anzeigename|
   nom complet, nom et prénom, prénom et nom|
   ad soyad, adı soyadı, ad ve soyad, isim soyisim|
   имя и фамилия, фамилия имя|
   پورا نام|
   volledige naam|
   পুরো নাম`,
);

/** Headings of first names. */
export const FIRST_NAME = wordsIn(
  `first name, firstname, given name, givenname, fname, forename|
   primer nombre|
   primeiro nome|
   पहला नाम|
   nama depan|
   الاسم الأول|
   vorname, rufname|
   prénom, prenom|
   primo nome|
   پہلا نام|
   voornaam|
   名|
   প্রথম নাম`,
);

/** Headings of last names. */
export const LAST_NAME = wordsIn(
  `last name, lastname, family name, familyname, surname, lname|
   apellido, apellidos, primer apellido|
   sobrenome, apelido, último nome|
   उपनाम, अंतिम नाम|
   nama belakang|
   اسم العائلة, الاسم الأخير, اللقب|
   nachname, familienname, zuname|
   nom de famille|
   cognome|
   soyad, soyadı, soyisim|
   фамилия|
   خاندانی نام, آخری نام|
   achternaam|
   姓|
   শেষ নাম`,
);

/** Headings of names. */
export const NAME = wordsIn(
  `name, names, contact, customer, client, person|
   contacto, cliente|
   contato|
   नाम, संपर्क|
   nama, kontak|
   اسم, جهة الاتصال|
   kunde, kontakt|
   contact, client|
   nominativo, contatto|
   kişi, müşteri|
   фио, контакт, клиент|
   نام, رابطہ|
   naam, klant|
   氏名, 名前, お名前, 顧客名|
   姓名, 名字, 客户|
   이름, 성함, 고객명|
   নাম`,
);

/** Headings of first names where the file has last names, else of whole names. */
export const FIRST_OR_WHOLE_NAME = wordsIn(
  `nombre, nombres|
   nome|
   الاسم|
   ad, adı, isim|
   имя`,
);

/** Headings of last names where the file has first names, else of whole names. */
export const LAST_OR_WHOLE_NAME = wordsIn(`nom`);

const wordsOfAll = (...lists: (readonly string[])[]): ReadonlySet<string> =>
  new Set(lists.flat().flatMap((phrase) => phrase.split(" ")));

/** Every word of a heading that names a phone of the row's person. */
export const OWN_PHONE = wordsOfAll(MOBILE, PHONE, NUMBER, OF_THE_SAME_PERSON);

/** Every word of a heading that names the row's person. */
export const OWN_NAME = wordsOfAll(
  ...[WHOLE_NAME, FIRST_NAME, LAST_NAME, NAME, FIRST_OR_WHOLE_NAME, LAST_OR_WHOLE_NAME, OF_THE_SAME_PERSON],
);

/** Headings of names that are not the person's. */
export const NO_NAME = wordsIn(
  `phonetic, yomi, user, username, company, organization, organisation, business, product, nickname, prefix, suffix, middle, additional, address, e mail, email, mail, id, number, no, event, relation, group, groups, list, street, city, country, state, province, region, department, job, title, spouse, manager, assistant, owner, store, shop, brand, type, status, label, date, since, file as|
   empresa, segundo, calle, correo, ciudad, número|
   rua, cidade|
   perusahaan, kota, nomor|
   الشركة, المدينة, رقم|
   firma, unternehmen, straße, ort, nummer, nr, partner, titel|
   société, entreprise, deuxième, rue, ville, conjoint, responsable, numéro, titre|
   azienda, secondo, via, città|
   şirket, ikinci, şehir, numara|
   компания, отчество, город, номер|
   bedrijf, nummer|
   フリガナ, ふりがな, 会社名, 会社, 部署|
   कंपनी, शहर, नंबर|
   کمپنی, شہر`,
);

/** Headings of what is another person's than the row's. */
export const OTHER_PERSON = wordsIn(
  `assistant, assistants, manager, spouse, partner, emergency, parent, company main, shipping, delivery, owner, agent|
   assistenz, sekretariat, notfall, lieferung|
   assistante, urgence, livraison, conjoint|
   emergencia, envío, asistente, cónyuge|
   entrega, emergência|
   emergenza, spedizione`,
);

/** Headings of a country, or of its code. */
export const COUNTRY = wordsIn(
  `country, countrycode, nation, calling code, dial code, dialing code, dialling code, phone code, isd code|
   país, pais|
   देश|
   negara|
   الدولة, البلد, دولة, بلد|
   land, ländercode, ländervorwahl, landesvorwahl, staat|
   pays, indicatif|
   paese|
   ülke|
   страна, страны, країна|
   ملک|
   kraj|
   国, 国名, 国家, 國家|
   국가|
   দেশ`,
);

/** What headings in a language have, for those that are not English: some of its words, or its letters. */
export const LANGUAGES = new Map<string, readonly string[] | RegExp>([
  [
    "de",
    wordsIn(
      "vorname, nachname, telefon, telefonnummer, handy, handynummer, mobil, mobilnummer, mobiltelefon, rufnummer, kunde, kundennummer, straße, ort, plz, anrede",
    ),
  ],
  ["fr", wordsIn("prénom, prenom, nom, téléphone, tél, portable, ville, adresse, société, rue")],
  ["es", wordsIn("nombre, apellido, apellidos, teléfono, telefono, móvil, celular, correo, ciudad, dirección")],
  ["pt", wordsIn("nome, sobrenome, telefone, telemóvel, celular, endereço, cidade")],
  ["it", wordsIn("nome, cognome, telefono, cellulare, indirizzo, città")],
  ["nl", wordsIn("voornaam, achternaam, naam, telefoon, telefoonnummer, mobiel, straat, plaats")],
  ["tr", wordsIn("ad, adı, soyad, soyadı, isim, telefon, telefonu, cep, müşteri")],
  ["id", wordsIn("nama, nomor, telepon, hp, kontak")],
  ["sv", wordsIn("förnamn, efternamn, namn, telefon, mobil")],
  ["da", wordsIn("fornavn, efternavn, navn, telefon, mobil")],
  ["nb", wordsIn("fornavn, etternavn, navn, telefon, mobil")],
  ["pl", wordsIn("imię, nazwisko, telefon, komórka")],
  ["ru", /\p{Script=Cyrillic}/u],
  ["uk", /\p{Script=Cyrillic}/u],
  ["ar", /\p{Script=Arabic}/u],
  ["ur", /\p{Script=Arabic}/u],
  ["hi", /\p{Script=Devanagari}/u],
  ["bn", /\p{Script=Bengali}/u],
  ["ja", /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u],
  ["zh", /\p{Script=Han}/u],
  ["ko", /\p{Script=Hangul}/u],
  ["el", /\p{Script=Greek}/u],
  ["he", /\p{Script=Hebrew}/u],
  ["th", /\p{Script=Thai}/u],
]);
