import type { LogEntry, LogLevel } from '@custodia/contract'
import type { CarriedPhone } from '../carried-phone.ts'
import { chance, namedReference } from '../chance.ts'
import type { DemoAccount } from '../demo-account.ts'
import type { Act } from './life.ts'

const LINES: readonly (readonly [log_level: LogLevel, log_class: string, log_message: string])[] = [
  ['INFO', 'Recorder', 'recorded, and in the queue'],
  ['INFO', 'Recorder', 'recorded, and in the queue'],
  ['DEBUG', 'Network', 'Wi-Fi lost, on mobile data'],
  ['WARN', 'Battery', 'battery saver is on: uploads wait for power'],
]

/** Log entry of a recording, with a deterministic name and text. */
export function logOf(
  { person, timezone }: CarriedPhone,
  { account_reference }: DemoAccount,
  { at }: Act,
): LogEntry {
  const named = `${account_reference} life log ${person.email} ${at}`
  const [log_level, log_class, log_message] = chance(named).pick(LINES)
  return {
    log_id: `${namedReference(named)}-${namedReference(`${named} id`)}`,
    log_level,
    log_class,
    log_datetime: at,
    local_timezone: timezone,
    log_message,
  }
}
