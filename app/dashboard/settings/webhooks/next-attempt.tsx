import { Timestamp } from "@/app/_components/timestamp";

type Props = { at: Date | null; isPaused: boolean; timeZone: string; withDay?: boolean };

/** When a waiting delivery is attempted next. */
export function NextAttempt({ at, isPaused, timeZone, withDay = true }: Props) {
  if (isPaused) return <>after a resume</>;
  if (at === null) return <>after its earlier events</>;
  return at.getTime() <= Date.now() ? <>now</> : <Timestamp at={at} timeZone={timeZone} withDay={withDay} />;
}
