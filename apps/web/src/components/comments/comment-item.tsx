import type { PayloadComment } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Badge, Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { commentsApi } from '../../api/comments-api.ts'
import { noticeDone } from '../../api/notices.ts'
import { useMay } from '../../api/use-profile.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Time } from '../../ui/time.tsx'
import { beginDraft } from '../player/draft.ts'
import { positionIn, wishToHear } from '../player/wished.ts'
import { CommentBody } from './comment-body.tsx'
import { CommentVersions } from './comment-versions.tsx'
import { partText } from './part-text.ts'

/** One comment: who said what about which part, and what can be done with it. */
export function CommentItem({ comment, isBusy }: { comment: PayloadComment; isBusy: boolean }) {
  const may = useMay()
  const [asks, setAsks] = useState<'close' | 'versions'>()
  const { payload_reference, comment_id, raised_by, updated_by, comment_version } = comment
  const { t } = useLingui()
  return (
    <article aria-label={t`Comment by ${raised_by}`}>
      <Group gap="xs">
        <Text span fw={600}>
          {raised_by}
        </Text>
        <Text span size="sm" c="dimmed">
          <Time at={comment.raised_at} />
        </Text>
        <PartButton comment={comment} />
        {comment_version > 1 && (
          <Text span size="sm" c="dimmed">
            <Trans>
              changed by {updated_by}, <Time at={comment.updated_at} />
            </Trans>
          </Text>
        )}
        {comment.is_closed && comment.closed_at !== null && (
          <>
            <Badge color="gray" leftSection={<Icon name="archive" size={12} />}>
              <Trans context="comment">Closed</Trans>
            </Badge>
            <Text span size="sm" c="dimmed">
              {comment.closed_by} · <Time at={comment.closed_at} />
            </Text>
          </>
        )}
      </Group>
      <CommentBody body={comment.comment_body} />
      <Group gap="xs">
        {!comment.is_closed && may('payloads.comments:update') && (
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
          <Button size="compact-sm" variant="subtle" disabled={isBusy} onClick={() => setAsks('close')}>
            <Trans context="comment">Close</Trans>
          </Button>
        )}
        {may('payloads.comments:history') && (
          <Button size="compact-sm" variant="subtle" onClick={() => setAsks('versions')}>
            <Trans>Versions ({comment_version})</Trans>
          </Button>
        )}
      </Group>
      {asks === 'close' && (
        <Confirm
          title={t`Close this comment?`}
          confirmLabel={t`Close comment`}
          onClose={() => setAsks(undefined)}
          onConfirm={async () => {
            await commentsApi.closeComment(
              { params: { payload_reference, comment_id } },
              { if_match: String(comment_version) },
            )
            setAsks(undefined)
            noticeDone(t`The comment is closed.`)
          }}
        >
          <Trans>
            Reviewers do not see it any more. Nothing is deleted: it stays in the history with all its
            versions.
          </Trans>
        </Confirm>
      )}
      {asks === 'versions' && <CommentVersions comment={comment} onClose={() => setAsks(undefined)} />}
    </article>
  )
}

/** The part that a comment is about; a press plays from there. */
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
        // Without a player, nothing waits for the day when there is one.
        if (positionIn(payload_reference) !== undefined)
          wishToHear(payload_reference, comment_duration.start_time)
      }}
    >
      <Trans>Play from {place}</Trans>
    </Button>
  )
}
