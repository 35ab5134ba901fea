import type { Party, Payload, PayloadQuery, PayloadSummary } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Stack, Text } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api } from '../../api/api.ts'
import { getKey } from '../../api/call-keys.ts'
import { toDateParameter } from '../../components/lists/date-range.ts'
import { Icon } from '../../ui/icon.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { formatDuration } from '../../ui/time-format.ts'
import { Time } from '../../ui/time.tsx'
import { partyText, othersText } from './party-text.ts'
import { PAYLOAD_TYPE_STYLES } from './payload-badges.tsx'
import { listedAt } from './payload-fields.ts'
import { getDetail, screenService } from './services.ts'
import classes from './payload.module.css'

const DAY = 86_400
const MAX = 20

type Filter = Pick<PayloadQuery, 'number' | 'thread_id' | 'device_reference' | 'from' | 'to'>

const relatedQuery = (filter: Filter) =>
  queryOptions({
    queryKey: getKey('listPayloads', 'related', filter),
    queryFn: async ({ signal }) =>
      (await api.listPayloads({ query: { ...filter, limit: MAX } }, { signal })).data,
  })

/** Related payloads: same numbers within one day, and the same conversation. */
export default function RelatedRecordings({ payload }: { payload: Payload }) {
  const { i18n } = useLingui()
  const around = {
    from: toDateParameter(listedAt(payload) - DAY),
    to: toDateParameter(listedAt(payload) + DAY + 1),
  }
  const numbers = (payload.parties ?? []).filter(
    (party): party is Party & { phone_number: string } => party.phone_number !== null,
  )
  return (
    <Stack gap="lg">
      {payload.thread_id !== undefined && (
        <RelatedSection
          of={payload}
          title={<Trans>Same conversation</Trans>}
          filter={{ thread_id: payload.thread_id, device_reference: payload.device_reference }}
        />
      )}
      {numbers.map((party) => {
        const name = partyText(party, i18n)
        return (
          <RelatedSection
            key={party.phone_number}
            of={payload}
            title={<Trans>{name}, 24 hours before and after</Trans>}
            filter={{ ...around, number: party.phone_number }}
          />
        )
      })}
      {numbers.length === 0 && payload.thread_id === undefined && (
        <Text c="dimmed">
          <Trans>This recording has no number to search for.</Trans>
        </Text>
      )}
    </Stack>
  )
}

function RelatedSection({ of, title, filter }: { of: Payload; title: ReactNode; filter: Filter }) {
  const query = useQuery(relatedQuery(filter))
  return (
    <section>
      <Text fw={600} mb={4}>
        {title}
      </Text>
      <QueryResult query={query} height={72}>
        {(found) => {
          const others = found.filter(({ payload_reference }) => payload_reference !== of.payload_reference)
          return others.length === 0 ? (
            <Text size="sm" c="dimmed">
              <Trans>No other changes.</Trans>
            </Text>
          ) : (
            <ul className={classes.related}>
              {others.map((other) => (
                <li key={other.payload_reference}>
                  <Row payload={other} />
                </li>
              ))}
            </ul>
          )
        }}
      </QueryResult>
    </section>
  )
}

function Row({ payload }: { payload: PayloadSummary }) {
  const { i18n } = useLingui()
  const look = PAYLOAD_TYPE_STYLES[payload.payload_type]
  const service = screenService(payload.payload_type)
  const content = (
    <>
      <Icon name={look.icon} size={16} />
      <Text span size="sm" miw={76}>
        {i18n._(look.word)}
      </Text>
      <Text span size="sm" className={classes.grow}>
        {othersText(payload, i18n)}
      </Text>
      {payload.duration !== undefined && (
        <Text span size="sm" c="dimmed" className="tabular" visibleFrom="xs">
          {formatDuration(payload.duration)}
        </Text>
      )}
      <Text span size="sm" c="dimmed">
        <Time at={payload.payload_time} zone={payload.timezone} />
      </Text>
    </>
  )
  if (service === undefined) return <div className={classes.row}>{content}</div>
  return (
    <Link className={classes.row} {...getDetail(service, payload.payload_reference)}>
      {content}
    </Link>
  )
}
