import type { DeviceUser } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { Badge } from '@mantine/core'
import { Icon } from '../../ui/icon.tsx'

/** Whether a person is recorded, as icon, word and colour. */
export function UserState({ user }: { user: Pick<DeviceUser, 'is_active'> }) {
  const { t } = useLingui()
  return user.is_active ? (
    <Badge color="teal" leftSection={<Icon name="check" size={13} />}>
      {t({ context: 'person', message: 'Onboarded' })}
    </Badge>
  ) : (
    <Badge color="gray" leftSection={<Icon name="sign-out" size={13} />}>
      {t({ context: 'person', message: 'Offboarded' })}
    </Badge>
  )
}
