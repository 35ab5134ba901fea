import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Text } from '@mantine/core'
import { ReasonDialog } from '../../components/reason-dialog.tsx'
import { type AlertOutcome, clearAlerts } from './alert-acts.ts'

/** Asks for the reason and clears; `onDone` hears what became of each alert. */
export function ClearAlerts(props: {
  references: readonly string[]
  onClose: () => void
  onDone: (outcomes: readonly AlertOutcome[]) => void
}) {
  const { t } = useLingui()
  const { references } = props
  return (
    <ReasonDialog
      title={<Plural value={references.length} one="Clear # alert" other="Clear # alerts" />}
      name="cleared_reason"
      description={t`What was found, and what was done about it.`}
      limits={{ min: 3, max: 1000 }}
      submitLabel={<Trans context="alerts">Clear</Trans>}
      save={(reason) => clearAlerts(references, reason)}
      onSaved={props.onDone}
      onClose={props.onClose}
    >
      <Text>
        <Trans>
          Clearing counts for everybody. If the cause returns, the alert triggers again and is on every list
          again.
        </Trans>
      </Text>
    </ReasonDialog>
  )
}
