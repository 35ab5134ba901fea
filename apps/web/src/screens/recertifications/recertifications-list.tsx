import {
  type Recertification,
  RECERTIFICATION_NAME_LIMIT,
  recertificationEndpoints,
  Ulid,
} from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { NativeSelect, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { recertificationsApi } from '../../api/access-api.ts'
import { roleChoicesQuery } from '../../api/queries.ts'
import { useMay } from '../../api/use-profile.ts'
import { getColumns } from '../../components/lists/columns.tsx'
import { defineList } from '../../components/lists/define-list.tsx'
import { ListPage } from '../../components/lists/list-page.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { shapeFaults } from '../../ui/form/faults.ts'
import { ShortForm } from '../../ui/form/short-form.tsx'
import { useForm } from '../../ui/form/use-form.ts'
import { authorName, visible } from '../../ui/visible.ts'
import { Progress, RecertificationPage, RecertificationState } from './recertification-page.tsx'

const column = getColumns<Recertification>()

const recertifications = defineList({
  name: 'recertifications',
  call: 'listRecertifications',
  api: recertificationsApi,
  to: '/dashboard/access/recertifications',
  key: Ulid,
  title: msg`Recertifications`,
  icon: 'check',
  columns: [
    column.name('name', msg`Name`, { width: 200, grow: 2 }),
    column.drawn(
      'state',
      msg`State`,
      ({ row }) => <RecertificationState recertification={row} />,
      (row) => row.ended_at,
      { width: 120, stacked: 'end' },
    ),
    column.drawn(
      'decided',
      msg`Decided`,
      ({ row }) => <Progress recertification={row} />,
      (row) => row.confirmed + row.revoked,
      { width: 140, stacked: 'line' },
    ),
    column.moment('due_at', msg({ context: 'recertification', message: 'Due' })),
    column.text('role', msg`Role`, { width: 150, grow: 1 }),
    column.text(
      'started_by',
      msg({ context: 'recertification', message: 'Started by' }),
      (row) => authorName(row, 'started_by'),
      { width: 150, grow: 1 },
    ),
    column.moment('started_at', msg({ context: 'recertification', message: 'Started' }), {
      isOptional: true,
    }),
  ],
  filters: [],
  noMatch: msg`No recertifications match`,
  empty: {
    title: msg`No recertifications yet`,
    description: msg`A recertification lists people and their roles at one moment. Reviewers confirm or revoke each.`,
  },
  isUnchanged: true,
  getKey: (row) => row.recertification_reference,
  rowTitle: (row) => row.name,
  detail: ({ recertification_reference }) => ({
    to: '/dashboard/access/recertifications',
    search: { recertification: recertification_reference } as never,
  }),
  records: {
    Drawer: StartDialog,
    create: { label: msg`Start recertification`, action: 'people.recertifications:create' },
    isOnlyCreated: true,
  },
})

const route = getRouteApi('/dashboard/access/recertifications')

/** `/dashboard/access/recertifications`: recertifications; with `?recertification=` one of them. */
export default function Recertifications() {
  const { recertification } = route.useSearch()
  const read = Ulid.safeParse(recertification)
  return read.success ? (
    <RecertificationPage key={read.data} reference={read.data} />
  ) : (
    <ListPage list={recertifications} />
  )
}

const DAY_MS = 86_400_000
/** Days until the due date that the form offers. */
const OFFERED_DAYS = 30

/** A day of the reader's zone as a date field has it, and the end of such a day in epoch seconds. */
const dayIn = (days: number) =>
  new Date(Date.now() + days * DAY_MS - new Date().getTimezoneOffset() * 60_000).toISOString().slice(0, 10)
const getEnd = (day: string) => Math.floor((new Date(`${day}T00:00`).getTime() + DAY_MS) / 1000) - 1

function useStartForm(onClose: () => void) {
  const { t } = useLingui()
  const navigate = useNavigate()
  return useForm<{ name: string; role: string; due_at: string }, Recertification>({
    initial: { name: '', role: '', due_at: dayIn(OFFERED_DAYS) },
    labels: {
      name: t`Name`,
      role: t`Role`,
      due_at: t({ context: 'recertification', message: 'Due' }),
    },
    check: ({ name, due_at }) => [
      ...shapeFaults(recertificationEndpoints.startRecertification.body.shape.name, name.trim(), 'name'),
      ...(Number.isFinite(getEnd(due_at))
        ? []
        : [{ path: 'due_at', code: 'required' as const, message: '', values: { field: 'due_at' } }]),
    ],
    save: ({ name, role, due_at }) =>
      recertificationsApi.startRecertification({
        query: {},
        body: { name: name.trim(), due_at: getEnd(due_at), ...(role !== '' && { role }) },
      }),
    onSaved: ({ recertification_reference }) => {
      onClose()
      void navigate({
        to: '/dashboard/access/recertifications',
        search: { recertification: recertification_reference },
      })
    },
  })
}

/** Starts a recertification and opens its page. */
function StartDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui()
  const roles = useQuery({ ...roleChoicesQuery, enabled: useMay()('roles:list') })
  const form = useStartForm(onClose)
  const { field, set } = form
  return (
    <Dialog title={t`Start recertification`} onClose={onClose}>
      <ShortForm form={form} save={<Trans>Start recertification</Trans>} onCancel={onClose}>
        <Text size="sm">
          <Trans>
            Freezes people and their roles as they are now. Access does not change until you revoke it.
          </Trans>
        </Text>
        <TextInput
          label={t`Name`}
          description={t`For example: Autumn 2026`}
          {...field('name')}
          maxLength={RECERTIFICATION_NAME_LIMIT}
          autoComplete="off"
          required
          data-autofocus
        />
        <NativeSelect
          label={t`Role`}
          {...field('role')}
          onChange={({ currentTarget: { value } }) => set({ role: value })}
          data={[
            { value: '', label: t`All roles` },
            ...(roles.data ?? []).map(({ role_reference }) => ({
              value: role_reference,
              label: visible(role_reference),
            })),
          ]}
        />
        <TextInput
          type="date"
          label={t({ context: 'recertification', message: 'Due' })}
          description={t`An alert reminds you three days before.`}
          {...field('due_at')}
          required
        />
      </ShortForm>
    </Dialog>
  )
}
