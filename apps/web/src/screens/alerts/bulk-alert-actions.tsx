import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { noticeDone } from '../../api/notices.ts'
import { useMay } from '../../api/use-profile.ts'
import { Icon } from '../../ui/icon.tsx'
import { ClearAlerts } from './clear-alerts.tsx'
import { clearAlerts, dismissAlerts } from './client-alert-acts.ts'

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
