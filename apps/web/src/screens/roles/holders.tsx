import { Plural, Trans } from '@lingui/react/macro'
import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { keyOf } from '../../api/call-keys.ts'
import { peopleApi } from '../../api/people-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { visible } from '../../ui/visible.ts'

/** Maximum people named; others are counted. */
const NAMED = 10

/** Holders of a role as of their last sign-in, for the deletion question. */
export function Holders({ role }: { role: string }) {
  const { data } = useQuery({
    queryKey: keyOf('listPeople', 'holders', role),
    queryFn: async ({ signal }) => {
      const [page, total] = await Promise.all([
        peopleApi.listPeople({ query: { role, limit: NAMED } }, { signal }),
        peopleApi.listPeople({ query: { role, type: 'total' } }, { signal }),
      ])
      const people = 'data' in page ? page.data : []
      const names = people.map(({ display_name, user_reference }) => visible(display_name ?? user_reference))
      return { names, count: 'total' in total ? total.total : names.length }
    },
    enabled: useMay()('people:list'),
  })
  if (data === undefined) return null
  const { names, count } = data
  const more = count - names.length
  const list = names.join(', ')
  return (
    <Text mt="xs">
      {count === 0 ? (
        <Trans>No person has this role.</Trans>
      ) : (
        <>
          <Plural value={count} one="# person has this role:" other="# people have this role:" />{' '}
          <strong>{list}</strong>
          {more > 0 && <Plural value={more} one=" and # more" other=" and # more" />}
        </>
      )}
    </Text>
  )
}
