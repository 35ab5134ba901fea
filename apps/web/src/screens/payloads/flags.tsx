import type { Payload } from '@custodia/contract'
import { Trans } from '@lingui/react/macro'
import { Badge } from '@mantine/core'
import { Icon } from '../../ui/icon.tsx'
import { HeldBadge } from '../../components/held-badge.tsx'
import { timeWarningsOf } from './time-warnings.ts'

/** Flags of a payload: implausible times, late upload, migrated, legal hold. */
export function Flags({
  payload,
}: {
  payload: Pick<Payload, 'time_warnings' | 'is_held' | 'is_late' | 'is_legacy' | 'listed_at'>
}) {
  return (
    <>
      {timeWarningsOf(payload).length > 0 && (
        <Badge color="orange" leftSection={<Icon name="warning" size={13} />}>
          <Trans>Uncertain time</Trans>
        </Badge>
      )}
      {payload.is_late && (
        <Badge color="orange" leftSection={<Icon name="clock" size={13} />}>
          <Trans>Late</Trans>
        </Badge>
      )}
      {payload.is_legacy && (
        <Badge color="indigo" leftSection={<Icon name="archive" size={13} />}>
          <Trans>Legacy</Trans>
        </Badge>
      )}
      <HeldBadge is_held={payload.is_held} />
    </>
  )
}
