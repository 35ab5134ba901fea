import { DEVICE_SERVICES, type DeviceFacts } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { Fact, Facts } from '../../components/facts.tsx'
import { SERVICE_WORDS } from '../../components/words/service-words.ts'
import { SpecWord } from '../../components/words/spec-word.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'
import { formatSize } from '../payloads/formats.ts'
import { modelName } from './model-name.ts'
import { SIM_STATE_WORDS } from './telemetry-words.ts'

type Sim = NonNullable<DeviceFacts['sims']>[number]

/** Unsealed facts of a report. */
export function ReportFacts({ facts, isPart = false }: { facts: DeviceFacts; isPart?: boolean }) {
  const { t, i18n } = useLingui()
  const size = (bytes: number | undefined) => bytes !== undefined && formatSize(bytes, i18n)
  const trimmed = (flag: boolean | undefined) => flag !== undefined && (flag ? t`Yes` : t`No`)
  const of = (left: number | undefined, all: number | undefined) =>
    left !== undefined && (all === undefined ? size(left) : t`${size(left)} of ${size(all)}`)
  const services = (isOn: boolean) =>
    DEVICE_SERVICES.filter((service) => facts.services?.[service] === isOn)
      .map((service) => i18n._(SERVICE_WORDS[service]))
      .join(', ')
  const dBm = (strength: number | undefined) => strength !== undefined && t`${strength} dBm`
  return (
    <>
      <Facts title={t`Device`} isPart={isPart}>
        <Fact label={t`Model`}>{visible(modelName(facts))}</Fact>
        <Fact label={t`OS version`}>{visible(`${facts.os ?? ''} ${facts.os_version}`.trim())}</Fact>
        <Fact label={t`Security patch`}>{facts.security_patch}</Fact>
        <Fact label={t`App version`}>{visible(facts.app_version)}</Fact>
        <Fact label={t`Battery`}>
          {facts.battery_percentage !== undefined &&
            i18n.number(facts.battery_percentage / 100, { style: 'percent' })}
        </Fact>
        <Fact label={t`Charging`}>{trimmed(facts.is_charging)}</Fact>
        <Fact label={t`Memory left`}>{of(facts.memory_available, facts.memory_total)}</Fact>
        <Fact label={t`Storage left`}>{of(facts.storage_available, facts.storage_total)}</Fact>
      </Facts>
      <Facts title={t`Recording`} isPart={isPart}>
        <Fact label={t`Services recorded`}>{services(true)}</Fact>
        <Fact label={t`Services not recorded`}>{services(false)}</Fact>
        <Fact label={t`Upload queue`}>
          {facts.queue_payloads !== undefined && i18n.number(facts.queue_payloads)}
        </Fact>
        <Fact label={t`Queue size`}>{size(facts.queue_size)}</Fact>
        <Fact label={t`Oldest in the queue`}>
          {facts.queue_oldest_at !== undefined && <Time at={facts.queue_oldest_at} />}
        </Fact>
        <Fact label={t`Runs while the phone sleeps`}>{trimmed(facts.is_whitelisted)}</Fact>
        <Fact label={t`Device administrator`}>{trimmed(facts.is_device_admin)}</Fact>
        <Fact label={t`Knox`}>
          {facts.is_knox_active !== undefined &&
            [facts.is_knox_active ? t`Active` : t`Not active`, facts.knox_version]
              .filter((each) => each !== undefined)
              .join(' · ')}
        </Fact>
        <Fact label={t`SMS permission`}>{trimmed(facts.is_sms_allowed)}</Fact>
        <Fact label={t`MMS permission`}>{trimmed(facts.is_mms_allowed)}</Fact>
        <Fact label={t`RCS permission`}>{trimmed(facts.is_rcs_allowed)}</Fact>
      </Facts>
      <Facts title={t`Network`} isPart={isPart}>
        {facts.sims?.map((sim) => (
          <Fact key={sim.slot_index} label={t`SIM ${sim.slot_index + 1}`}>
            <SimText sim={sim} />
          </Fact>
        ))}
        <Fact label={t`Wi-Fi`}>{trimmed(facts.is_wifi_connected ?? facts.is_wifi_enabled)}</Fact>
        <Fact label={t`Strength of Wi-Fi`}>{dBm(facts.wifi_signal_strength)}</Fact>
        <Fact label={t`GPS`}>{trimmed(facts.is_gps_enabled)}</Fact>
        <Fact label={t`Satellites`}>{facts.gps_satellites}</Fact>
        <Fact label={t`Strength of GPS`}>
          {facts.gps_signal_strength !== undefined && t`${i18n.number(facts.gps_signal_strength)} dB-Hz`}
        </Fact>
        <Fact label={t`Received over mobile data`}>{size(facts.mobile_received)}</Fact>
        <Fact label={t`Sent over mobile data`}>{size(facts.mobile_sent)}</Fact>
        <Fact label={t`Received over Wi-Fi`}>{size(facts.wifi_received)}</Fact>
        <Fact label={t`Sent over Wi-Fi`}>{size(facts.wifi_sent)}</Fact>
      </Facts>
    </>
  )
}

function SimText({ sim }: { sim: Sim }) {
  const { t } = useLingui()
  const strength = sim.signal_strength
  const stated = [
    sim.operator_name,
    sim.network_operator_name !== sim.operator_name && sim.network_operator_name,
    sim.network_type,
    strength !== undefined && t`${strength} dBm`,
    sim.is_roaming && t`Roaming`,
  ].filter((each): each is string => typeof each === 'string' && each !== '')
  return (
    <>
      <SpecWord value={sim.sim_state} words={SIM_STATE_WORDS} />
      {stated.map((each) => ` · ${visible(each)}`)}
    </>
  )
}
