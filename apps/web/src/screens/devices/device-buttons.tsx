import type { Device } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { phonesApi } from '../../api/phones-api.ts'
import { ActButton, DeleteButton } from '../../ui/act-button.tsx'
import { PageMenu } from '../../ui/page-menu.tsx'
import { PendingCommand } from './pending-command.tsx'
import SendCommand from './send-command.tsx'

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
          onAct={() => phonesApi.deactivateDevice(input)}
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
          onAct={() => phonesApi.unblockDevice(input)}
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
          onAct={() => phonesApi.blockDevice(input)}
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
        onDelete={() => phonesApi.deleteDevice(input)}
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
export default function DeviceButtons({ device: { device_reference } }: { device: Device }) {
  return (
    <>
      <PendingCommand device_reference={device_reference} />
      <SendCommand keys={[device_reference]} />
    </>
  )
}
