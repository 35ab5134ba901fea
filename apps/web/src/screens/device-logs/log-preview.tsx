import type { DeviceLog } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { Stack, Text } from '@mantine/core'
import { Moment } from '../../components/cells.tsx'
import { OwnerFacts } from '../../components/devices/owners.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { NotLoaded, type PreviewProps } from '../../components/record-preview.tsx'
import { Reference } from '../../ui/reference.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'
import { Level } from './log-columns.tsx'

/** Preview of a log: the full message and its device. */
export default function LogPreview({ row }: PreviewProps<DeviceLog>) {
  const { t } = useLingui()
  if (!row) return <NotLoaded />
  const { payload_reference } = row
  return (
    <Stack>
      <div>
        <Level level={row.log_level} />
      </div>
      <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{visible(row.log_message)}</Text>
      <Facts title={t`When`}>
        <Fact label={t`Time`}>
          <Moment at={row.log_datetime} seconds zone={row.local_timezone} />
        </Fact>
        <Fact label={t`Phone time zone`}>{visible(row.local_timezone)}</Fact>
        <Fact label={t`Received`}>
          <Time at={row.received_at} />
        </Fact>
      </Facts>
      <Facts title={t`Who`}>
        <OwnerFacts row={row} />
      </Facts>
      <Facts title={t`What`}>
        <Fact label={t`Part of the app`}>{visible(row.log_class)}</Fact>
        <Fact label={t`Recording`}>
          {payload_reference !== null && <Reference value={payload_reference} length={28} />}
        </Fact>
        <Fact label={t`Log`}>
          <Reference value={row.log_id} length={28} />
        </Fact>
      </Facts>
    </Stack>
  )
}
