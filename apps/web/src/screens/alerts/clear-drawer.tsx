import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Text, Textarea } from '@mantine/core'
import { text } from '@custodia/contract'
import { noticeDone } from '../../api/notices.tsx'
import { FormDrawer } from '../../ui/form/form-drawer.tsx'
import { shapeFaults } from '../../ui/form/faults.ts'
import { useForm } from '../../ui/form/use-form.ts'
import { clearAlerts } from './client-alert-acts.ts'

const Reason = text(3, 1000)

/** Asks why the alerts are cleared: everybody who sees them reads it. */
export default function ClearDrawer(props: {
  keys: readonly string[]
  onClose: () => void
  onCleared: () => void
}) {
  const { t } = useLingui()
  const form = useForm({
    initial: { cleared_reason: '' },
    labels: { cleared_reason: t`Reason` },
    check: ({ cleared_reason }) => shapeFaults(Reason, cleared_reason.trim(), 'cleared_reason'),
    save: ({ cleared_reason }) => clearAlerts(props.keys, cleared_reason.trim()),
    onSaved: (count) => {
      noticeDone(t`Alerts cleared: ${count}`)
      props.onCleared()
    },
  })
  return (
    <FormDrawer
      title={t`Clear alerts`}
      form={form}
      submitLabel={<Trans context="alerts">Clear</Trans>}
      onClose={props.onClose}
    >
      <Text>
        <Plural
          value={props.keys.length}
          one="# alert is cleared for everybody. It triggers again when it happens again."
          other="# alerts are cleared for everybody. They trigger again when it happens again."
        />
      </Text>
      <Textarea
        label={t`Reason`}
        description={t`What was done about it`}
        required
        autosize
        minRows={3}
        maxLength={1000}
        data-autofocus
        {...form.field('cleared_reason')}
      />
    </FormDrawer>
  )
}
