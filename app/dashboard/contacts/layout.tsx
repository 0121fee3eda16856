import { SidePanel } from "../_components/side-panel";

export default function ContactsLayout({ children, panel }: LayoutProps<"/dashboard/contacts">) {
  return <SidePanel panel={panel}>{children}</SidePanel>;
}
