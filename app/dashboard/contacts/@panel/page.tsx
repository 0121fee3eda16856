export { EmptySlot as default } from "../../_components/side-panel";
