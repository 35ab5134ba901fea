import { useLingui } from '@lingui/react/macro'
import { Badge } from '@mantine/core'
import { Icon } from '../ui/icon.tsx'
import { msg } from '@lingui/core/macro'

/** Badge for a legal hold; hidden without a hold or the right to know. */
export function HeldBadge({ is_held }: { is_held?: boolean | undefined }) {
  const { t } = useLingui()
  if (!is_held) return null
  return (
    <Badge color="grape" leftSection={<Icon name="lock" size={13} />}>
      {t({ context: 'legally', message: 'On hold' })}
    </Badge>
  )
}

/** Filter for records on legal hold, for permitted users. */
export const HELD_FILTER = {
  kind: 'flag',
  name: 'is_held',
  label: msg`On legal hold only`,
  action: 'account.legal_holds:list',
} as const
