/** What may be done with an alert, and why not. */
import type { AlertState } from '@custodia/contract'

/** Why an alert can neither be cleared nor dismissed: it is cleared, until it triggers again; undefined when it can. */
export const alertObstacle = ({ alert_state }: { alert_state: AlertState }): 'NotTriggered' | undefined =>
  alert_state === 'Triggered' ? undefined : 'NotTriggered'
