import type { LegalMatter, LegalMatterDetail, MatterPerson } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Badge, Button, List } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { allPages } from '../../api/all-pages.ts'
import { callQuery, getKey } from '../../api/call-keys.ts'
import { holdsApi } from '../../api/governance-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { BreakableText } from '../../components/cells.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { printPage } from '../../components/lists/export-csv.tsx'
import { RecordPage } from '../../components/record-page.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { SpecWord } from '../../components/words/spec-word.tsx'
import { PageMenu } from '../../ui/act-button.tsx'
import { type DataColumn, DataTable } from '../../ui/data-table.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageAct } from '../../ui/page-act.tsx'
import { PageBody } from '../../ui/page-body.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { authorName, visible } from '../../ui/visible.ts'
import { heldPerson, HOLD_TARGET_WORDS, holdKey, ReleaseDialog } from '../legal-holds/hold.tsx'
import { ExportButton } from '../payloads/actions/export-button.tsx'
import { AddPeople } from './add-people.tsx'

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

/** A matter: reason, start, people and held records; the print version is its report. */
export function MatterPage({ matter_id }: { matter_id: string }) {
  const { t } = useLingui()
  const matter = useQuery({
    ...callQuery(holdsApi, 'readLegalMatter', { params: { matter_id } }),
    enabled: useMay()('account.legal_matters:read'),
  })
  return (
    <RecordPage
      query={matter}
      title={t({ context: 'legal matter', message: 'Legal matter' })}
      back={{ to: '/dashboard/governance/matters' }}
      backLabel={t`All matters`}
    >
      {(shown) => (
        <>
          <PageHeader
            title={visible(shown.name)}
            aside={<MatterState matter={shown} />}
            actions={
              <>
                <ExportButton getChosen={() => ({ matter_id: shown.matter_id })} />
                <HoldPeople matter={shown} />
                <PageMenu>
                  <Acts matter={shown} />
                </PageMenu>
              </>
            }
          />
          <PageBody>
            <Facts isPart title={t({ context: 'legal matter', message: 'Legal matter' })}>
              <Fact label={t({ context: 'legal matter', message: 'Opened' })}>
                <Time at={shown.opened_at} style="second" /> · {authorName(shown, 'opened_by')}
              </Fact>
              <Fact label={t`Reason`}>{shown.opened_reason !== null && visible(shown.opened_reason)}</Fact>
              <Fact label={t({ context: 'legal matter', message: 'Closed' })}>
                {shown.closed_at !== null && (
                  <>
                    <Time at={shown.closed_at} style="second" /> · {authorName(shown, 'closed_by')}
                    {shown.closed_confirmed_by !== null && ` + ${authorName(shown, 'closed_confirmed_by')}`}
                  </>
                )}
              </Fact>
              <Fact label={t`Reason for closing`}>
                {shown.closed_reason !== null && visible(shown.closed_reason)}
              </Fact>
            </Facts>
            <People matter={shown} />
          </PageBody>
        </>
      )}
    </RecordPage>
  )
}

function HoldPeople({ matter }: { matter: LegalMatterDetail }) {
  const [isAsking, setAsking] = useState(false)
  if (!useMay()('account.legal_matters:update') || matter.closed_at !== null) return null
  return (
    <>
      <Button leftSection={<Icon name="lock" size={16} />} onClick={() => setAsking(true)}>
        <Trans>Place on legal hold</Trans>
      </Button>
      {isAsking && <AddPeople matter={matter} onClose={() => setAsking(false)} />}
    </>
  )
}

function Acts({ matter }: { matter: LegalMatterDetail }) {
  const { t } = useLingui()
  const [isAsking, setAsking] = useState(false)
  const mayClose = useMay()('account.legal_matters:delete') && matter.closed_at === null
  return (
    <>
      <PageAct
        icon="print"
        label={t`Print`}
        onClick={() => void printPage({ list: 'readLegalMatter', matter_id: matter.matter_id })}
      />
      {mayClose && (
        <PageAct icon="x" label={t`Close the matter`} isDangerous onClick={() => setAsking(true)} />
      )}
      {isAsking && <CloseDialog matter={matter} onClose={() => setAsking(false)} />}
    </>
  )
}

