import { Tabs } from "@/app/_components/list-links";

/** The pages of Usage. */
export function UsageTabs({ current }: { current: "messages" | "costs" }) {
  return (
    <Tabs
      label="Usage"
      tabs={[
        { href: "/dashboard/usage", word: "Messages", isCurrent: current === "messages" },
        { href: "/dashboard/usage/costs", word: "Costs", isCurrent: current === "costs" },
      ]}
    />
  );
}
