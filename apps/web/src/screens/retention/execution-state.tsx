import { readRestored, type RetentionExecution } from '@custodia/contract'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Skeleton, Stack, Text } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { repeatedQuery } from '../../api/call-keys.ts'
import { retentionApi } from '../../api/governance-api.ts'
import { noticeDone } from '../../api/notices.ts'
import { ReasonDialog } from '../../components/reason-dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageAct } from '../../ui/page-act.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Time } from '../../ui/time.tsx'
import { authorName, visible } from '../../ui/visible.ts'
import { ContradictionNotice } from './contradiction.tsx'

const executionQuery = queryOptions({
  ...repeatedQuery(retentionApi, 'readRetentionExecution'),
  meta: { isWatch: true },
  refetchInterval: 60_000,
})

/** The usual state, whose place is kept: the page below does not move when it loads. */
const USUAL: RetentionExecution = {
  client: '',
  is_paused: false,
  reason: null,
  updated_at: null,
  updated_by: null,
  contradicted_at: null,
  looked_at: 1e9,
  deleted: [],
  destroyed: [],
  unfinished: 0,
  unfinished_since: null,
}

/** Whether the policy is active, and its recent results. */
export function ExecutionState() {
  return (
    <QueryResult
      query={useQuery(executionQuery)}
      pending={
        <Skeleton inert>
          <State execution={USUAL} />
        </Skeleton>
      }
    >
      {(execution) => (
        <>
          <ContradictionNotice since={execution.contradicted_at} />
          <State execution={execution} />
        </>
      )}
    </QueryResult>
  )
}

function State({ execution }: { execution: RetentionExecution }) {
  const { t } = useLingui()
  const { is_paused, reason, updated_at, looked_at, deleted, destroyed, unfinished, unfinished_since } =
    execution
  const [count, gone] = [getTotal(deleted), getTotal(destroyed)]
  const who = authorName(execution, 'updated_by')
  return (
    <Alert
      color={is_paused ? 'orange' : 'blue'}
      icon={<Icon name={is_paused ? 'warning' : 'clock'} />}
      title={is_paused ? t`Retention is paused` : t`Retention is active`}
      mb="md"
    >
      <Stack gap={4}>
        {is_paused ? (
          <Text size="sm">
            <Trans>
              Nothing is deleted or destroyed. Paused by {who}, <Time at={updated_at ?? 0} />:{' '}
              <Reason reason={reason ?? ''} />
            </Trans>
          </Text>
        ) : looked_at === null ? (
          <Text size="sm">
            <Trans>Due records are deleted or destroyed within minutes. Nothing has been due yet.</Trans>
          </Text>
        ) : (
          <Text size="sm">
            <Trans>
              Last retention run: <Time at={looked_at} />. Records without a clear rule stay.
            </Trans>
          </Text>
        )}
        <Text size="sm">
          {t`${plural(count, { 0: 'No recording was deleted in the last 30 days.', one: '# recording was deleted in the last 30 days.', other: '# recordings were deleted in the last 30 days.' })}`}
        </Text>
        <Text size="sm">
          {t`${plural(gone, { 0: 'None was destroyed.', one: '# was permanently destroyed.', other: '# were permanently destroyed.' })}`}
        </Text>
        {unfinished_since !== null && (
          <Text size="sm" fw={600}>
            {t`${plural(unfinished, { one: '# destruction is incomplete: keys or objects remain.', other: '# destructions are incomplete: keys or objects remain.' })}`}{' '}
            <Trans>
              The oldest since <Time at={unfinished_since} />.
            </Trans>
          </Text>
        )}
      </Stack>
    </Alert>
  )
}

/** What a person wrote, or that the archive was restored. */
function Reason({ reason }: { reason: string }) {
  const restored = readRestored(reason)
  if (restored === undefined) return visible(reason)
  const { backup } = restored
  const former = restored.former && visible(restored.former)
  return (
    <>
      <Trans>
        the archive was restored from the backup of <Time at={backup} />. Check legal holds, then resume.
      </Trans>
      {former !== undefined && (
        <>
          {' '}
          <Trans>Reason of the earlier pause: {former}</Trans>
        </>
      )}
    </>
  )
}

const getTotal = (deeds: RetentionExecution['deleted']): number =>
  deeds.reduce((sum, { count }) => sum + count, 0)

/** Pauses or resumes the policy. */
export function PauseAct() {
  const { t } = useLingui()
  const [isAsking, setAsking] = useState(false)
  const { data, refetch } = useQuery(executionQuery)
  if (data === undefined) return null
  const isPaused = data.is_paused
  const label = isPaused
    ? t({ context: 'retention', message: 'Resume' })
    : t({ context: 'retention', message: 'Pause' })
  return (
    <>
      <PageAct
        icon={isPaused ? 'play' : 'pause'}
        label={label}
        isDangerous={isPaused}
        onClick={() => setAsking(true)}
      />
      {isAsking && (
        <ReasonDialog
          title={isPaused ? t`Resume retention?` : t`Pause retention?`}
          description={t`3 to 500 characters. Visible to readers of this page.`}
          name="reason"
          limits={{ min: 3, max: 500 }}
          submitLabel={label}
          isDangerous={isPaused}
          save={(reason) =>
            retentionApi.pauseRetention({ query: {}, body: { is_paused: !isPaused, reason } })
          }
          onSaved={() => {
            setAsking(false)
            noticeDone(isPaused ? t`Retention is resumed` : t`Retention is paused`)
            void refetch()
          }}
          onClose={() => setAsking(false)}
        >
          <Text size="sm">
            {isPaused ? (
              <Trans>Records that became due are deleted or destroyed within minutes.</Trans>
            ) : (
              <Trans>The policy deletes and destroys nothing until it is resumed.</Trans>
            )}
          </Text>
        </ReasonDialog>
      )}
    </>
  )
}
