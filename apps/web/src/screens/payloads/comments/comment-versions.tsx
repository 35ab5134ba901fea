import type { PayloadComment } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Stack, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Dialog } from '../../../ui/dialog.tsx'
import { Loaded } from '../../../ui/loaded.tsx'
import { Time } from '../../../ui/time.tsx'
import { CommentBody } from './comment-body.tsx'
import classes from './comments.module.css'
import { partText } from './part-text.ts'
import { versionsQuery } from './queries.ts'

/** All versions of a comment, newest first. */
export function CommentVersions({ comment, onClose }: { comment: PayloadComment; onClose: () => void }) {
  const { t } = useLingui()
  const query = useInfiniteQuery(versionsQuery(comment))
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query
  return (
    <Dialog onClose={onClose} title={t`Versions of a comment by ${comment.raised_by}`}>
      <Stack gap="md">
        <Loaded query={query} rows={3}>
          {({ pages }) => (
            <ol className={classes.list} reversed>
              {pages
                .flatMap(({ data }) => data)
                .map(({ comment_version, comment_body, comment_duration, updated_by, updated_at }) => (
                  <li key={comment_version}>
                    <Text size="sm" fw={600}>
                      <Trans>Version {comment_version}</Trans>
                    </Text>
                    <Text size="sm" c="dimmed">
                      {updated_by} · <Time at={updated_at} style="second" />
                      {comment_duration !== null && ` · ${partText(comment_duration)}`}
                    </Text>
                    <CommentBody body={comment_body} />
                  </li>
                ))}
            </ol>
          )}
        </Loaded>
        {hasNextPage && (
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            <Trans>Show earlier versions</Trans>
          </Button>
        )}
      </Stack>
    </Dialog>
  )
}
