import type { Answer, Api } from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { internalApi } from '../../api/internal-api.ts'
import { noticeDone } from '../../api/notices.ts'
import { useMay } from '../../api/use-profile.ts'
import { Icon } from '../../ui/icon.tsx'
import { ClearAlerts } from './alert-actions.tsx'
import { byClient } from './alert-addresses.ts'

type Outcomes = Answer<Api['clearAlertsOfClient']>['alerts']

/** Clears alerts client by client; returns the number cleared. */
const clearAlerts = (keys: readonly string[], cleared_reason: string): Promise<number> =>
  forEachClient(keys, (client, alert_references) =>
    internalApi.clearAlertsOfClient({ params: { client }, body: { alert_references, cleared_reason } }),
  )

/** Dismisses alerts from the user's list; returns the number. */
const dismissAlerts = (keys: readonly string[]): Promise<number> =>
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

/** Clears for all users, with a reason, or dismisses for the user. */
export function BulkAlertActions({ keys, onDone }: { keys: readonly string[]; onDone: () => void }) {
  const { t } = useLingui()
  const may = useMay()
  const [isClearing, setClearing] = useState(false)
  const dismissing = useMutation({
    mutationFn: () => dismissAlerts(keys),
    onSuccess: (count) => {
      noticeDone(t`Alerts dismissed: ${count}`)
      onDone()
    },
  })
  return (
    <>
      {may('internal.alerts:clear') && (
        <Button size="xs" leftSection={<Icon name="check" size={15} />} onClick={() => setClearing(true)}>
          <Plural value={keys.length} one="Clear # alert" other="Clear # alerts" />
        </Button>
      )}
      {may('internal.alerts:dismiss') && (
        <Button
          size="xs"
          variant="default"
          loading={dismissing.isPending}
          leftSection={<Icon name="x" size={15} />}
          onClick={() => dismissing.mutate()}
        >
          <Trans>Dismiss for me</Trans>
        </Button>
      )}
      {isClearing && (
        <ClearAlerts
          count={keys.length}
          clear={(reason) => clearAlerts(keys, reason)}
          onClose={() => setClearing(false)}
          onDone={(count) => {
            noticeDone(t`Alerts cleared: ${count}`)
            setClearing(false)
            onDone()
          }}
        />
      )}
    </>
  )
}
