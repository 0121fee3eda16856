import { SidePanel } from "../_components/side-panel";

export default function RequestsLayout({ children, panel }: LayoutProps<"/dashboard/requests">) {
  return <SidePanel panel={panel}>{children}</SidePanel>;
}