function CloseDialog({ matter, onClose }: { matter: LegalMatterDetail; onClose: () => void }) {
  const { t } = useLingui()
  const name = visible(matter.name)
  return (
    <ReleaseDialog
      title={t`Close the matter ${name}?`}
      submitLabel={<Trans>Close the matter</Trans>}
      save={(reason) =>
        holdsApi.closeLegalMatter({ params: { matter_id: matter.matter_id }, query: { reason } })
      }
      done={t`Matter ${name} closed`}
      onClose={onClose}
    >
      <List.Item>
        <Plural
          value={matter.people}
          one="# person is released unless another hold applies."
          other="# people are released unless another hold applies."
        />
      </List.Item>
      <List.Item>
        <Trans>The holds stay in force for seven more days.</Trans>
      </List.Item>
      <List.Item>
        <Trans>A closed matter cannot be reopened. Its record remains.</Trans>
      </List.Item>
    </ReleaseDialog>
  )
}

function People({ matter: { matter_id, closed_at } }: { matter: LegalMatterDetail }) {
  const { t } = useLingui()
  const may = useMay()
  const people = useQuery({
    queryKey: getKey('listMatterPeople', matter_id),
    queryFn: ({ signal }) =>
      allPages((query) => holdsApi.listMatterPeople({ params: { matter_id }, query }, { signal })),
  })
  const columns = usePeopleColumns()
  const mayRelease = closed_at === null && may('account.legal_matters:delete')
  return (
    <QueryResult query={people} height={200}>
      {(rows) =>
        rows.length === 0 ? (
          <EmptyState
            icon="group"
            title={t`No people on hold yet`}
            description={t`Add device users, portal users or whole groups.`}
          />
        ) : (
          <DataTable
            caption={t`People`}
            rows={rows}
            getKey={(row) => `${holdKey(row)} ${row.added_at} ${row.removed_at}`}
            columns={columns}
            actions={
              mayRelease
                ? (row) =>
                    row.removed_at === null ? <RemovePerson matter_id={matter_id} person={row} /> : null
                : undefined
            }
          />
        )
      }
    </QueryResult>
  )
}

function usePeopleColumns(): DataColumn<MatterPerson>[] {
  const { t, i18n } = useLingui()
  const counted = (most: number, isCapped: boolean) => {
    const count = i18n.number(most)
    return isCapped ? t`${count} or more` : count
  }
  return [
    { label: t({ context: 'legal hold', message: 'Who' }), cell: (row) => <MatterPersonName person={row} /> },
    { label: t`Kind`, cell: (row) => <SpecWord value={row.target_type} words={HOLD_TARGET_WORDS} /> },
    {
      label: t({ context: 'legal matter', message: 'On hold since' }),
      cell: (row) => (
        <>
          <Time at={row.added_at} /> · {authorName(row, 'added_by')}
        </>
      ),
    },
    {
      label: t({ context: 'legal matter', message: 'Until' }),
      cell: (row) =>
        row.removed_at === null ? (
          t`ongoing`
        ) : (
          <>
            <Time at={row.removed_at} /> · {authorName(row, 'removed_by')}
          </>
        ),
    },
    { label: t`Protected`, align: 'end', cell: (row) => counted(row.protected, row.is_capped) },
    { label: t`Destroyed before`, count: (row) => row.already_destroyed },
  ]
}

/** Link to the hold with its periods. */
function MatterPersonName({ person }: { person: MatterPerson }) {
  return (
    <TextLink
      action="account.legal_holds:list"
      style={{ overflowWrap: 'anywhere' }}
      to="/dashboard/governance/holds"
      search={{ preview: holdKey(person) } as never}
    >
      <BreakableText value={visible(heldPerson(person))} />
    </TextLink>
  )
}

function RemovePerson({ matter_id, person }: { matter_id: string; person: MatterPerson }) {
  const { t } = useLingui()
  const [isAsking, setAsking] = useState(false)
  const { target, target_type } = person
  const who = visible(heldPerson(person))
  return (
    <>
      <Button size="compact-sm" variant="subtle" color="red" data-not-printed onClick={() => setAsking(true)}>
        <Trans>Remove</Trans>
      </Button>
      {isAsking && (
        <ReleaseDialog
          title={t`Remove ${who} from the matter?`}
          submitLabel={<Trans>Remove</Trans>}
          save={(reason) =>
            holdsApi.releaseMatterPerson({ params: { matter_id, target_type, target }, query: { reason } })
          }
          done={t`${who} removed from the matter`}
          onClose={() => setAsking(false)}
        >
          <List.Item>
            <Trans>
              The person is released unless another hold applies, with seven more days of protection.
            </Trans>
          </List.Item>
        </ReleaseDialog>
      )}
    </>
  )
}
