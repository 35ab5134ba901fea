import type { DeviceNumber, NumberPeriod } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Badge, Text, Timeline, Title } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { Icon } from '../../ui/icon.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'
import { GroupName } from '../names.tsx'
import { DeviceName, PersonName } from './links.tsx'

/** How a device's number is known: verified by a text message, or only reported by the device. */
export function NumberStatus({
  number: { first_verified, last_verified, is_contested },
}: {
  number: Pick<DeviceNumber, 'first_verified' | 'last_verified' | 'is_contested'>
}) {
  const { t } = useLingui()
  if (is_contested)
    return (
      <Badge color="orange" leftSection={<Icon name="warning" size={13} />}>
        {t`Used by another device`}
      </Badge>
    )
  if (first_verified === null || last_verified === null)
    return (
      <Badge color="gray" title={t`Reported by the phone; not verified by text message.`}>
        {t({ context: 'number', message: 'Reported' })}
      </Badge>
    )
  return (
    <>
      <Badge color="teal" leftSection={<Icon name="check" size={13} />}>
        {t({ context: 'number', message: 'Verified' })}
      </Badge>{' '}
      <Text span size="xs" c="dimmed">
        <Time at={first_verified} style="day" />
        {last_verified - first_verified >= 86_400 && (
          <Trans>
            {' '}
            until <Time at={last_verified} style="day" />
          </Trans>
        )}
      </Text>
    </>
  )
}

/** History of number assignments, newest first. `of`: the page's subject; the list names the other one. */
export function NumberTimeline({
  query,
  of,
}: {
  query: UseQueryResult<{ numbers: NumberPeriod[] }>
  of: 'device' | 'user'
}) {
  const { t } = useLingui()
  return (
    <section aria-label={t`Numbers over time`}>
      <Title order={2} size="h4" mb="xs">
        <Trans>Numbers over time</Trans>
      </Title>
      <QueryResult query={query} rows={3}>
        {({ numbers }) =>
          numbers.length === 0 ? (
            <Text c="dimmed">
              <Trans>No phone has reported a number yet.</Trans>
            </Text>
          ) : (
            <Timeline bulletSize={14} lineWidth={2} active={numbers.length}>
              {numbers.map((period) => (
                <Timeline.Item
                  key={`${period.device_reference} ${period.phone_number} ${period.from} ${period.is_contested}`}
                  color={period.to === null ? 'teal' : 'gray'}
                  lineVariant={period.is_contested ? 'dashed' : 'solid'}
                  title={<span className="tabular">{visible(period.phone_number)}</span>}
                >
                  <Text size="sm">
                    <Time at={period.from} /> – {period.to === null ? t`now` : <Time at={period.to} />}
                  </Text>
                  <Text size="sm" c="dimmed">
                    {of === 'user' ? (
                      <DeviceName {...period} />
                    ) : period.device_user_reference === null ? (
                      t`None`
                    ) : (
                      <PersonName
                        device_user_reference={period.device_user_reference}
                        person_name={period.person_name}
                      />
                    )}{' '}
                    · <GroupName group={period.group} /> · {t`SIM ${period.slot_index + 1}`}
                  </Text>
                  <NumberStatus number={period} />
                </Timeline.Item>
              ))}
            </Timeline>
          )
        }
      </QueryResult>
    </section>
  )
}
