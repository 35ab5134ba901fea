import { HOLD_TARGETS, type LegalHold, text } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { lazy } from 'react'
import { holdsApi } from '../../api/governance-api.ts'
import { getColumns, savedColumns } from '../../components/lists/columns.tsx'
import { defineList } from '../../components/lists/define-list.tsx'
import { ListPage } from '../../components/lists/list-page.tsx'
import { one } from '../../components/lists/list-search.ts'
import { wordFilter, eitherFilter } from '../../components/words/spec-word.tsx'
import { heldPerson, HOLD_TARGET_WORDS, holdKey, HoldState } from './hold.tsx'

const column = getColumns<LegalHold>()
/** Kind and name with their separator. */
const Key = text(1, 300)

const holds = defineList({
  name: 'legal-holds',
  isTall: 'stacked',
  call: 'listLegalHolds',
  api: holdsApi,
  to: '/dashboard/governance/holds',
  key: Key,
  // Names of portal users are longer than references of other lists.
  own: { preview: one(Key) },
  title: msg`Legal holds`,
  icon: 'lock',
  columns: [
    column.name('target', msg({ context: 'legal hold', message: 'Who' }), heldPerson, {
      width: 220,
      grow: 2,
      csv: [
        { label: msg({ context: 'legal hold', message: 'Who' }), value: heldPerson },
        { label: msg`Reference`, value: (row) => row.target },
      ],
    }),
    column.word('target_type', msg`Kind`, HOLD_TARGET_WORDS, (row) => row.target_type, {
      width: 160,
      stacked: 'line',
    }),
    column.drawn(
      'state',
      msg`State`,
      ({ row }) => <HoldState hold={row} />,
      (row) => row.is_active,
      {
        width: 202,
        stacked: 'end',
      },
    ),
    column.drawn('protected', msg`Protected`, ProtectedCell, { width: 96, align: 'end', stacked: 'line' }),
    column.count('already_destroyed', msg`Destroyed before`, { width: 104 }),
    column.moment('created_at', msg`First hold`),
    column.moment('keeps_until', msg`Protects until`),
    ...savedColumns<LegalHold>(),
  ],
  filters: [
    { name: 'search', kind: 'search', label: msg`Search`, placeholder: msg`Name or reference` },
    eitherFilter('is_active', msg`State`, {
      true: msg({ context: 'legally', message: 'On hold' }),
      false: msg({ context: 'legal hold', message: 'Released' }),
    }),
    wordFilter('target_type', msg`Kind`, HOLD_TARGET_WORDS, { values: HOLD_TARGETS, isSingle: true }),
  ],
  views: [
    { name: 'active', label: msg({ context: 'legally', message: 'On hold' }), search: { is_active: true } },
  ],
  noMatch: msg`No legal holds match`,
  empty: {
    title: msg`No legal holds`,
    description: msg`A legal hold protects all recordings of a person, or with their comments, from retention.`,
  },
  isUnchanged: true,
  getKey: holdKey,
  rowTitle: heldPerson,
  Preview: lazy(() => import('./hold-preview.tsx')),
  records: {
    Drawer: lazy(() => import('./hold-dialog.tsx')),
    create: { label: msg`Place on legal hold`, action: 'account.legal_holds:update', icon: 'lock' },
    isOnlyCreated: true,
  },
})

/** `/dashboard/governance/holds`: legal holds. */
export default function HoldsList() {
  return <ListPage list={holds} />
}

/** The count, with a plus at the counting limit. */
function ProtectedCell({ row }: { row: LegalHold }) {
  const { i18n, t } = useLingui()
  const count = i18n.number(row.protected)
  return (
    <span>
      <span data-narrow-only>{t`Protected`} </span>
      {row.is_capped ? t`${count} or more` : count}
    </span>
  )
}
