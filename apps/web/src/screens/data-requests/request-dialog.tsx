import {
  type DataRequest,
  REQUEST_KINDS,
  REQUEST_LAWS,
  REQUEST_NOTE_LIMIT,
  REQUEST_SUBJECTS,
  type RequestKind,
  type RequestLaw,
  type RequestSubject,
  UserReference,
} from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Group, NativeSelect, SimpleGrid, Text, TextInput, Textarea } from '@mantine/core'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { requestsApi } from '../../api/governance-api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { shapeFaults } from '../../ui/form/faults.ts'
import { ShortForm } from '../../ui/form/short-form.tsx'
import { useForm } from '../../ui/form/use-form.ts'
import { KIND_WORDS, LAW_WORDS, SUBJECT_WORDS } from './request-words.ts'

interface Draft {
  subject_type: RequestSubject
  subject: string
  kind: RequestKind
  law: RequestLaw
  received_at: string
  due_at: string
  note: string
}

const route = getRouteApi('/dashboard/governance/requests')
const LAWS = Object.keys(REQUEST_LAWS) as RequestLaw[]
const getLaws = (kind: RequestKind) =>
  LAWS.filter((law) => (REQUEST_LAWS[law] as readonly RequestKind[]).includes(kind))

/** A day of the reader's zone in input format, and its start. */
const today = () => new Date(Date.now() - new Date().getTimezoneOffset() * 60_000).toISOString().slice(0, 10)
const getStart = (day: string) => Math.floor(new Date(`${day}T00:00`).getTime() / 1000)

/** Subject in the address: `DeviceUser/Harriet`, `Number/+44…`. */
function getSubject(about: string | undefined): Pick<Draft, 'subject_type' | 'subject'> {
  const cut = about?.indexOf('/') ?? -1
  const kind = REQUEST_SUBJECTS.find((each) => each === about?.slice(0, Math.max(0, cut)))
  return kind === undefined || about === undefined
    ? { subject_type: 'DeviceUser', subject: '' }
    : { subject_type: kind, subject: about.slice(cut + 1) }
}

/** Creates a request and opens its page with the report. */
export default function RequestDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui()
  const form = useRequestForm(onClose)
  return (
    <Dialog title={t({ context: 'request of a person', message: 'Record a request' })} onClose={onClose}>
      <ShortForm form={form} save={<Trans context="request of a person">Record</Trans>} onCancel={onClose}>
        <Text size="sm">
          <Trans>Erasure follows the retention policy; the report shows the dates.</Trans>
        </Text>
        <SubjectFields form={form} />
        <KindFields form={form} />
        <TimeFields form={form} />
      </ShortForm>
    </Dialog>
  )
}

type RequestForm = ReturnType<typeof useRequestForm>

function useRequestForm(onClose: () => void) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const { about } = route.useSearch()
  return useForm<Draft, DataRequest>({
    initial: {
      ...getSubject(about),
      kind: 'Access',
      law: 'GDPR',
      received_at: today(),
      due_at: '',
      note: '',
    },
    labels: {
      subject: t({ context: 'request of a person', message: 'About' }),
      law: t({ context: 'request of a person', message: 'Law' }),
      received_at: t({ context: 'request of a person', message: 'Received' }),
      due_at: t({ context: 'request of a person', message: 'Due' }),
      note: t({ context: 'request of a person', message: 'Note' }),
    },
    check: ({ subject, received_at }) => [
      ...shapeFaults(UserReference, subject.trim(), 'subject'),
      ...(Number.isFinite(getStart(received_at))
        ? []
        : [
            { path: 'received_at', code: 'required' as const, message: '', values: { field: 'received_at' } },
          ]),
    ],
    save: ({ subject_type, subject, kind, law, received_at, due_at, note }) =>
      requestsApi.openDataRequest({
        query: {},
        body: {
          subject_type,
          subject: subject.trim(),
          kind,
          law,
          received_at: getStart(received_at),
          ...(due_at !== '' && { due_at: getStart(due_at) }),
          ...(note.trim() !== '' && { note: note.trim() }),
        },
      }),
    getField: { not_found: 'subject' },
    onSaved: ({ data_request_id }) => {
      onClose()
      void navigate({ to: '/dashboard/governance/requests', search: { request: data_request_id } })
    },
  })
}

function SubjectFields({ form: { field, set } }: { form: RequestForm }) {
  const { t, i18n } = useLingui()
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <NativeSelect
        label={t`Kind`}
        {...field('subject_type')}
        onChange={({ currentTarget: { value } }) => set({ subject_type: value as RequestSubject })}
        data={REQUEST_SUBJECTS.map((value) => ({ value, label: i18n._(SUBJECT_WORDS[value]) }))}
      />
      <TextInput
        label={t({ context: 'request of a person', message: 'About' })}
        {...field('subject')}
        maxLength={255}
        autoComplete="off"
        required
        data-autofocus
      />
    </SimpleGrid>
  )
}

function KindFields({ form: { field, set, values } }: { form: RequestForm }) {
  const { t, i18n } = useLingui()
  return (
    <>
      <NativeSelect
        label={t({ context: 'request of a person', message: 'Request type' })}
        {...field('kind')}
        onChange={({ currentTarget: { value } }) => {
          const kind = value as RequestKind
          const laws = getLaws(kind)
          set({ kind, law: laws.find((law) => law === values.law) ?? laws[0] ?? 'GDPR' })
        }}
        data={REQUEST_KINDS.map((value) => ({ value, label: i18n._(KIND_WORDS[value]) }))}
      />
      <NativeSelect
        label={t({ context: 'request of a person', message: 'Law' })}
        {...field('law')}
        onChange={({ currentTarget: { value } }) => set({ law: value as RequestLaw })}
        data={getLaws(values.kind).map((value) => ({ value, label: i18n._(LAW_WORDS[value]) }))}
      />
    </>
  )
}

function TimeFields({ form: { field, values } }: { form: RequestForm }) {
  const { t } = useLingui()
  return (
    <>
      <Group grow align="start">
        <TextInput
          label={t({ context: 'request of a person', message: 'Received' })}
          type="date"
          max={today()}
          {...field('received_at')}
          required
        />
        <TextInput
          label={t({ context: 'request of a person', message: 'Due' })}
          type="date"
          min={values.received_at}
          {...field('due_at')}
          description={t`Default: the legal deadline`}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
        />
      </Group>
      <Textarea
        label={t({ context: 'request of a person', message: 'Note' })}
        description={t`Optional. Stored encrypted, never logged`}
        {...field('note')}
        maxLength={REQUEST_NOTE_LIMIT}
        autosize
        minRows={2}
        maxRows={8}
      />
    </>
  )
}
