import type { Payload, PayloadMeta } from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Text } from '@mantine/core'
import { Fact, Facts } from '../../components/facts.tsx'
import { formatDuration, viewerZone } from '../../ui/time-format.ts'
import { Time } from '../../ui/time.tsx'
import { formatOffset, formatWallClock } from './formats.ts'
import { interviewTimes } from './player/lanes.ts'
import { getTimeWarnings } from './time-warnings.ts'

/** Tolerance of a device's whole-second clock, in seconds. */
const ROUNDING = 2

/** Recorded against elapsed time of an interview; says where pauses do not explain the difference. */
function InterviewTimes({ meta }: { meta: PayloadMeta | undefined }) {
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

export function WhenFacts({ payload, meta }: { payload: Payload; meta: PayloadMeta | undefined }) {
  const { t, i18n } = useLingui()
  const end =
    payload.payload_end_time ?? (meta && 'payload_end_time' in meta ? meta.payload_end_time : undefined)
  const { local_time, timezone, timezone_offset, listed_at, length } = payload
  return (
    <Facts title={t`When`} isPart>
      <Fact label={t`Warnings`}>
        {getTimeWarnings(payload)
          .map((warning) => i18n._(warning))
          .join(' ')}
      </Fact>
      <Fact label={t`Listed at`}>{listed_at !== undefined && <Time at={listed_at} style="second" />}</Fact>
      <Fact label={t`Start`}>
        <Time at={payload.payload_time} style="second" />
        <Note>
          <Trans>time zone {viewerZone()}</Trans>
        </Note>
      </Fact>
      <Fact label={t`Local time there`}>
        {local_time !== undefined && (
          <>
            <time dateTime={local_time}>{formatWallClock(local_time, i18n.locale)}</time>
            <Note>
              {[timezone, timezone_offset !== undefined && formatOffset(timezone_offset)]
                .filter(Boolean)
                .join(', ')}
            </Note>
          </>
        )}
      </Fact>
      <Fact label={t`End`}>{end !== undefined && <Time at={end} style="second" />}</Fact>
      <InterviewTimes meta={meta} />
      <Fact label={t`Length`}>
        {length !== undefined && <Plural value={length} one="# character" other="# characters" />}
      </Fact>
    </Facts>
  )
}

const Note = ({ children }: { children: React.ReactNode }) => (
  <Text span size="xs" c="dimmed" display="block">
    {children}
  </Text>
)
