import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Text } from '@mantine/core'
import { ReasonDialog } from '../../components/reason-dialog.tsx'

/** Asks for the reason and clears; `onDone` receives the outcomes. */
export function ClearAlerts<Outcome>(props: {
  count: number
  clear: (reason: string) => Promise<Outcome>
  onClose: () => void
  onDone: (outcome: Outcome) => void
}) {
  const { t } = useLingui()
  return (
    <ReasonDialog
      title={<Plural value={props.count} one="Clear # alert" other="Clear # alerts" />}
      name="cleared_reason"
      description={t`Findings and actions taken.`}
      limits={{ min: 3, max: 1000 }}
      submitLabel={<Trans context="alerts">Clear</Trans>}
      save={props.clear}
      onSaved={props.onDone}
      onClose={props.onClose}
    >
      <Text>
        <Trans>Clearing applies to all users. If the cause returns, the alert triggers again.</Trans>
      </Text>
    </ReasonDialog>
  )
}
