import { useLingui } from '@lingui/react/macro'
import { Anchor, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../../api/api.ts'
import { keyOf } from '../../api/call-keys.ts'
import { detailOf, screenService, SERVICES } from '../payloads/services.ts'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import { Time } from '../../ui/time.tsx'
import { FoundList } from './found-list.tsx'

/** Messages and recordings with matching texts. */
export function FoundPayloads({ words, nth }: { words: string; nth: number }) {
  const { i18n } = useLingui()
  const query = useInfiniteQuery({
    queryKey: keyOf('searchPayloads', words, nth),
    queryFn: ({ pageParam: last_key, signal }) =>
      api.searchPayloads({ query: { ...(last_key && { last_key }) }, body: { words } }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ last_key }) => last_key,
    // Restores the results on return.
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    meta: { silent: true },
  })
  return (
    <FoundList query={query}>
      {(row) => {
        const service = screenService(row.payload_type)
        const name = service ? SERVICES[service].shortNameOf(row, i18n) : row.payload_reference
        return {
          key: row.payload_reference,
          content: (
            <>
              {service && 'detail' in SERVICES[service] ? (
                <Anchor
                  renderRoot={(props) => (
                    <Link {...props} {...(detailOf(service, row.payload_reference) as object)} />
                  )}
                >
                  {name}
                </Anchor>
              ) : (
                <Text span>{name}</Text>
              )}
              <Text size="sm" c="dimmed">
                {i18n._(PAYLOAD_TYPE_WORDS[row.payload_type])} · <Time at={row.payload_time} style="second" />
                {row.device_user_reference !== null && ` · ${row.device_user_reference}`}
                {row.group !== null && ` · ${row.group}`}
              </Text>
            </>
          ),
        }
      }}
    </FoundList>
  )
}
