import { Trans } from '@lingui/react/macro'
import { leftText } from './time-left.ts'

/** '2 d 4 h left', '59 min left', '4:59 left'. */
export function TimeLeft({ seconds }: { seconds: number }) {
  const time = leftText(seconds)
  return seconds <= 0 ? <Trans>Time expired</Trans> : <Trans>{time} left</Trans>
}
