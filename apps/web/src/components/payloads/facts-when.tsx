import type { Payload, PayloadMeta } from '@custodia/contract'
import type { I18n } from '@lingui/core'
import { Plural, Trans } from '@lingui/react/macro'
import { Text } from '@mantine/core'
import { formatDuration, viewerZone } from '../../ui/time-format.ts'
import { Time } from '../../ui/time.tsx'
import { doubtsOf } from './doubts.ts'
import type { Fact } from './fact.ts'
import { formatWallClock, formatOffset } from './wall-clock.ts'

export function whenFacts(payload: Payload, meta: PayloadMeta | undefined, i18n: I18n): (Fact | false)[] {
  const end =
    payload.payload_end_time ?? (meta && 'payload_end_time' in meta ? meta.payload_end_time : undefined)
  const { local_time, timezone, timezone_offset } = payload
  const doubts = doubtsOf(payload)
  return [
    doubts.length > 0 && [
      <Trans key="doubts">Doubts</Trans>,
      <span key="value">{doubts.map((doubt) => i18n._(doubt)).join(' ')}</span>,
    ],
    payload.listed_at !== undefined && [
      <Trans key="listed">Listed at</Trans>,
      <Time key="value" at={payload.listed_at} style="second" />,
    ],
    [
      <Trans key="start">Start</Trans>,
      <span key="value">
        <Time at={payload.payload_time} style="second" />
        <Note>
          <Trans>your zone, {viewerZone()}</Trans>
        </Note>
      </span>,
    ],
    local_time !== undefined && [
      <Trans key="local">Local time there</Trans>,
      <span key="value">
        <time dateTime={local_time}>{formatWallClock(local_time, i18n.locale)}</time>
        <Note>
          {[timezone, timezone_offset !== undefined && formatOffset(timezone_offset)]
            .filter(Boolean)
            .join(', ')}
        </Note>
      </span>,
    ],
    end !== undefined && [<Trans key="end">End</Trans>, <Time key="value" at={end} style="second" />],
    payload.duration !== undefined && [
      <Trans key="duration">Duration</Trans>,
      <span key="value" className="tabular">
        {formatDuration(payload.duration)}
      </span>,
    ],
    payload.length !== undefined && [
      <Trans key="length">Length</Trans>,
      <Plural key="value" value={payload.length} one="# character" other="# characters" />,
    ],
  ]
}

const Note = ({ children }: { children: React.ReactNode }) => (
  <Text span size="xs" c="dimmed" display="block">
    {children}
  </Text>
)
