import type { Answer, Api } from '@custodia/contract'
import { internalApi } from '../../api/internal-api.ts'
import { byClient } from './alert-key.ts'

type Outcomes = Answer<Api['clearAlertsOfClient']>['alerts']

/** Clears alerts client by client; returns the number cleared. */
export const clearAlerts = (keys: readonly string[], cleared_reason: string): Promise<number> =>
  forEachClient(keys, (client, alert_references) =>
    internalApi.clearAlertsOfClient({ params: { client }, body: { alert_references, cleared_reason } }),
  )

/** Dismisses alerts from the user's list; returns the number. */
export const dismissAlerts = (keys: readonly string[]): Promise<number> =>
  forEachClient(keys, (client, alert_references) =>
    internalApi.dismissAlertsOfClient({ params: { client }, body: { alert_references } }),
  )

async function forEachClient(
  keys: readonly string[],
  act: (client: string, references: string[]) => Promise<{ alerts: Outcomes }>,
): Promise<number> {
  let done = 0
  // Sequential: after a failure the rest is unchanged, and the count shows the progress.
  for (const [client, references] of byClient(keys)) {
    const { alerts } = await act(client, references)
    done += alerts.filter(({ status }) => status === 'Ok').length
  }
  return done
}
