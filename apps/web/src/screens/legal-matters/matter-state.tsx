import type { LegalMatter } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Badge } from '@mantine/core'
import { Icon } from '../../ui/icon.tsx'

export const OPEN = msg({ context: 'legal matter', message: 'Open' })
export const CLOSED = msg({ context: 'legal matter', message: 'Closed' })

/** Whether a matter is open. */
export function MatterState({ matter }: { matter: Pick<LegalMatter, 'closed_at'> }) {
  const { i18n } = useLingui()
  return matter.closed_at === null ? (
    <Badge color="grape" leftSection={<Icon name="lock" size={13} />}>
      {i18n._(OPEN)}
    </Badge>
  ) : (
    <Badge color="gray" leftSection={<Icon name="check" size={13} />}>
      {i18n._(CLOSED)}
    </Badge>
  )
}
