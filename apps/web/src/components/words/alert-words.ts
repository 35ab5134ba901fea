import type { AlertScope, AlertSeverity, AlertState, AlertType } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import type { Words } from './spec-word.tsx'

/** Labels of alerts (spec section 3). */
export const ALERT_SEVERITY_WORDS: Words<AlertSeverity> = {
  Low: msg({ context: 'severity', message: 'Low' }),
  Medium: msg({ context: 'severity', message: 'Medium' }),
  High: msg({ context: 'severity', message: 'High' }),
}

export const ALERT_STATE_WORDS: Words<AlertState> = {
  Triggered: msg({ context: 'state of an alert', message: 'Triggered' }),
  Cleared: msg({ context: 'state of an alert', message: 'Cleared' }),
}

export const ALERT_SCOPE_WORDS: Words<AlertScope> = {
  ops: msg({ context: 'scope of an alert', message: 'Operational' }),
  sec: msg({ context: 'scope of an alert', message: 'Security' }),
}

export const ALERT_TYPE_WORDS: Words<AlertType> = {
  AccountAlert: msg`Account`,
  AndroidAlert: msg`Android`,
  DeviceAlert: msg`Device`,
  DeviceUserAlert: msg`Device user`,
  LambdaAlert: msg`Server`,
  MigrationAlert: msg`Migration`,
  Notification: msg`Notice`,
  PayloadAlert: msg`Recording`,
  PortalUserAlert: msg`Portal user`,
  TransferAlert: msg`Transfer`,
}
