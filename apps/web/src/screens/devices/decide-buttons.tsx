import type { HolderDecision, HolderRow } from '@custodia/contract'
import { Trans } from '@lingui/react/macro'
import { lazy, Suspense, useState } from 'react'
import { useMay } from '../../api/use-profile.ts'
import type { MatchingRows } from '../../components/lists/list-definition.ts'
import { Icon } from '../../ui/icon.tsx'
import { MayButton } from '../../ui/may-button.tsx'

const DecideDialog = lazy(() => import('./decide-dialog.tsx'))

/** Confirm or reject pending devices; a dialog explains the effect first. */
export function DecideButtons(props: {
  rows: readonly HolderRow[]
  /** All pending devices that match the filters, instead of `rows`. */
  matching?: MatchingRows | undefined
  /** Holder that the one device claims. */
  asked?: string | null
  isOne?: boolean
  onDone: () => void
}) {
  const [decision, setDecision] = useState<HolderDecision>()
  const may = useMay()
  const action = props.isOne ? 'devices.holder:confirm' : 'devices.holder:decide'
  const size = props.isOne ? 'sm' : 'xs'
  // A selection may include other devices.
  if (!props.isOne && !may(action)) return null
  return (
    <>
      <MayButton
        action={action}
        size={size}
        leftSection={<Icon name="check" size={15} />}
        onClick={() => setDecision('confirm')}
      >
        <Trans context="device">Confirm…</Trans>
      </MayButton>
      <MayButton
        action={action}
        size={size}
        variant="default"
        leftSection={<Icon name="x" size={15} />}
        onClick={() => setDecision('reject')}
      >
        <Trans context="device">Reject…</Trans>
      </MayButton>
      <Suspense>
        {decision && (
          <DecideDialog
            {...props}
            decision={decision}
            onClose={() => setDecision(undefined)}
            onDone={() => {
              setDecision(undefined)
              props.onDone()
            }}
          />
        )}
      </Suspense>
    </>
  )
}
