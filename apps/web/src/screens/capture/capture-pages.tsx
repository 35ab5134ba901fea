import type { DeviceUser } from '@custodia/contract'
import { type ReactNode, useMemo } from 'react'
import { ListPage } from '../../components/lists/list-page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { Badge, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { keyOf } from '../../api/call-keys.ts'
import { fleetApi } from '../../api/fleet-api.ts'
import { Icon } from '../../ui/icon.tsx'
import { SERVICE_WORDS } from '../../components/service-words.ts'
import { GAP_REASON_WORDS, gaps, gapsOfUser } from './gap-lists.tsx'

/** `/dashboard/devices?tab=capture`: capture gaps of all device users. */
export const Capture = () => <ListPage list={gaps} />

/** Capture gaps of one person, below the current state. */
export function CaptureOfUser({ user, head }: { user: DeviceUser; head: ReactNode }) {
  const list = useMemo(() => gapsOfUser(user.device_user_reference), [user.device_user_reference])
  return (
    <ListPage
      list={list}
      head={
        <>
          {head}
          <CaptureNow user={user} />
        </>
      }
    />
  )
}

/** Services of a device user: captured now, or the reason why not. */
function CaptureNow({ user }: { user: DeviceUser }) {
  const { i18n } = useLingui()
  const { device_user_reference } = user
  const input = { params: { device_user_reference }, query: { is_open: true } }
  const { data } = useQuery({
    queryKey: keyOf('listCaptureGapsOfUser', input),
    queryFn: ({ signal }) => fleetApi.listCaptureGapsOfUser(input, { signal }),
  })
  if (!data || !('data' in data)) return null
  const open = new Map(data.data.map((gap) => [gap.service, gap.reason]))
  const ordered = user.is_active ? user.services : []
  if (ordered.length === 0)
    return (
      <Text size="sm" mb="md">
        <Trans>No recorded services.</Trans>
      </Text>
    )
  return (
    <Group gap="xs" mb="md">
      {ordered.map((service) => {
        const reason = open.get(service)
        return (
          <Badge
            key={service}
            color={reason ? 'red' : 'teal'}
            leftSection={<Icon name={reason ? 'warning' : 'check'} size={13} />}
          >
            {i18n._(SERVICE_WORDS[service])}
            {reason && `: ${i18n._(GAP_REASON_WORDS[reason])}`}
          </Badge>
        )
      })}
    </Group>
  )
}
