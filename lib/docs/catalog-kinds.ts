import { ENTRIES, MAX_CHARACTERS } from "@/lib/whatsapp/limits";
import { characters, entries, HEADER_TEXT, type InteractiveKind, TEXTS } from "./interactive-kind";

const CATALOG = "Of the catalog that is connected to the business account.";
const ORDER =
  "A cart that they send arrives with `type` `order`, and its products as JSON in `payload`. A question about a product is a text whose `context.product` names it.";

/** The kinds that show products of a catalog. */
export const CATALOG_KINDS: readonly InteractiveKind[] = [
  {
    id: "product",
    title: "Product",
    lead: "One product of your catalog.",
    limits: {
      body: `Optional. ${characters(MAX_CHARACTERS.body)}.`,
      footer: TEXTS.footer,
      catalog_id: CATALOG,
      product_retailer_id: "Its content id in the catalog.",
    },
    full: {
      type: "product",
      body: { text: "Back in stock." },
      action: { catalog_id: "1234567890", product_retailer_id: "lamp-1" },
    },
    answer: { words: ORDER },
  },
  {
    id: "product_list",
    title: "Product list",
    lead: "Several products of your catalog, in sections.",
    limits: {
      header: `Required. ${HEADER_TEXT}`,
      ...TEXTS,
      catalog_id: CATALOG,
      sections: `${entries(ENTRIES.sections)}, with ${entries(ENTRIES.products)} products in all`,
      "sections[].title": `${characters(MAX_CHARACTERS.sectionTitle)}; required with several sections`,
    },
    full: {
      type: "product_list",
      header: { type: "text", text: "For your desk" },
      body: { text: "These go with your order." },
      action: {
        catalog_id: "1234567890",
        sections: [
          {
            title: "Lamps",
            product_items: [{ product_retailer_id: "lamp-1" }, { product_retailer_id: "lamp-2" }],
          },
        ],
      },
    },
    answer: { words: ORDER },
  },
  {
    id: "catalog_message",
    title: "Catalog",
    lead: "A button that opens your whole catalog.",
    limits: { ...TEXTS, thumbnail_product_retailer_id: "Optional: the product whose picture is shown." },
    full: {
      type: "catalog_message",
      body: { text: "See what is new." },
      action: { name: "catalog_message", parameters: { thumbnail_product_retailer_id: "lamp-1" } },
    },
    answer: { words: ORDER },
  },
];
