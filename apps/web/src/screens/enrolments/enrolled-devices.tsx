import type { Enrolment, EnrolmentDevice } from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Badge, List } from '@mantine/core'
import { fleetApi } from '../../api/fleet-api.ts'
import { DeviceLink } from '../../components/devices/links.tsx'
import { ActButton } from '../../ui/act-button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'

/** Devices that used an enrolment, newest first. */
export function EnrolledDevices({
  enrolment: { devices, uses },
}: {
  enrolment: Pick<Enrolment, 'devices' | 'uses'>
}) {
  return (
    <List size="sm" listStyleType="none">
      {devices.map((device) => (
        <List.Item key={`${device.device_reference} ${device.used_at}`}>
          <EnrolledDevice device={device} />
        </List.Item>
      ))}
      {uses > devices.length && (
        <List.Item>
          <Plural value={uses - devices.length} one="and # more phone" other="and # more phones" />
        </List.Item>
      )}
    </List>
  )
}

/** An enrolled device with a link to its page, and whether a decision is pending. */
export function EnrolledDevice({ device }: { device: EnrolmentDevice }) {
  const { t } = useLingui()
  const { device_reference, device_name, model, used_at, is_waiting } = device
  return (
    <>
      {device_reference === null ? (
        <Trans>A phone outside your groups</Trans>
      ) : (
        <DeviceLink device_reference={device_reference}>
          {visible(device_name ?? model ?? device_reference)}
        </DeviceLink>
      )}
      {' · '}
      <Time at={used_at} />
      {is_waiting && (
        <>
          {' '}
          <Badge color="orange" leftSection={<Icon name="clock" size={13} />}>
            {t({ context: 'device', message: 'Awaiting confirmation' })}
          </Badge>
        </>
      )}
    </>
  )
}

/** Revokes an open enrolment, for permitted users. */
export function RevokeButton({
  enrolment: { enrolment_reference },
}: {
  enrolment: Pick<Enrolment, 'enrolment_reference'>
}) {
  const { t } = useLingui()
  return (
    <ActButton
      action="devices.enrolments:delete"
      icon="x"
      label={t({ context: 'enrolment', message: 'Revoke' })}
      question={t`Revoke this enrolment?`}
      done={t`Enrolment revoked`}
      onAct={() => fleetApi.revokeEnrolment({ params: { enrolment_reference }, query: {} })}
    >
      <Trans>No further phones can enrol with it. Enrolled phones stay.</Trans>
    </ActButton>
  )
}
