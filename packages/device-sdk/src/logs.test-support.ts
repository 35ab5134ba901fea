import type { LogEntry } from '@custodia/contract'

/** The log of that number: its id and its message tell it. */
export const logOf = (n: number): LogEntry => ({
  log_id: `1793968200123-${String(n).padStart(20, '0')}`,
  log_class: 'Uploader',
  log_level: 'INFO',
  log_datetime: 1_793_968_200 + n,
  local_timezone: 'Europe/London',
  log_message: `Log ${n}`,
})
