import { CLOSING_REASON_LIMITS, type PayloadComment } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { noticeDone } from '../../../api/notices.ts'
import { commentsApi } from '../../../api/payload-api.ts'
import { useMay, useProfile } from '../../../api/use-profile.ts'
import { MarkedText } from '../../../components/marked-text.tsx'
import { ReasonDialog } from '../../../components/reason-dialog.tsx'
import { Confirm, Dialog } from '../../../ui/dialog.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { QueryResult } from '../../../ui/query-result.tsx'
import { Time } from '../../../ui/time.tsx'
import { authorName } from '../../../ui/visible.ts'
import { beginDraft } from '../player/draft.ts'
import { positionIn, requestPlayback } from '../player/pending-playback.ts'
import { partText, versionsQuery } from './queries.ts'
import classes from './comments.module.css'

/** The text of a comment as plain text. */
const CommentBody = ({ body }: { body: string | null }) =>
  body === null ? (
    <Text c="red" size="sm">
      <Trans>The stored data is damaged and unreadable. A security alert was raised.</Trans>
    </Text>
  ) : (
    <p className={classes.body} dir="auto">
      <MarkedText text={body} />
    </p>
  )

interface Props {
  comment: PayloadComment
  /** The parent comment, where it is on the page. */
  answered: PayloadComment | undefined
  isBusy: boolean
}

/** One comment with its author, part and actions. */
export function CommentItem({ comment, answered, isBusy }: Props) {
  const { user_reference, support } = useProfile()
  const [asks, setAsks] = useState<'close' | 'versions'>()
  const raised_by = authorName(comment, 'raised_by')
  const { t } = useLingui()
  const isOwn = comment.raised_by === user_reference && support === null
  return (
    <article aria-label={t`Comment by ${raised_by}`}>
      <CommentHead comment={comment} answered={answered} />
      <CommentBody body={comment.comment_body} />
      {comment.closed_reason !== null && (
        <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          <Trans>Closed because: {comment.closed_reason}</Trans>
        </Text>
      )}
      <CommentActs comment={comment} isBusy={isBusy} isOwn={isOwn} onAsk={setAsks} />
      {asks === 'close' && <CloseDialog comment={comment} isOwn={isOwn} onClose={() => setAsks(undefined)} />}
      {asks === 'versions' && <CommentVersions comment={comment} onClose={() => setAsks(undefined)} />}
    </article>
  )
}

function CommentHead({ comment, answered }: Pick<Props, 'comment' | 'answered'>) {
  const { t } = useLingui()
  const { comment_version } = comment
  return (
    <Group gap="xs">
      <Text span fw={600}>
        {authorName(comment, 'raised_by')}
      </Text>
      <Text span size="sm" c="dimmed">
        <Time at={comment.raised_at} />
      </Text>
      {comment.in_reply_to !== null && (
        <Text span size="sm" c="dimmed">
          {answered === undefined ? t`Reply` : t`Reply to ${authorName(answered, 'raised_by')}`}
        </Text>
      )}
      <PartButton comment={comment} />
      {comment_version > 1 && (
        <Text span size="sm" c="dimmed">
          <Trans>
            changed <Time at={comment.updated_at} />
          </Trans>
        </Text>
      )}
      {comment.is_closed && comment.closed_at !== null && (
        <>
          <Badge color="gray" leftSection={<Icon name="archive" size={12} />}>
            <Trans context="comment">Closed</Trans>
          </Badge>
          <Text span size="sm" c="dimmed">
            {authorName(comment, 'closed_by')} · <Time at={comment.closed_at} />
          </Text>
        </>
      )}
    </Group>
  )
}

