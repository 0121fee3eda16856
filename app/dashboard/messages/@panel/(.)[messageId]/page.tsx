export { default, generateMetadata } from "../../[messageId]/page";
