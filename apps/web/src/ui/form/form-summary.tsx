import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, List, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { faultText } from '../../api/failure-text.ts'
import { withTexts } from '../../i18n/i18n.ts'
import { DiscardQuestion } from '../dialog.tsx'
import { Icon } from '../icon.tsx'
import type { Conflict } from './conflict.ts'
import { headed, named } from './labels.ts'
import type { Form } from './use-form.ts'

const ConflictView = lazy(async () => ({
  default: (await withTexts('lazy', import('./conflict-view.tsx'))).ConflictView,
}))

/** Summary after a rejection: all faults by field, the cause, or the conflict to resolve. */
export function FormSummary<Values>(props: {
  form: Pick<
    Form<Values>,
    'faults' | 'failure' | 'conflict' | 'isWaiting' | 'isDirty' | 'labels' | 'texts' | 'set' | 'values'
  >
  /** Refetches the record after a conflict. */
  onReload?: (() => void) | undefined
}) {
  const { t, i18n } = useLingui()
  const { faults, failure, conflict, isWaiting, labels } = props.form
  if (isWaiting) return <SubmitPending />
  if (conflict !== undefined)
    return (
      <Suspense>
        <ConflictView
          conflict={conflict as Conflict<object>}
          form={props.form as never}
          onReload={props.onReload}
        />
      </Suspense>
    )
  if (faults.length === 0 && failure === undefined) return null
  const lines = faults.map((fault) => headed(fault, faultText(named(fault, labels), i18n), labels))
  return (
    <Alert
      color="red"
      role="alert"
      tabIndex={-1}
      data-form-summary
      icon={<Icon name="alert-circle" />}
      title={faults.length > 0 ? t`Correct the fields below` : t`Saving failed`}
    >
      {failure !== undefined && (
        <Text size="sm" style={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>
          {failure}
        </Text>
      )}
      {lines.length > 0 && (
        <List size="sm">
          {[...new Set(lines)].map((line) => (
            <List.Item key={line}>{line}</List.Item>
          ))}
        </List>
      )}
    </Alert>
  )
}

/** The save waits for the connection. */
export function SubmitPending() {
  return (
    <Alert color="orange" icon={<Icon name="clock" />}>
      <Trans>No connection. Your changes are saved when it is back.</Trans>
    </Alert>
  )
}

/** Confirms a navigation with unsaved changes; the browser confirms a closed tab. */
export function LeaveGuard<Values>({ form }: { form: Pick<Form<Values>, 'hasUnsaved' | 'abandon'> }) {
  const { hasUnsaved, abandon } = form
  const blocker = useBlocker({
    shouldBlockFn: hasUnsaved,
    enableBeforeUnload: hasUnsaved,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  return (
    <DiscardQuestion
      onStay={blocker.reset}
      onLeave={() => {
        abandon()
        blocker.proceed()
      }}
    />
  )
}