function CommentActs({
  comment,
  isBusy,
  isOwn,
  onAsk,
}: Pick<Props, 'comment' | 'isBusy'> & { isOwn: boolean; onAsk: (asks: 'close' | 'versions') => void }) {
  const may = useMay()
  const { payload_reference, comment_id, comment_version } = comment
  return (
    <Group gap="xs">
      {!comment.is_closed && may('payloads.comments:create') && (
        <Button
          size="compact-sm"
          variant="subtle"
          disabled={isBusy}
          onClick={() => beginDraft({ payload_reference, in_reply_to: comment_id, part: null })}
        >
          <Trans context="verb">Reply</Trans>
        </Button>
      )}
      {!comment.is_closed && isOwn && may('payloads.comments:update') && (
        <Button
          size="compact-sm"
          variant="subtle"
          disabled={isBusy}
          onClick={() => beginDraft({ payload_reference, comment_id, part: comment.comment_duration })}
        >
          <Trans>Edit</Trans>
        </Button>
      )}
      {!comment.is_closed && may('payloads.comments:close') && (
        <Button size="compact-sm" variant="subtle" disabled={isBusy} onClick={() => onAsk('close')}>
          <Trans context="comment">Close</Trans>
        </Button>
      )}
      {comment_version > 1 && (
        <Button size="compact-sm" variant="subtle" onClick={() => onAsk('versions')}>
          <Trans>Versions ({comment_version})</Trans>
        </Button>
      )}
    </Group>
  )
}

/** Closes a comment; the comment of another person with a reason. */
function CloseDialog({
  comment,
  isOwn,
  onClose,
}: {
  comment: PayloadComment
  isOwn: boolean
  onClose: () => void
}) {
  const { t } = useLingui()
  const { payload_reference, comment_id, comment_version } = comment
  const raised_by = authorName(comment, 'raised_by')
  const close = async (reason?: string) => {
    await commentsApi.closeComment(
      { params: { payload_reference, comment_id }, query: { reason } },
      { if_match: String(comment_version) },
    )
    onClose()
    noticeDone(t`The comment is closed.`)
  }
  if (isOwn)
    return (
      <Confirm
        title={t`Close this comment?`}
        confirmLabel={t`Close comment`}
        onClose={onClose}
        onConfirm={() => close()}
      >
        <ClosingNote />
      </Confirm>
    )
  return (
    <ReasonDialog
      title={t`Close this comment?`}
      description={t`Reason for closing the comment of ${raised_by}: 3 to 500 characters.`}
      name="reason"
      limits={CLOSING_REASON_LIMITS}
      submitLabel={<Trans>Close comment</Trans>}
      save={(reason) => close(reason.replace(/\s+/g, ' '))}
      onSaved={onClose}
      onClose={onClose}
    >
      <ClosingNote />
    </ReasonDialog>
  )
}

const ClosingNote = () => <Trans>Reviewers no longer see it. The history keeps all versions.</Trans>

/** The part of a comment; a press plays from there. */
function PartButton({
  comment: { payload_reference, comment_duration },
}: {
  comment: Pick<PayloadComment, 'payload_reference' | 'comment_duration'>
}) {
  if (comment_duration === null) return null
  const place = partText(comment_duration)
  return (
    <Button
      size="compact-sm"
      variant="light"
      className="tabular"
      leftSection={<Icon name="play" size={14} />}
      onClick={() => {
        // Without a player the press does nothing, also not later.
        if (positionIn(payload_reference) !== undefined)
          requestPlayback(payload_reference, comment_duration.start_time)
      }}
    >
      <Trans>Play from {place}</Trans>
    </Button>
  )
}

/** All versions of a comment, newest first. */
function CommentVersions({ comment, onClose }: { comment: PayloadComment; onClose: () => void }) {
  const { t } = useLingui()
  const query = useInfiniteQuery(versionsQuery(comment))
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query
  return (
    <Dialog onClose={onClose} title={t`Versions of a comment by ${authorName(comment, 'raised_by')}`}>
      <Stack>
        <QueryResult query={query} rows={3}>
          {({ pages }) => (
            <ol className={classes.list} reversed>
              {pages
                .flatMap(({ data }) => data)
                .map(({ comment_version, comment_body, comment_duration, updated_at, ...version }) => (
                  <li key={comment_version}>
                    <Text size="sm" fw={600}>
                      <Trans>Version {comment_version}</Trans>
                    </Text>
                    <Text size="sm" c="dimmed">
                      {authorName(version, 'updated_by')} · <Time at={updated_at} style="second" />
                      {comment_duration !== null && ` · ${partText(comment_duration)}`}
                    </Text>
                    <CommentBody body={comment_body} />
                  </li>
                ))}
            </ol>
          )}
        </QueryResult>
        {hasNextPage && (
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            <Trans>Show earlier versions</Trans>
          </Button>
        )}
      </Stack>
    </Dialog>
  )
}
