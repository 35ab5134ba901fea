import type { Payload, PayloadMeta } from '@custodia/contract'
import { Trans } from '@lingui/react/macro'
import { visible } from '../../ui/visible.ts'
import { Reference } from '../../ui/reference.tsx'
import type { Fact } from './fact.ts'

/** Names of the microphones that a phone reports (spec section 3). */
const SOURCES = { MIC: <Trans>Microphone</Trans>, BT: 'Bluetooth', HEADSET: <Trans>Headset</Trans> } as const

export function deviceFacts(payload: Payload, meta: PayloadMeta | undefined): (Fact | false)[] {
  const call = meta !== undefined && 'second_parties' in meta ? meta : undefined
  const imsi = meta !== undefined && 'imsi' in meta ? meta.imsi : undefined
  return [
    [
      <Trans key="device">Device</Trans>,
      <Reference key="value" value={payload.device_reference} length={22} />,
    ],
    [<Trans key="ip">Address</Trans>, payload.device_ip],
    ...(meta?.payload_carrier_metadata ?? []).map(({ slot_index, carrier_name, phone_number }): Fact => [
      <Trans key="sim">SIM {slot_index + 1}</Trans>,
      visible([carrier_name, phone_number].filter(Boolean).join(' · ')) || undefined,
    ]),
    [<Trans key="imei">IMEI</Trans>, meta?.imeis?.join(', ') || undefined],
    [<Trans key="imsi">IMSI</Trans>, imsi],
    call?.voice_source ? [<Trans key="source">Sound from</Trans>, SOURCES[call.voice_source]] : false,
    typeof call?.signal_strength === 'number' && [
      <Trans key="signal">Signal</Trans>,
      <span key="value" className="tabular">
        {call.signal_strength}
      </span>,
    ],
    call?.is_intermittent === true && [
      <Trans key="intermittent">Connection</Trans>,
      <Trans key="value">intermittent</Trans>,
    ],
  ]
}
