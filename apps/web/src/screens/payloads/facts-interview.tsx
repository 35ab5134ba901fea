import type { PayloadMeta } from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Text } from '@mantine/core'
import { formatDuration } from '../../ui/time-format.ts'
import { Fact } from '../../components/facts.tsx'
import { interviewTimes } from './player/lanes.ts'

/** Tolerance of a device's whole-second clock, in seconds. */
const ROUNDING = 2

/** Recorded against elapsed time of an interview; says where pauses do not explain the difference. */
export function InterviewTimes({ meta }: { meta: PayloadMeta | undefined }) {
  const { t } = useLingui()
  const times = interviewTimes(meta)
  if (times === undefined) return null
  const { recorded, paused, elapsed, pauses } = times
  const missing = Math.abs(elapsed - recorded - paused)
  const gap = formatDuration(missing)
  return (
    <>
      <Fact label={t({ context: 'how long', message: 'Recorded' })}>{formatDuration(recorded)}</Fact>
      <Fact label={t`Elapsed`}>
        {formatDuration(elapsed)}
        {missing > ROUNDING && (
          <Text span size="xs" c="dimmed" display="block">
            <Trans>differs by {gap} from recorded plus paused time</Trans>
          </Text>
        )}
      </Fact>
      <Fact label={t`Paused`}>
        {pauses > 0 && (
          <>
            {formatDuration(paused)} (<Plural value={pauses} one="# pause" other="# pauses" />)
          </>
        )}
      </Fact>
    </>
  )
}
