import {
  type DataRequest,
  type DataRequestDetail,
  type DataRequestReport,
  type Locale,
  REQUEST_ENDS,
  REQUEST_WARNING_DAYS,
} from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Radio, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { callQuery } from '../../api/call-keys.ts'
import { requestsApi } from '../../api/governance-api.ts'
import { noticeDone } from '../../api/notices.ts'
import { takeReason } from '../../api/reasons.ts'
import { useMay } from '../../api/use-profile.ts'
import { PersonName } from '../../components/devices/links.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { printPage } from '../../components/lists/export-csv.tsx'
import { ReasonDialog } from '../../components/reason-dialog.tsx'
import { RecordPage } from '../../components/record-page.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { type BadgeStyles, SpecWord, WordBadge } from '../../components/words/spec-word.tsx'
import { PageMenu } from '../../ui/act-button.tsx'
import { download } from '../../ui/files.ts'
import { Icon } from '../../ui/icon.tsx'
import { PageAct } from '../../ui/page-act.tsx'
import { PageBody } from '../../ui/page-body.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Reference } from '../../ui/reference.tsx'
import { Time } from '../../ui/time.tsx'
import { useNow } from '../../ui/use-now.ts'
import { authorName, visible } from '../../ui/visible.ts'
import { Copies } from './copies.tsx'
import { reportLines } from './report-csv.ts'
import { Report } from './report.tsx'
import { KIND_WORDS, LAW_WORDS, STATE_WORDS, SUBJECT_WORDS } from './request-words.ts'

const STYLES: BadgeStyles<DataRequest['state']> = {
  Open: { color: 'blue', icon: 'clock' },
  Answered: { color: 'teal', icon: 'check' },
  Refused: { color: 'orange', icon: 'x' },
  Withdrawn: { color: 'gray', icon: 'minus' },
}

/** State of a request. */
export function RequestState({ request: { state } }: { request: Pick<DataRequest, 'state'> }) {
  return <WordBadge value={state} words={STATE_WORDS} styles={STYLES} />
}

/** Due date; an open request that is due soon or overdue is highlighted. */
export function DueAt({ request: { state, due_at } }: { request: Pick<DataRequest, 'state' | 'due_at'> }) {
  const now = useNow()
  if (due_at === null)
    return (
      <Text span inherit c="dimmed">
        <Trans>without undue delay</Trans>
      </Text>
    )
  const left = due_at - now
  if (state !== 'Open' || left > REQUEST_WARNING_DAYS * 86_400) return <Time at={due_at} style="day" />
  return (
    <Text span inherit c="red" fw={600}>
      <Time at={due_at} style="day" />
      {left < 0 && (
        <>
          {' · '}
          <Trans>overdue</Trans>
        </>
      )}
    </Text>
  )
}

/** One request with its report; the print version is the answer to the person. */
export function RequestPage({ data_request_id }: { data_request_id: string }) {
  const { t } = useLingui()
  const isAllowed = useMay()('account.data_requests:read')
  const request = useQuery({
    ...callQuery(requestsApi, 'readDataRequest', { params: { data_request_id } }),
    enabled: isAllowed,
  })
  const report = useQuery({
    ...callQuery(requestsApi, 'readDataRequestReport', { params: { data_request_id } }),
    enabled: isAllowed,
  })
  return (
    <RecordPage
      query={request}
      title={t({ context: 'request of a person', message: 'Request' })}
      back={{ to: '/dashboard/governance/requests' }}
      backLabel={t`All requests`}
    >
      {(shown) => (
        <>
          <PageHeader
            title={visible(shown.subject_name ?? shown.subject)}
            aside={<RequestState request={shown} />}
            actions={<Acts request={shown} report={report.data} />}
          />
          <PageBody>
            <RequestFacts request={shown} />
            <QueryResult query={report} height={240}>
              {(result) => <Report report={result} kind={shown.kind} />}
            </QueryResult>
            {shown.copies.length > 0 && <Copies copies={shown.copies} />}
          </PageBody>
        </>
      )}
    </RecordPage>
  )
}

/** The data subject by name, linked: a number to its calls. */
function Subject({ request: { subject, subject_type, subject_name } }: { request: DataRequest }) {
  if (subject_type === 'DeviceUser')
    return <PersonName device_user_reference={subject} person_name={subject_name ?? undefined} />
  const name = visible(subject_name ?? subject)
  if (subject_type === 'PortalUser')
    return (
      <TextLink action="people:list" to="/dashboard/access/people" search={{ preview: subject }}>
        {name}
      </TextLink>
    )
  return (
    <TextLink action="payloads:list" to="/dashboard/services/calls" search={{ search: subject }}>
      {name}
    </TextLink>
  )
}

