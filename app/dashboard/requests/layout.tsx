export { SidePanel as default } from "../_components/side-panel";
