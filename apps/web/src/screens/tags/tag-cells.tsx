import type { StoredTag } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Badge, Text } from '@mantine/core'
import { Icon } from '../../ui/icon.tsx'

type Row = { row: StoredTag }

/** The values listed, or that any or none is allowed. */
export function ValuesCell({ row: { tag_values } }: Row) {
  if (tag_values === null)
    return (
      <Text span c="dimmed" size="sm">
        <Trans>any value</Trans>
      </Text>
    )
  if (tag_values.length === 0)
    return (
      <Text span c="dimmed" size="sm">
        <Trans>no value</Trans>
      </Text>
    )
  return <span title={tag_values.join(', ')}>{tag_values.join(', ')}</span>
}

export function RequiredCell({ row: { is_required } }: Row) {
  const { t } = useLingui()
  return is_required ? <Badge leftSection={<Icon name="check" size={12} />}>{t`Required`}</Badge> : null
}
