export { default, generateMetadata } from "../../[contactId]/page";
