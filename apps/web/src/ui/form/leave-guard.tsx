import { Trans, useLingui } from '@lingui/react/macro'
import { Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { Confirm } from '../confirm.tsx'
import type { Form } from './use-form.ts'

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

/** 'Leave without saving?' */
export function DiscardQuestion(props: { onStay: () => void; onLeave: () => void }) {
  const { t } = useLingui()
  return (
    <Confirm
      title={t`Leave without saving?`}
      confirmLabel={t`Discard changes`}
      cancelLabel={t`Keep editing`}
      onConfirm={props.onLeave}
      onClose={props.onStay}
      isDangerous
    >
      <Text>
        <Trans>You have unsaved changes.</Trans>
      </Text>
    </Confirm>
  )
}
