import { ALERT_SEVERITIES, type AlertSeverity } from '@custodia/contract'
import type { IconName } from '../../ui/icon.tsx'
import type { Tone } from '../cells.tsx'

/** Icon and colour of each severity (spec section 3). */
export const SEVERITY_STYLES = {
  High: { icon: 'alert-circle', tone: 'bad' },
  Medium: { icon: 'warning', tone: 'warn' },
  Low: { icon: 'info', tone: 'info' },
} as const satisfies Record<AlertSeverity, { icon: IconName; tone: Tone }>

/** Severities, highest first. */
export const HIGHEST_FIRST: readonly AlertSeverity[] = ALERT_SEVERITIES.toReversed()

/** Number of incidents per severity over all scopes. */
export function countsBySeverity(
  rows: readonly { severity: AlertSeverity; count: number }[],
): Record<AlertSeverity, number> {
  const counts: Record<AlertSeverity, number> = { Low: 0, Medium: 0, High: 0 }
  for (const { severity, count } of rows) counts[severity] += count
  return counts
}
