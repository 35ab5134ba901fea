import { type Device, type DeviceCommand, type Page, SEND_COMMAND } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { getKey, repeatedRead } from '../../api/call-keys.ts'
import { devicesApi } from '../../api/devices-api.ts'
import { fleetApi } from '../../api/fleet-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { deviceTab } from '../../components/devices/device-at.ts'
import { COMMAND_WORDS } from '../../components/words/device-command-words.ts'
import { ActButton, DeleteButton, PageMenu } from '../../ui/act-button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { LinkAnchor } from '../../ui/links.tsx'
import { MayButton } from '../../ui/may-button.tsx'
import { CommandStateBadge } from './command-state.tsx'
import type { CommandTargets } from './send-command.tsx'

const CommandSteps = lazy(() => import('./send-command.tsx'))

/** Further actions on a device, for permitted users. */
export function DeviceActs({ device }: { device: Device }) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const { device_reference, device_state } = device
  const input = { params: { device_reference }, query: {} }
  return (
    <PageMenu>
      {device_state !== 'blocked' && device_state !== 'deactivated' && (
        <ActButton
          action="devices:deactivate"
          icon="x"
          label={t`Deactivate`}
          question={t`Deactivate this device?`}
          done={t`Device deactivated`}
          onAct={() => devicesApi.deactivateDevice(input)}
        >
          <Trans>Its access ends now. Authenticating again reactivates it.</Trans>
        </ActButton>
      )}
      {device_state === 'blocked' ? (
        <ActButton
          action="devices:unblock"
          icon="check"
          label={t`Unblock`}
          question={t`Unblock this device?`}
          done={t`Device unblocked`}
          onAct={() => devicesApi.unblockDevice(input)}
        >
          <Trans>Unblock only a recovered device: it may then authenticate again.</Trans>
        </ActButton>
      ) : (
        <ActButton
          action="devices:block"
          icon="lock"
          isDangerous
          label={t`Lost or stolen`}
          question={t`Report this device lost or stolen?`}
          done={t`Device blocked`}
          onAct={() => devicesApi.blockDevice(input)}
        >
          <Trans>
            Its access ends now, until an administrator unblocks it. Recordings on it can be uploaded after
            that.
          </Trans>
        </ActButton>
      )}
      <DeleteButton
        action="devices:delete"
        question={t`Delete this device?`}
        done={t`Device deleted`}
        onDelete={() => devicesApi.deleteDevice(input)}
        onDeleted={() => void navigate({ to: '/dashboard/devices' })}
      >
        <Trans>
          The device is deactivated and hidden. Its recordings stay. It reappears when it authenticates again.
        </Trans>
      </DeleteButton>
    </PageMenu>
  )
}

/** The primary action of a device's page, and the command that is under way. */
export default function DeviceButtons({ device: { device_reference, is_deactivated } }: { device: Device }) {
  return (
    <>
      <PendingCommand device_reference={device_reference} />
      <SendCommand keys={[device_reference]} isDeactivated={is_deactivated} />
    </>
  )
}

/** Sends a command to one device, several, or all that match the filters of the list. The dialog loads on first use. */
export function SendCommand({
  onDone = () => {},
  size,
  isDeactivated,
  ...chosen
}: CommandTargets & {
  onDone?: () => void
  size?: 'xs'
  /** The only device is deactivated: it fetches no commands. */
  isDeactivated?: boolean
}) {
  const [isAsking, setAsking] = useState(false)
  const { t } = useLingui()
  return (
    <>
      <MayButton
        action={SEND_COMMAND}
        reason={isDeactivated ? t`Deactivated: it fetches no commands.` : undefined}
        {...(size && { size })}
        variant="default"
        leftSection={<Icon name="arrow-up" size={size ? 15 : 16} />}
        onClick={() => setAsking(true)}
      >
        <Trans>Send command…</Trans>
      </MayButton>
      <Suspense>
        {isAsking && <CommandSteps {...chosen} onDone={onDone} onClose={() => setAsking(false)} />}
      </Suspense>
    </>
  )
}

/** Poll interval while the command is open, in milliseconds. */
const LOOK_MS = 2000

const isOpen = ({ state }: DeviceCommand) => state === 'Sent' || state === 'Acknowledged'

/** The newest command of a device while it is open, and its outcome once it has ended; links to all commands. */
function PendingCommand({ device_reference }: { device_reference: string }) {
  const { i18n } = useLingui()
  /** The newest command that had ended before; empty: none. */
  const [before, setBefore] = useState<string>()
  const { data: command } = useQuery({
    queryKey: getKey('listCommandsOfDevice', 'newest', device_reference),
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
