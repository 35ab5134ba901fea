import { Anchor, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { commentsApi } from '../../api/comments-api.ts'
import { keyOf } from '../../api/call-keys.ts'
import { MarkedText } from '../../components/marked-text.tsx'
import { detailOf, screenService } from '../payloads/services.ts'
import { Time } from '../../ui/time.tsx'
import { FoundList } from './found-list.tsx'

/** Matching comments. */
export function FoundComments({ words, nth }: { words: string; nth: number }) {
  const query = useInfiniteQuery({
    queryKey: keyOf('searchComments', words, nth),
    queryFn: ({ pageParam: last_key, signal }) =>
      commentsApi.searchComments({ query: { ...(last_key && { last_key }) }, body: { words } }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ last_key }) => last_key,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    meta: { silent: true },
  })
  return (
    <FoundList query={query}>
      {(row) => {
        const service = screenService(row.payload_type)
        const t = row.comment_duration?.start_time
        const to = service && {
          ...detailOf(service, row.payload_reference),
          search: t === undefined ? {} : { t },
        }
        return {
          key: row.comment_id,
          content: (
            <>
              <Text dir="auto">
                <MarkedText text={(row.comment_body ?? '').slice(0, 300)} />
              </Text>
              <Text size="sm" c="dimmed">
                {to ? (
                  <Anchor inherit renderRoot={(props) => <Link {...props} {...(to as object)} />}>
                    {row.raised_by}
                  </Anchor>
                ) : (
                  row.raised_by
                )}
                {' · '}
                <Time at={row.raised_at} style="second" /> · {row.group}
              </Text>
            </>
          ),
        }
      }}
    </FoundList>
  )
}
