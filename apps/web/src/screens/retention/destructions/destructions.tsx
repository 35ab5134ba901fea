import type { DestructionReview } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Card, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { callQuery } from '../../../api/call-keys.ts'
import { noticeDoneOrProposed, retentionApi } from '../../../api/governance-api.ts'
import { useMay } from '../../../api/use-profile.ts'
import { Confirm } from '../../../ui/dialog.tsx'
import { QueryResult } from '../../../ui/query-result.tsx'
import { Reference } from '../../../ui/reference.tsx'
import { Time } from '../../../ui/time.tsx'
import { authorName } from '../../../ui/visible.ts'
import { ContradictionNotice } from '../contradiction.tsx'
import { LatestTable, RecordLink, SHOWN } from '../latest-table.tsx'
import { DestructionState } from './destruction-state.tsx'

const reviewQuery = callQuery(retentionApi, 'readDestructionReview')
const listsQuery = callQuery(retentionApi, 'listDestructions', { query: { limit: SHOWN } })

/** Whether the height of `Destructions` is known. */
export function useAreDestructionsLoaded(): boolean {
  const mayList = useMay()('account.destructions:list')
  const review = useQuery(reviewQuery)
  const lists = useQuery({ ...listsQuery, enabled: mayList })
  return !review.isLoading && !lists.isLoading
}

/** Whether destructions need a release, and the pending lists. */
export default function Destructions() {
  const { t } = useLingui()
  const review = useQuery(reviewQuery)
  return (
    <Card component="section" mt="lg" aria-labelledby="retention-destructions">
      <ContradictionNotice since={review.data?.contradicted_at ?? null} />
      <Title order={2} size="h4" id="retention-destructions" mb="xs">
        <Trans>Release before destruction</Trans>
      </Title>
      <Stack>
        <QueryResult query={review} pending={<Skeleton h={{ base: 84, sm: 30 }} aria-busy="true" />}>
          {(found) => <Review review={found} />}
        </QueryResult>
        {useMay()('account.destructions:list') && <Lists caption={t`Lists, newest first`} />}
      </Stack>
    </Card>
  )
}

function Review({ review }: { review: DestructionReview }) {
  const { is_required, updated_at } = review
  const mayChange = useMay()('account.retention:update')
  const who = authorName(review, 'updated_by')
  return (
    <Group justify="space-between" align="flex-start">
      <Stack gap={4} flex="1 1 20rem">
        <Text size="sm">
          {is_required ? (
            <Trans>
              Recordings due for destruction wait in a list. A person who did not save the policy reviews it,
              removes exceptions and releases the rest.
            </Trans>
          ) : (
            <Trans>
              Due recordings are destroyed automatically. You can require a second person to release them
              first.
            </Trans>
          )}
        </Text>
        {updated_at !== null && (
          <Text size="sm" c="dimmed">
            <Trans>
              By {who}, since <Time at={updated_at} />.
            </Trans>
          </Text>
        )}
      </Stack>
      {mayChange && <ChangeReview isRequired={is_required} />}
    </Group>
  )
}

function ChangeReview({ isRequired }: { isRequired: boolean }) {
  const { t } = useLingui()
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setAsking(true)}>
        {isRequired ? <Trans>Remove requirement</Trans> : <Trans>Require release before destruction</Trans>}
      </Button>
      {isAsking && (
        <Confirm
          title={isRequired ? t`Remove the release requirement?` : t`Require release before destruction?`}
          confirmLabel={isRequired ? t`Propose` : t`Require release`}
          isDangerous={isRequired}
          onConfirm={async () => {
            const answer = await retentionApi.saveDestructionReview({
              query: {},
              body: { is_required: !isRequired },
            })
            setAsking(false)
            noticeDoneOrProposed(answer, t`Destructions now need a release`)
          }}
          onClose={() => setAsking(false)}
        >
          <Text size="sm">
            {isRequired ? (
              <Trans>
                This needs a second approval. Pending lists then end; the policy applies to them, except
                removed recordings.
              </Trans>
            ) : (
              <Trans>
                It applies at once; removing it needs two people. Devices, people and logs are not affected.
              </Trans>
            )}
          </Text>
        </Confirm>
      )}
    </>
  )
}

function Lists({ caption }: { caption: string }) {
  const { t } = useLingui()
  const lists = useQuery(listsQuery)
  return (
    <LatestTable
      query={lists}
      none={<Trans>No lists yet.</Trans>}
      caption={caption}
      getKey={(row) => row.destruction_reference}
      columns={[
        {
          label: t`Started`,
          cell: ({ destruction_reference: destruction, began_at }) => (
            <RecordLink to={{ destruction }}>
              <Time at={began_at} />
            </RecordLink>
          ),
        },
        {
          label: t({ context: 'of destructions', message: 'List' }),
          cell: (row) => <Reference value={row.destruction_reference} />,
        },
        { label: t`State`, cell: ({ state }) => <DestructionState state={state} /> },
        { label: t`Recordings`, count: ({ payloads }) => payloads },
        { label: t`Removed`, count: ({ taken_out }) => taken_out },
        { label: t`Destroyed`, count: ({ destroyed }) => destroyed },
        { label: t`Released by`, cell: (row) => authorName(row, 'released_by') || '–' },
      ]}
    />
  )
}
