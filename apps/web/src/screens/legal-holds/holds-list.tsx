import { HOLD_TARGETS, type LegalHold, text } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { lazy } from 'react'
import { holdsApi } from '../../api/governance-api.ts'
import { columnsOf, savedColumns } from '../../components/lists/columns.tsx'
import { defineList } from '../../components/lists/define-list.tsx'
import { ListPage } from '../../components/lists/list-page.tsx'
import { one } from '../../components/lists/list-search.ts'
import { eitherOptions, wordOptions } from '../../components/words/spec-word.tsx'
import { heldPerson, HOLD_TARGET_WORDS, holdKey, HoldState } from './hold.tsx'

const column = columnsOf<LegalHold>()
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
    column.drawn('protected', msg`Protected`, ProtectedCell, (row) => row.protected, {
      width: 96,
      align: 'end',
      stacked: 'line',
    }),
    column.count('already_destroyed', msg`Destroyed before`, (row) => row.already_destroyed, {
      width: 104,
    }),
    column.moment('created_at', msg`First hold`, (row) => row.created_at, { width: 154 }),
    column.moment('keeps_until', msg`Protects until`, (row) => row.keeps_until, { width: 154 }),
    ...savedColumns<LegalHold>(),
  ],
  filters: [
    { name: 'search', kind: 'search', label: msg`Search`, placeholder: msg`Name or reference` },
    {
      name: 'is_active',
      kind: 'choice',
      isSingle: true,
      label: msg`State`,
      useOptions: eitherOptions({
        true: msg({ context: 'legally', message: 'On hold' }),
        false: msg({ context: 'legal hold', message: 'Released' }),
      }),
    },
    {
      name: 'target_type',
      kind: 'choice',
      isSingle: true,
      label: msg`Kind`,
      useOptions: wordOptions(HOLD_TARGET_WORDS, HOLD_TARGETS),
    },
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
  keyOf: holdKey,
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
