import type { Device } from '@custodia/contract'
import { Plural, useLingui } from '@lingui/react/macro'
import { deviceQuery } from '../../api/devices-api.ts'
import { DeviceStateBadge } from '../../components/devices/device-badges.tsx'
import { DeviceName, PersonName, UserLink } from '../../components/devices/links.tsx'
import { NumberStatus } from '../../components/devices/numbers.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { GroupName, personName } from '../../components/names.tsx'
import { type PreviewProps, RecordPreview } from '../../components/record-preview.tsx'
import { DEVICE_PROOF_WORDS, SILENCE_WORDS, WAITING_WORDS } from '../../components/words/device-words.ts'
import { SERVICE_WORDS } from '../../components/words/service-words.ts'
import { SpecWord } from '../../components/words/spec-word.tsx'
import { Reference } from '../../ui/reference.tsx'
import { Time } from '../../ui/time.tsx'
import { authorName, visible } from '../../ui/visible.ts'

/** Facts of a device; small headings in a preview. */
export function DeviceFacts({ device, isPart = false }: { device: Device; isPart?: boolean }) {
  const { t, i18n } = useLingui()
  const words = (services: Device['services']) =>
    services.map((service) => i18n._(SERVICE_WORDS[service])).join(', ')
  return (
    <>
      <Facts title={t`Who`} isPart={isPart}>
        <Fact label={t`Device user`}>
          <Holder device={device} />
        </Fact>
        <Fact label={t`Email`}>{device.email}</Fact>
        <Fact label={t`Group`}>
          <GroupName group={device.group} />
        </Fact>
        <Fact label={t`Services`}>{words(device.services) || t`None`}</Fact>
        <Fact label={t`Without licence`}>{words(device.unlicensed_services)}</Fact>
      </Facts>
      <StateFacts device={device} isPart={isPart} />
      <ProofFacts device={device} isPart={isPart} />
      <HardwareFacts device={device} isPart={isPart} />
    </>
  )
}

interface PartProps {
  device: Device
  isPart: boolean
}

function StateFacts({ device, isPart }: PartProps) {
  const { t } = useLingui()
  const { last_seen, activated_at, deactivation_date, blocked_at } = device
  return (
    <Facts title={t`State`} isPart={isPart}>
      <Fact label={t`State`}>
        <DeviceStateBadge state={device.device_state} />
      </Fact>
      <Fact label={t`Last seen`}>{last_seen === null ? t`Never` : <Time at={last_seen} />}</Fact>
      <Fact label={t`Silence`}>
        {device.silence !== null && <SpecWord value={device.silence} words={SILENCE_WORDS} />}
      </Fact>
      <Fact label={t`Last recording`}>
        {device.last_payload_at !== null && (
          <>
            <Time at={device.last_payload_at} /> · <UsualGap gap={device.usual_gap ?? 0} />
          </>
        )}
      </Fact>
      <Fact label={t({ context: 'device', message: 'Activated' })}>
        {activated_at !== null && <Time at={activated_at} />}
      </Fact>
      <Fact label={t({ context: 'device', message: 'Deactivated' })}>
        {deactivation_date !== null && <Time at={deactivation_date} />}
      </Fact>
      <Fact label={t({ context: 'device', message: 'Blocked' })}>
        {blocked_at !== null && (
          <>
            <Time at={blocked_at} /> · {authorName(device, 'blocked_by')}
          </>
        )}
      </Fact>
      <Fact label={t`Legacy`}>{device.is_legacy && t`From the legacy platform`}</Fact>
    </Facts>
  )
}

/** How the device proved its identity, and why it awaits a decision. */
function ProofFacts({ device, isPart }: PartProps) {
  const { t } = useLingui()
  return (
    <Facts title={t`Proof`} isPart={isPart}>
      <Fact label={t`Identified`}>
        <SpecWord value={device.proof} words={DEVICE_PROOF_WORDS} />
      </Fact>
      <Fact label={t`Pending since`}>
        {device.waiting_since !== null && <Time at={device.waiting_since} />}
      </Fact>
      <Fact label={t`Pending because`}>
        {device.waiting_reason !== null && <SpecWord value={device.waiting_reason} words={WAITING_WORDS} />}
      </Fact>
      <Fact label={t`Reported holder`}>
        {device.requested_user_reference !== null && (
          <PersonName
            device_user_reference={device.requested_user_reference}
            person_name={device.requested_user_name}
          />
        )}
      </Fact>
      <Fact label={device.waiting_since === null ? t`Hardware now used by` : t`Reports the numbers of`}>
        {device.same_hardware_as !== null && (
          <DeviceName device_reference={device.same_hardware_as} device_name={device.same_hardware_name} />
        )}
      </Fact>
    </Facts>
  )
}

function HardwareFacts({ device, isPart }: PartProps) {
  const { t } = useLingui()
  return (
    <Facts title={t`Device`} isPart={isPart}>
      <Fact label={t`Model`}>{device.model}</Fact>
      <Fact label={t`App version`}>{device.app_version}</Fact>
      <Fact label={t`OS version`}>{device.os_version}</Fact>
      <Fact label={t`Serial number`}>{device.serial_number}</Fact>
      <Fact label={t`IMEI`}>{device.imeis.join(', ')}</Fact>
      <Fact label={t`Numbers`}>
        {device.phone_numbers.length > 0 &&
          device.phone_numbers.map((number) => (
            <div key={number.phone_number} className="tabular">
              {visible(number.phone_number)} · {t`SIM ${number.slot_index + 1}`} ·{' '}
              <NumberStatus number={number} />
            </div>
          ))}
      </Fact>
      <Fact label={t`Number on the legacy platform`}>{device.legacy_phone_number}</Fact>
      <Fact label={t`Installation`}>{device.installation_id}</Fact>
      <Fact label={t`Reference`}>
        <Reference value={device.device_reference} length={28} />
      </Fact>
    </Facts>
  )
}

/** Usual interval between uploads; in hours below two days. */
function UsualGap({ gap }: { gap: number }) {
  const hours = Math.max(1, Math.round(gap / 3600))
  if (hours < 48)
    return <Plural value={hours} one="usually one within # hour" other="usually one within # hours" />
  return (
    <Plural value={Math.round(hours / 24)} one="usually one within # day" other="usually one within # days" />
  )
}

function Holder({ device }: { device: Device }) {
  const { t } = useLingui()
  const { device_user_reference } = device
  if (device_user_reference === null) return t`None`
  return (
    <UserLink device_user_reference={device_user_reference}>
      {visible(personName(device) || device_user_reference)}
    </UserLink>
  )
}

/** Preview of a device. */
export function DevicePreview({ rowKey, row }: PreviewProps<Device>) {
  return (
    <RecordPreview row={row} query={deviceQuery(rowKey)} action="devices:read" isRowWhole>
      {(device) => <DeviceFacts device={device} />}
    </RecordPreview>
  )
}
