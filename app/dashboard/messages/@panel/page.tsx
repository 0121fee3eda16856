export { NothingHere as default } from "../../_components/side-panel";
