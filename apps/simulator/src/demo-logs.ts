import type { LogEntry, LogLevel } from '@custodia/contract'
import type { CarriedPhone } from './carried-phone.ts'
import { chance, namedReference } from './chance.ts'

const DAY = 86_400
/** Days of logs per device, and logs per day. */
const DAYS = 3
const LOGS_A_DAY = 8

type Line = readonly [log_class: string, log_level: LogLevel, log_message: string]
const USUAL: readonly Line[] = [
  ['Recorder', 'INFO', 'recording services are running: calls, sms, mms, rcs'],
  ['Uploader', 'INFO', 'the queue is empty'],
  ['Uploader', 'DEBUG', 'announced 3 recordings in one call'],
  ['Session', 'INFO', 'authenticated, nothing changed'],
  ['Battery', 'DEBUG', 'charging, 81 %'],
  ['Network', 'DEBUG', 'Wi-Fi lost, on mobile data'],
]
const UNUSUAL: readonly Line[] = [
  ['Uploader', 'WARN', 'no network, 4 recordings wait'],
  ['Battery', 'WARN', 'battery saver is on: uploads wait for power'],
  ['Storage', 'WARN', '312 MB are left for recordings'],
  ['Permissions', 'ERROR', 'the microphone was taken by another app for 40 s'],
  ['Recorder', 'ERROR', 'the call ended before recording began'],
]

/** Logs of a demo device up to the start of `now`'s day (epoch seconds); deterministic per day. */
export function demoLogs(
  account_reference: string,
  { person, timezone }: CarriedPhone,
  now: number,
): LogEntry[] {
  const today = now - (now % DAY)
  const dice = chance(`${account_reference} logs ${person.email}`)
  return Array.from({ length: DAYS * LOGS_A_DAY }, (_, i) => {
    const [log_class, log_level, log_message] = dice.pick(dice.next() < 0.2 ? UNUSUAL : USUAL)
    const named = `${account_reference} log ${person.email} ${i}`
    return {
      log_id: `${namedReference(named)}-${namedReference(`${named} id`)}`,
      log_class,
      log_level,
      log_datetime: today - Math.floor(i / LOGS_A_DAY) * DAY - dice.between(6 * 3600, 17 * 3600),
      local_timezone: timezone,
      log_message,
    }
  })
}
