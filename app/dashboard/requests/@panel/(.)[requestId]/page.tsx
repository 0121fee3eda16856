export { default, generateMetadata } from "../../[requestId]/page";
