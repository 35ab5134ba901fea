import { type DeviceCommand, type Page } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { LinkAnchor } from '../../ui/links.tsx'
import { keyOf, repeatedRead } from '../../api/call-keys.ts'
import { fleetApi } from '../../api/fleet-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { deviceTab } from '../../components/devices/device-at.ts'
import { COMMAND_WORDS } from '../../components/words/device-command-words.ts'
import { CommandStateBadge } from './command-state.tsx'

/** Poll interval while the command is open, in milliseconds. */
const LOOK_MS = 2000

const isOpen = ({ state }: DeviceCommand) => state === 'Sent' || state === 'Acknowledged'

/** The newest command of a device while it is open, and its outcome once it has ended; links to all commands. */
export function PendingCommand({ device_reference }: { device_reference: string }) {
  const { i18n } = useLingui()
  /** The newest command that had ended before; empty: none. */
  const [before, setBefore] = useState<string>()
  const { data: command } = useQuery({
    queryKey: keyOf('listCommandsOfDevice', 'newest', device_reference),
    queryFn: async (context) => {
      const asked = { params: { device_reference }, query: { limit: 1 } }
      const page = await fleetApi.listCommandsOfDevice(asked, repeatedRead(context))
      return (page as Page<DeviceCommand>).data[0] ?? null
    },
    enabled: useMay()('devices.commands:list'),
    refetchInterval: ({ state }) => (state.data && isOpen(state.data) ? LOOK_MS : false),
    meta: { silent: true },
  })
  if (command === undefined) return null
  if (before === undefined) setBefore(command && !isOpen(command) ? command.command_reference : '')
  if (command === null || before === undefined || command.command_reference === before) return null
  const { to, params, part } = deviceTab(device_reference, 'commands')
  return (
    <Group gap="xs" component="output" wrap="nowrap">
      <LinkAnchor size="sm" truncate to={to} params={params} search={part as never}>
        {i18n._(COMMAND_WORDS[command.command])}
      </LinkAnchor>
      <CommandStateBadge state={command.state} />
    </Group>
  )
}
