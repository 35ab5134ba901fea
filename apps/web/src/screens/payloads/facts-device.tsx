import type { Payload, PayloadMeta } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { CopyButton, Reference } from '../../ui/reference.tsx'
import { visible } from '../../ui/visible.ts'
import { DeviceLink } from '../../components/devices/links.tsx'
import { Fact, Facts } from '../../components/facts.tsx'

/** Microphone names from the device report (spec section 3). */
const SOURCES = { MIC: <Trans>Microphone</Trans>, BT: 'Bluetooth', HEADSET: <Trans>Headset</Trans> } as const

export function DeviceFacts({ payload, meta }: { payload: Payload; meta: PayloadMeta | undefined }) {
  const { t } = useLingui()
  const call = meta !== undefined && 'second_parties' in meta ? meta : undefined
  return (
    <Facts title={t`Device`} isPart>
      <Fact label={t`Device`}>
        <DeviceLink device_reference={payload.device_reference}>
          <Reference value={payload.device_reference} length={20} copy={false} />
        </DeviceLink>
        <CopyButton value={payload.device_reference} />
      </Fact>
      <Fact label={t`Address`}>{payload.device_ip}</Fact>
      {meta?.payload_carrier_metadata?.map(({ slot_index, carrier_name, phone_number }) => (
        <Fact key={slot_index} label={<Trans>SIM {slot_index + 1}</Trans>}>
          {visible([carrier_name, phone_number].filter(Boolean).join(' · '))}
        </Fact>
      ))}
      <Fact label={t`IMEI`}>{meta?.imeis?.join(', ')}</Fact>
      <Fact label={t`IMSI`}>{meta !== undefined && 'imsi' in meta && meta.imsi}</Fact>
      <Fact label={t`Sound from`}>{call?.voice_source && SOURCES[call.voice_source]}</Fact>
      <Fact label={t`Signal`}>{call?.signal_strength}</Fact>
      <Fact label={t`Connection`}>{call?.is_intermittent === true && t`intermittent`}</Fact>
    </Facts>
  )
}
