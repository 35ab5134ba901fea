import type { Answer, Api } from '@custodia/contract'
import { internalApi } from '../../api/internal-api.ts'
import { byClient } from './alert-key.ts'

type Outcomes = Answer<Api['clearAlertsOfClient']>['alerts']

/** Clears alerts for everybody, client by client; answers how many were cleared. */
export const clearAlerts = (keys: readonly string[], cleared_reason: string): Promise<number> =>
  forEachClient(keys, (client, alert_references) =>
    internalApi.clearAlertsOfClient({ params: { client }, body: { alert_references, cleared_reason } }),
  )

/** Takes alerts off one's own list; answers how many. */
export const dismissAlerts = (keys: readonly string[]): Promise<number> =>
  forEachClient(keys, (client, alert_references) =>
    internalApi.dismissAlertsOfClient({ params: { client }, body: { alert_references } }),
  )

async function forEachClient(
  keys: readonly string[],
  act: (client: string, references: string[]) => Promise<{ alerts: Outcomes }>,
): Promise<number> {
  let done = 0
  // One after the other: a failure leaves the rest as it was, and the count tells how far it came.
  for (const [client, references] of byClient(keys)) {
    const { alerts } = await act(client, references)
    done += alerts.filter(({ status }) => status === 'Ok').length
  }
  return done
}
