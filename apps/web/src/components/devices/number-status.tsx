import type { DeviceNumber } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Badge, Text } from '@mantine/core'
import { Icon } from '../../ui/icon.tsx'
import { Time } from '../../ui/time.tsx'

/** How a device's number is known: verified by a text message, or only reported by the device. */
export function NumberStatus({
  number: { first_verified, last_verified, is_contested },
}: {
  number: Pick<DeviceNumber, 'first_verified' | 'last_verified' | 'is_contested'>
}) {
  const { t } = useLingui()
  if (is_contested)
    return (
      <Badge color="orange" leftSection={<Icon name="warning" size={13} />}>
        {t`Used by another device`}
      </Badge>
    )
  if (first_verified === null || last_verified === null)
    return (
      <Badge color="gray" title={t`Reported by the phone; not verified by text message.`}>
        {t({ context: 'number', message: 'Reported' })}
      </Badge>
    )
  return (
    <>
      <Badge color="teal" leftSection={<Icon name="check" size={13} />}>
        {t({ context: 'number', message: 'Verified' })}
      </Badge>{' '}
      <Text span size="xs" c="dimmed">
        <Time at={first_verified} style="day" />
        {last_verified - first_verified >= 86_400 && (
          <Trans>
            {' '}
            until <Time at={last_verified} style="day" />
          </Trans>
        )}
      </Text>
    </>
  )
}
