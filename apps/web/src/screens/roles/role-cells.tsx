import type { StoredRole } from '@custodia/contract'
import { Plural, useLingui } from '@lingui/react/macro'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import { roleDescription } from '../../components/words/role-words.ts'

type Row = { row: StoredRole }

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
