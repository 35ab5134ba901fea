import type { Payload, PayloadComment } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, Stack, Switch } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useMay } from '../../../api/use-profile.ts'
import { Icon } from '../../../ui/icon.tsx'
import { MayButton } from '../../../ui/may-button.tsx'
import { QueryResult } from '../../../ui/query-result.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { beginDraft, type Draft, useDraft } from '../player/draft.ts'
import { CommentForm } from './comment-form.tsx'
import { CommentItem } from './comment-item.tsx'
import { commentsQuery } from './queries.ts'
import classes from './comments.module.css'

/** Comments of a payload, newest first, with the form for a new one. */
export function CommentsPanel({ payload }: { payload: Payload }) {
  const { t } = useLingui()
  const may = useMay()
  const { payload_reference } = payload
  const [showsAll, setShowsAll] = useState(false)
  const query = useInfiniteQuery(commentsQuery(payload_reference, showsAll ? 'all' : 'open'))
  const draft = useDraft(payload_reference)
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query
  return (
    <Stack>
      <Group justify="space-between">
        <MayButton
          action="payloads.comments:create"
          leftSection={<Icon name="plus" size={16} />}
          reason={draft === undefined ? undefined : t`Finish your text first.`}
          onClick={() => beginDraft({ payload_reference, part: null })}
        >
          <Trans context="verb">Comment</Trans>
        </MayButton>
        {may('payloads.comments:history') && (
          <Switch
            label={t`Show closed comments`}
            checked={showsAll}
            onChange={(event) => setShowsAll(event.currentTarget.checked)}
          />
        )}
      </Group>
      {draft !== undefined && draft.comment_id === undefined && draft.in_reply_to === undefined && (
        <CommentForm payload={payload} draft={draft} />
      )}
      <QueryResult query={query} rows={3}>
        {({ pages }) => {
          const comments = pages.flatMap(({ data }) => data)
          if (comments.length === 0)
            return (
              <EmptyState
                icon="message"
                title={t`No comments yet`}
                description={<Trans>Reviewers’ comments on this recording appear here.</Trans>}
              />
            )
          return (
            <ul className={classes.list}>
              {comments.map((comment) => (
                <li key={comment.comment_id}>
                  <CommentWithForms
                    payload={payload}
                    comment={comment}
                    answered={comments.find(({ comment_id }) => comment_id === comment.in_reply_to)}
                    draft={draft}
                  />
                </li>
              ))}
            </ul>
          )
        }}
      </QueryResult>
      {hasNextPage && (
        <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          <Trans>Show earlier comments</Trans>
        </Button>
      )}
    </Stack>
  )
}

/** A comment, or the form for its next version, and the form for a reply to it. */
function CommentWithForms({
  payload,
  comment,
  answered,
  draft,
}: {
  payload: Payload
  comment: PayloadComment
  answered: PayloadComment | undefined
  draft: Draft | undefined
}) {
  return (
    <>
      {draft !== undefined && draft.comment_id === comment.comment_id ? (
        <CommentForm payload={payload} draft={draft} comment={comment} />
      ) : (
        <CommentItem comment={comment} answered={answered} isBusy={draft !== undefined} />
      )}
      {draft !== undefined && draft.in_reply_to === comment.comment_id && (
        <CommentForm payload={payload} draft={draft} />
      )}
    </>
  )
}
