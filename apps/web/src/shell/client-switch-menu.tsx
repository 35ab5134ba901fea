import type { SupportAccess } from '@custodia/contract'
import { supportObstacle } from '@custodia/domain/can'
import { Trans } from '@lingui/react/macro'
import { Menu, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { endSupportMode, startSupportMode } from '../api/support-mode.ts'
import { useProfile } from '../api/use-profile.ts'
import { ownApprovedQuery, TimeLeft } from '../components/support-access/support-access.tsx'
import { useTimeLeft } from '../components/support-access/time-left.ts'
import { Icon } from '../ui/icon.tsx'
import { useDropdownFocus } from '../ui/use-focus.ts'
import { useNow } from '../ui/use-now.ts'
import { ClientButton } from './client-button.tsx'
import type { Area } from './navigation.ts'

/** The provider's areas, and clients with an approved request of the user. In support mode only the exit. */
export default function ClientSwitchMenu({ area }: { area: Area }) {
  const { support, client_name } = useProfile()
  const [isOpen, setOpen] = useState(true)
  const { target, dropdown } = useDropdownFocus(isOpen)
  const ending = useMutation({ mutationFn: endSupportMode })
  return (
    <Menu position="bottom-start" width={280} opened={isOpen} onChange={setOpen}>
      <Menu.Target>
        <ClientButton ref={target} />
      </Menu.Target>
      <Menu.Dropdown ref={dropdown}>
        {support === null ? (
          <>
            <Menu.Label>
              <Trans>Provider</Trans>
            </Menu.Label>
            <Place to="/internal" isHere={area.home === '/internal'}>
              <Trans>Provider area</Trans>
            </Place>
            <Place to="/dashboard" isHere={area.home === '/dashboard'}>
              <Trans>The provider’s own account</Trans>
            </Place>
            <ApprovedClients />
          </>
        ) : (
          <>
            <Menu.Label>
              <Trans>Support mode: {client_name}</Trans>
            </Menu.Label>
            <Menu.Item leftSection={<Icon name="sign-out" size={16} />} onClick={() => ending.mutate()}>
              <Trans>End support mode</Trans>
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

const Place = (props: { to: '/internal' | '/dashboard'; isHere: boolean; children: React.ReactNode }) => (
  <Menu.Item
    leftSection={<Icon name={props.isHere ? 'check' : 'arrow-right'} size={16} />}
    aria-current={props.isHere ? 'true' : undefined}
    renderRoot={(root) => <Link {...root} to={props.to} />}
  >
    {props.children}
  </Menu.Item>
)

function ApprovedClients() {
  const { user_reference, actions } = useProfile()
  const now = useNow()
  const { data } = useQuery({
    ...ownApprovedQuery(user_reference),
    enabled:
      actions.includes('internal.support_mode:start') && actions.includes('internal.supportaccess:list'),
  })
  const starting = useMutation({ mutationFn: startSupportMode })
  const open = data?.filter(
    (request) => supportObstacle(request, 'start', { now, by: user_reference }) === undefined,
  )
  if (open === undefined || open.length === 0) return null
  return (
    <>
      <Menu.Divider />
      <Menu.Label>
        <Trans>Start support mode</Trans>
      </Menu.Label>
      {open.map((request) => (
        <ApprovedRequest
          key={request.request_reference}
          request={request}
          onStart={() => starting.mutate(request)}
        />
      ))}
    </>
  )
}

function ApprovedRequest({ request, onStart }: { request: SupportAccess; onStart: () => void }) {
  const left = useTimeLeft(request.approval_expiry ?? 0)
  return (
    <Menu.Item leftSection={<Icon name="lifebuoy" size={16} />} onClick={onStart}>
      {request.client}
      <Text size="xs" c="dimmed" className="tabular">
        {request.role} · <TimeLeft seconds={left} />
      </Text>
    </Menu.Item>
  )
}
