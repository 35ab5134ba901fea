import type { UserChangeName } from '@custodia/contract'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Menu } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { useMay } from '../../api/use-profile.ts'
import type { BulkProps } from '../../components/lists/list-definition.ts'
import { withTexts } from '../../i18n/i18n.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { useDropdownFocus } from '../../ui/use-focus.ts'
import { EnrolManyButton } from '../enrolments/enrol-button.tsx'

const HoldSetButton = lazy(() => withTexts('lazy', import('../legal-holds/hold-set-button.tsx')))
const ChangeUsers = lazy(() => import('./change-users.tsx'))

const ENTRIES: readonly { change: UserChangeName; label: MessageDescriptor; icon: IconName }[] = [
  { change: 'move', label: msg`Move to another group…`, icon: 'group' },
  { change: 'add_services', label: msg`Add services…`, icon: 'plus' },
  { change: 'remove_services', label: msg`Remove services…`, icon: 'minus' },
  { change: 'offboard', label: msg`Offboard…`, icon: 'sign-out' },
  { change: 'onboard', label: msg`Onboard again…`, icon: 'check' },
]

/** Acts on the selected device users, or on all that match the filters. */
export default function UserSet(props: BulkProps) {
  const may = useMay()
  return (
    <>
      <EnrolManyButton {...props} />
      {may('users:update') && may('users:review') && <ChangeMenu {...props} />}
      <HoldSetButton {...props} rows="device_users" />
    </>
  )
}

function ChangeMenu(props: BulkProps) {
  const { i18n } = useLingui()
  const [change, setChange] = useState<UserChangeName>()
  const [isOpen, setOpen] = useState(false)
  const { target, dropdown } = useDropdownFocus(isOpen)
  const close = () => setChange(undefined)
  return (
    <>
      <Menu opened={isOpen} onChange={setOpen} position="bottom-end" returnFocus={false}>
        <Menu.Target>
          <Button
            ref={target}
            size="xs"
            variant="default"
            rightSection={<Icon name="chevron-down" size={14} />}
          >
            <Trans>Change</Trans>
          </Button>
        </Menu.Target>
        <Menu.Dropdown ref={dropdown}>
          {ENTRIES.map((entry) => (
            <Menu.Item
              key={entry.change}
              leftSection={<Icon name={entry.icon} size={15} />}
              onClick={() => setChange(entry.change)}
            >
              {i18n._(entry.label)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Suspense>
        {change && (
          <ChangeUsers
            {...props}
            change={change}
            onClose={close}
            onDone={() => {
              close()
              props.onDone()
            }}
          />
        )}
      </Suspense>
    </>
  )
}
