import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { noticeDone } from '../../api/notices.ts'
import { Icon } from '../../ui/icon.tsx'
import { MayButton } from '../../ui/may-button.tsx'
import {
  type AlertAct,
  type AlertOutcome,
  AlertOutcomes,
  clearAlerts,
  dismissAlerts,
} from './alert-outcomes.tsx'
import { ClearAlerts } from './clear-alerts.tsx'

/** Clear and dismiss, for one alert or a selection, with each outcome. */
export default function AlertButtons({
  keys,
  onDone,
  clearReason,
  dismissReason,
}: {
  keys: readonly string[]
  onDone: () => void
  /** Why clear or dismiss is unavailable. */
  clearReason?: string | undefined
  dismissReason?: string | undefined
}) {
  const { t } = useLingui()
  const [isAsking, setAsking] = useState(false)
  const [result, setResult] = useState<{ act: AlertAct; outcomes: readonly AlertOutcome[] }>()
  const finish = (act: AlertAct, outcomes: readonly AlertOutcome[]) => {
    setAsking(false)
    const count = outcomes.length
    if (outcomes.some(({ status }) => status !== 'Ok')) return setResult({ act, outcomes })
    noticeDone(
      act === 'clear'
        ? t`${plural(count, { one: '# alert cleared', other: '# alerts cleared' })}`
        : t`${plural(count, { one: '# alert dismissed', other: '# alerts dismissed' })}`,
    )
    onDone()
  }
  const dismissal = useMutation({
    mutationFn: () => dismissAlerts(keys),
    onSuccess: (outcomes) => finish('dismiss', outcomes),
  })
  return (
    <>
      <MayButton
        action="alerts:clear"
        reason={clearReason}
        size="xs"
        leftSection={<Icon name="check" size={15} />}
        onClick={() => setAsking(true)}
      >
        <Trans>Clear…</Trans>
      </MayButton>
      <MayButton
        action="alerts:dismiss"
        reason={dismissReason}
        size="xs"
        variant="default"
        leftSection={<Icon name="x" size={15} />}
        loading={dismissal.isPending}
        onClick={() => dismissal.mutate()}
      >
        <Trans>Dismiss</Trans>
      </MayButton>
      {isAsking && (
        <ClearAlerts
          count={keys.length}
          clear={(reason) => clearAlerts(keys, reason)}
          onClose={() => setAsking(false)}
          onDone={(outcomes) => finish('clear', outcomes)}
        />
      )}
      {result !== undefined && (
        <AlertOutcomes
          {...result}
          onClose={() => {
            setResult(undefined)
            onDone()
          }}
        />
      )}
    </>
  )
}
