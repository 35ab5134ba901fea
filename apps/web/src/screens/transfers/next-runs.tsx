import { ApiProblem } from '@custodia/client'
import { Trans, useLingui } from '@lingui/react/macro'
import { List, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { keyOf } from '../../api/call-keys.ts'
import { transfersApi } from '../../api/transfers-api.ts'
import { failureText, faultText } from '../../api/failure-text.ts'
import { Time } from '../../ui/time.tsx'

/** Next runs of a schedule in the user's zone and UTC; or its fault. */
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
  // Drops the answer for an earlier schedule.
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
        {/* Below its field, so it needs no label. */}
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
