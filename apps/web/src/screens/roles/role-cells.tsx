import type { StoredRole } from '@custodia/contract'
import { Plural, useLingui } from '@lingui/react/macro'
import { Badge, Text } from '@mantine/core'
import { Icon } from '../../ui/icon.tsx'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import { roleDescription } from '../../components/words/role-words.ts'

type Row = { row: StoredRole }

export function KindCell({ row }: Row) {
  const { t } = useLingui()
  if (!row.is_system) return null
  return (
    <Badge color="gray" leftSection={<Icon name="system" size={12} />}>
      {t`System`}
    </Badge>
  )
}

export function DescriptionCell({ row }: Row) {
  const { i18n } = useLingui()
  const text = roleDescription(row, i18n)
  return <span title={text}>{text}</span>
}

export const RulesCell = ({ row }: Row) => (
  <Plural value={row.permissions.length} one="# rule" other="# rules" />
)

export function TypesCell({ row: { payload_types } }: Row) {
  const { t, i18n } = useLingui()
  const text =
    payload_types.length === 0
      ? t`All types`
      : payload_types.map((type) => i18n._(PAYLOAD_TYPE_WORDS[type])).join(', ')
  return <span title={text}>{text}</span>
}

export function NetworksCell({ row: { cidr_ranges } }: Row) {
  const { t } = useLingui()
  if (cidr_ranges.length === 0)
    return (
      <Text span c="dimmed" size="sm">
        {t`everywhere`}
      </Text>
    )
  return <span title={cidr_ranges.join(', ')}>{cidr_ranges.join(', ')}</span>
}

export function AlertableCell({ row }: Row) {
  const { t } = useLingui()
  return row.is_alertable ? (
    <Badge color="orange" leftSection={<Icon name="bell" size={12} />}>
      {t`Raises alerts`}
    </Badge>
  ) : null
}