function RequestFacts({ request }: { request: DataRequestDetail }) {
  const { t } = useLingui()
  const { subject, subject_type, subject_name } = request
  return (
    <Facts isPart title={t({ context: 'request of a person', message: 'Request' })}>
      <Fact label={t({ context: 'request of a person', message: 'About' })}>
        <SpecWord value={subject_type} words={SUBJECT_WORDS} />
        {': '}
        <Subject request={request} />
      </Fact>
      <Fact label={t`Reference`}>{subject_name !== null && <Reference value={subject} length={28} />}</Fact>
      <Fact label={t({ context: 'request of a person', message: 'Request type' })}>
        <SpecWord value={request.kind} words={KIND_WORDS} />
      </Fact>
      <Fact label={t({ context: 'request of a person', message: 'Law' })}>
        <SpecWord value={request.law} words={LAW_WORDS} />
      </Fact>
      <Fact label={t({ context: 'request of a person', message: 'Received' })}>
        <Time at={request.received_at} style="day" />
      </Fact>
      <Fact label={t({ context: 'request of a person', message: 'Due' })}>
        <DueAt request={request} />
      </Fact>
      <Fact label={t({ context: 'request of a person', message: 'Note' })}>
        {request.note !== null && (
          <Text inherit style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {visible(request.note)}
          </Text>
        )}
      </Fact>
      <Fact label={t({ context: 'request of a person', message: 'Closed' })}>
        {request.closed_at !== null && (
          <>
            <Time at={request.closed_at} style="second" /> · {authorName(request, 'closed_by')}
          </>
        )}
      </Fact>
      <Fact label={t`Reason`}>{request.reason !== null && visible(request.reason)}</Fact>
      <Fact label={t`Recorded by`}>
        {authorName(request, 'opened_by')} · <Time at={request.opened_at} style="second" />
      </Fact>
      <Fact label={t({ context: 'request of a person', message: 'This request is kept until' })}>
        {request.destroy_at !== null && <Time at={request.destroy_at} style="day" />}
      </Fact>
    </Facts>
  )
}

function Acts({ request, report }: { request: DataRequestDetail; report: DataRequestReport | undefined }) {
  const { t, i18n } = useLingui()
  const may = useMay()
  const [asked, setAsked] = useState<'end'>()
  const { data_request_id, kind, state, subject_type } = request
  const copying = useMutation({
    mutationFn: async (evidence: boolean) => {
      const why = await takeReason()
      if (why === undefined) return
      const { deleted } = await requestsApi.copyDataRequest({
        params: { data_request_id },
        query: {},
        body: { ...why, evidence, locale: i18n.locale as Locale },
      })
      noticeDone(
        deleted
          ? t`Copy ready, without deleted recordings: download its parts within a day`
          : t`Copy ready: download its parts within a day`,
      )
    },
  })
  const hasCopy = kind !== 'Erasure' && subject_type !== 'PortalUser'
  const isOpen = state === 'Open'
  const save = (type: 'json' | 'csv') => {
    if (!report) return
    const text =
      type === 'json' ? JSON.stringify({ request, report }, null, 2) : reportLines(request, report, i18n)
    download([text], `request-${data_request_id}`, {
      type: type === 'json' ? 'application/json' : 'text/csv',
      ending: type,
    })
  }
  return (
    <>
      {isOpen && may('account.data_requests:update') && (
        <Button leftSection={<Icon name="check" size={16} />} onClick={() => setAsked('end')}>
          <Trans>Close the request</Trans>
        </Button>
      )}
      <PageMenu>
        {isOpen && hasCopy && may('account.data_requests:copy') && may('payloads:export') && (
          <>
            <PageAct
              icon="archive"
              label={t`Create a copy`}
              onClick={() => copying.isPending || copying.mutate(false)}
            />
            <PageAct
              icon="shield-check"
              label={t`Create a copy with evidence`}
              onClick={() => copying.isPending || copying.mutate(true)}
            />
          </>
        )}
        {report && (
          <>
            <PageAct icon="download" label={t`Save as JSON`} onClick={() => save('json')} />
            <PageAct icon="download" label={t`Save as CSV`} onClick={() => save('csv')} />
            <PageAct
              icon="print"
              label={t`Print`}
              onClick={() =>
                void printPage({ list: 'readDataRequest', data_request_id: request.data_request_id })
              }
            />
          </>
        )}
      </PageMenu>
      {asked === 'end' && <EndDialog request={request} onClose={() => setAsked(undefined)} />}
    </>
  )
}

/** Closes a request with an outcome and a reason. */
function EndDialog({ request: { data_request_id }, onClose }: { request: DataRequest; onClose: () => void }) {
  const { t, i18n } = useLingui()
  const [state, setState] = useState<(typeof REQUEST_ENDS)[number]>('Answered')
  return (
    <ReasonDialog
      title={t`Close the request`}
      description={t`3 to 500 characters: the answer or reason for refusal. Stored encrypted, never logged.`}
      name="reason"
      limits={{ min: 3, max: 500 }}
      submitLabel={<Trans>Close the request</Trans>}
      save={(reason) =>
        requestsApi.closeDataRequest({
          params: { data_request_id },
          query: {},
          body: { state, reason: reason.replace(/\s+/g, ' ') },
        })
      }
      onSaved={() => {
        onClose()
        noticeDone(t`Request closed`)
      }}
      onClose={onClose}
    >
      <Radio.Group
        label={t({ context: 'request of a person', message: 'Outcome' })}
        value={state}
        onChange={(value) => setState(value as typeof state)}
      >
        <Stack gap="xs" mt="xs">
          {REQUEST_ENDS.map((each) => (
            <Radio key={each} value={each} label={i18n._(STATE_WORDS[each])} />
          ))}
        </Stack>
      </Radio.Group>
    </ReasonDialog>
  )
}
