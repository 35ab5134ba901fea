import type { ReconciliationSummary } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { Badge } from '@mantine/core'
import { Icon } from '../../ui/icon.tsx'

/** Whether a reconciliation file is on its target. */
export function SentState({ row: { sent_at, error_message } }: { row: ReconciliationSummary }) {
  const { t } = useLingui()
  if (sent_at !== null)
    return (
      <Badge color="teal" leftSection={<Icon name="check" size={13} />}>
        {t({ context: 'statement', message: 'Sent' })}
      </Badge>
    )
  return error_message === null ? (
    <Badge color="gray" leftSection={<Icon name="clock" size={13} />}>
      {t({ context: 'statement', message: 'Not sent yet' })}
    </Badge>
  ) : (
    <Badge color="red" leftSection={<Icon name="alert-circle" size={13} />}>
      {t({ context: 'statement', message: 'Not sent' })}
    </Badge>
  )
}
