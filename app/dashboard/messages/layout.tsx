import { SidePanel } from "../_components/side-panel";

export default function MessagesLayout({ children, panel }: LayoutProps<"/dashboard/messages">) {
  return <SidePanel panel={panel}>{children}</SidePanel>;
}
