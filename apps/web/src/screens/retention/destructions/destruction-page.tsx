import type { DestructionDetail } from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Alert, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { callQuery } from '../../../api/call-keys.ts'
import { retentionApi } from '../../../api/governance-api.ts'
import { useMay, useProfile } from '../../../api/use-profile.ts'
import { Fact, Facts } from '../../../components/facts.tsx'
import { RecordPage } from '../../../components/record-page.tsx'
import { PAYLOAD_TYPE_WORDS } from '../../../components/words/payload-words.ts'
import { ActButton } from '../../../ui/act-button.tsx'
import { DataTable } from '../../../ui/data-table.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { PageBody } from '../../../ui/page-body.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { QueryResult } from '../../../ui/query-result.tsx'
import { CardSection } from '../../../ui/section.tsx'
import { Time } from '../../../ui/time.tsx'
import { authorName } from '../../../ui/visible.ts'
import { BlockedRecords } from '../forecast.tsx'
import { DestructionItems } from './destruction-items.tsx'
import { DestructionState } from './destruction-state.tsx'

/** A destruction list: counts, excluded recordings, each recording, and the release. */
export default function DestructionPage({ reference }: { reference: string }) {
  const { t } = useLingui()
  const query = useQuery(
    callQuery(retentionApi, 'readDestruction', { params: { destruction_reference: reference } }),
  )
  return (
    <RecordPage
      query={query}
      title={t`List of destructions`}
      back={{ to: '/dashboard/governance/destructions' }}
      backLabel={t`All destructions`}
    >
      {(shown) => <DestructionView shown={shown} />}
    </RecordPage>
  )
}

function DestructionView({ shown }: { shown: DestructionDetail }) {
  const { t, i18n } = useLingui()
  const { gathered_at, released_at, state } = shown
  return (
    <>
      <PageHeader
        title={t`List of destructions`}
        aside={<DestructionState state={state} />}
        actions={<Acts shown={shown} />}
      />
      <Stack gap="lg">
        <Author shown={shown} />
        <PageBody>
          <Facts isPart title={t({ context: 'of destructions', message: 'List' })}>
            <Fact label={t`Reference`}>{shown.destruction_reference}</Fact>
            <Fact label={t`Prepared`}>
              {gathered_at !== null && <Time at={gathered_at} style="second" />}
            </Fact>
            <Fact label={t`Recordings`}>{i18n.number(shown.payloads)}</Fact>
            <Fact label={t`Removed`}>{i18n.number(shown.taken_out)}</Fact>
            <Fact label={t`Destroyed`}>{i18n.number(shown.destroyed)}</Fact>
            <Fact label={t`No longer due`}>{i18n.number(shown.kept)}</Fact>
            <Fact label={t`Released`}>
              {released_at !== null && (
                <>
                  <Time at={released_at} style="second" />
                  {shown.released_by !== null && ` · ${authorName(shown, 'released_by')}`}
                </>
              )}
            </Fact>
            <Fact label={t`Due by`}>
              {shown.policies
                .map((policy) => {
                  const { policy_version } = policy
                  return t`policy version ${policy_version}, by ${authorName(policy, 'by')}`
                })
                .join('; ')}
            </Fact>
          </Facts>
          <DataTable
            caption={t`By type`}
            rows={shown.types}
            getKey={({ payload_type }) => payload_type}
            columns={[
              { label: t`Type`, cell: (row) => i18n._(PAYLOAD_TYPE_WORDS[row.payload_type]) },
              { label: t`Recordings`, count: (row) => row.payloads },
              { label: t`Removed`, count: (row) => row.taken_out },
              { label: t`Destroyed`, count: (row) => row.destroyed },
            ]}
          />
        </PageBody>
        <Exceptions isWaiting={state === 'waiting'} />
        <DestructionItems list={shown} />
      </Stack>
    </>
  )
}

/** Why the viewer cannot release the list. */
function Author({ shown }: { shown: DestructionDetail }) {
  const isMine = useIsMine(shown)
  if (shown.state !== 'waiting' || !isMine) return null
  return (
    <Alert color="blue" icon={<Icon name="info" />} p="sm">
      <Trans>Your policy version made recordings in this list due: another person must release it.</Trans>
    </Alert>
  )
}

function useIsMine({ policies }: DestructionDetail): boolean {
  const me = useProfile().user_reference
  return policies.some(({ by }) => by === me)
}

function Acts({ shown }: { shown: DestructionDetail }) {
  const { t } = useLingui()
  const isMine = useIsMine(shown)
  const { destruction_reference, payloads, state, taken_out, version } = shown
  const left = payloads - taken_out
  if (state !== 'waiting' || isMine) return null
  return (
    <ActButton
      action="account.destructions:update"
      icon="check"
      label={t`Release for destruction`}
      question={t`Release the list for destruction?`}
      done={t`Released. Destruction follows within minutes.`}
      isDangerous
      onAct={() =>
        retentionApi.releaseDestruction({
          params: { destruction_reference },
          query: {},
          body: { version },
        })
      }
    >
      <Text size="sm">
        <Plural
          value={left}
          _0="The list is empty."
          one="# recording is permanently destroyed and cannot be restored."
          other="# recordings are permanently destroyed and cannot be restored."
        />{' '}
        <Trans>Recordings on hold or no longer due stay.</Trans>
      </Text>
    </ActButton>
  )
}

/** Recordings that are due but excluded, so that the releaser knows what stays. */
function Exceptions({ isWaiting }: { isWaiting: boolean }) {
  const may = useMay()('account.retention:read')
  const forecast = useQuery({
    ...callQuery(retentionApi, 'readRetentionForecast'),
    enabled: may && isWaiting,
  })
  if (!may || !isWaiting) return null
  return (
    <CardSection title={<Trans>Due, not in the list</Trans>}>
      <QueryResult query={forecast} height={60}>
        {({ staying }) => <BlockedRecords staying={staying} />}
      </QueryResult>
    </CardSection>
  )
}
