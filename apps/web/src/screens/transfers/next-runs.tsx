import { ApiProblem } from '@custodia/client'
import { Trans, useLingui } from '@lingui/react/macro'
import { List, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { keyOf } from '../../api/call-keys.ts'
import { transfersApi } from '../../api/transfers-api.ts'
import { failureText, faultText } from '../../api/failure-text.ts'
import { Time } from '../../ui/time.tsx'

/** When a schedule would run next, in the reader's time and in UTC; or what is wrong with it. */
export function NextRuns({ schedule }: { schedule: string }) {
  const { i18n } = useLingui()
  const [asked] = useDebouncedValue(schedule, 400)
  const { data, error } = useQuery({
    queryKey: keyOf('readTransferSchedule', asked),
    queryFn: ({ signal }) => transfersApi.readTransferSchedule({ query: { schedule: asked } }, { signal }),
    enabled: asked !== '',
    retry: false,
    meta: { silent: true },
  })
  // What is told must not be of what stood there before.
  if (asked !== schedule) return null
  if (asked === '')
    return (
      <Text size="sm" c="dimmed">
        <Trans>It runs only on demand.</Trans>
      </Text>
    )
  if (error)
    return (
      <Text size="sm" c="red" role="alert">
        {/* It stands below its field, which needs no name here. */}
        {error instanceof ApiProblem && error.faults.length > 0
          ? error.faults.map((fault) => faultText(fault, i18n)).join(' ')
          : failureText(error, i18n)}
      </Text>
    )
  const utc = new Intl.DateTimeFormat(i18n.locale, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'UTC',
  })
  return (
    <div>
      <Text size="sm" fw={600}>
        <Trans>Next runs</Trans>
      </Text>
      <List size="sm">
        {data?.next_runs.map((at) => (
          <List.Item key={at}>
            <Time at={at} /> ({utc.format(at * 1000)} UTC)
          </List.Item>
        ))}
      </List>
    </div>
  )
}
