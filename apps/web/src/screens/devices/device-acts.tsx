import type { Device } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { phonesApi } from '../../api/phones-api.ts'
import { ActButton } from '../../ui/act-button.tsx'
import { DeleteButton } from '../../ui/delete-button.tsx'

/** Actions on a device, for permitted users. */
export function DeviceActs({ device }: { device: Device }) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const { device_reference, device_state } = device
  const input = { params: { device_reference }, query: {} }
  return (
    <>
      {device_state !== 'blocked' && device_state !== 'deactivated' && (
        <ActButton
          action="devices:deactivate"
          icon="x"
          label={t`Deactivate`}
          question={t`Deactivate this device?`}
          done={t`Device deactivated`}
          onAct={() => phonesApi.deactivateDevice(input)}
        >
          <Trans>Its access ends now. As soon as it authenticates again, it is active again.</Trans>
        </ActButton>
      )}
      {device_state === 'blocked' ? (
        <ActButton
          action="devices:unblock"
          icon="check"
          label={t`Lift the block`}
          question={t`Lift the block of this device?`}
          done={t`Block lifted`}
          onAct={() => phonesApi.unblockDevice(input)}
        >
          <Trans>
            Do this only when the device is back in the right hands: it may then authenticate again.
          </Trans>
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
            Its access ends now, and it is refused until somebody lifts the block. What waits on it is taken
            once it is back.
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
          It is deactivated and no longer listed. What it recorded stays. If it authenticates again, it is
          listed again.
        </Trans>
      </DeleteButton>
    </>
  )
}
