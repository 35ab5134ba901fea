/** What may be done with a thing, and why not: the same rules for the server, which refuses, and the portal, which offers. */
import type { AlertState } from '@custodia/contract'

export * from './heard.ts'
export * from './payload.ts'
export * from './support-request.ts'

/** Why an alert can neither be cleared nor dismissed: it is cleared, until it triggers again; undefined when it can. */
export const alertObstacle = ({ alert_state }: { alert_state: AlertState }): 'NotTriggered' | undefined =>
  alert_state === 'Triggered' ? undefined : 'NotTriggered'
