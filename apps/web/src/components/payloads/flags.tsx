import type { Payload } from '@custodia/contract'
import { Trans } from '@lingui/react/macro'
import { Badge } from '@mantine/core'
import { Icon } from '../../ui/icon.tsx'

/** What is remarkable about a payload besides its state: uploaded late, brought from the legacy platform. */
export function Flags({ payload }: { payload: Pick<Payload, 'is_late' | 'is_legacy'> }) {
  return (
    <>
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
    </>
  )
}
