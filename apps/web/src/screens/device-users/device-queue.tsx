import type { DeviceQueue as Queue } from '@custodia/contract'
import { Plural, Trans } from '@lingui/react/macro'
import { Alert, List, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { callQuery } from '../../api/call-keys.ts'
import { fleetApi } from '../../api/fleet-api.ts'
import { DeviceLink } from '../../components/devices/links.tsx'
import { Icon } from '../../ui/icon.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Time } from '../../ui/time.tsx'

const queueQuery = (device_user_reference: string) =>
  callQuery(fleetApi, 'readUserQueue', { params: { device_user_reference } })

/** Pending uploads on the devices of an offboarded user: a warning until they are empty. */
export function DeviceQueue({ device_user_reference }: { device_user_reference: string }) {
  return (
    <QueryResult query={useQuery(queueQuery(device_user_reference))} rows={1}>
      {({ devices, is_empty }) =>
        is_empty ? (
          <Text size="sm" c="dimmed">
            <Trans>Nothing is known to wait on their phones.</Trans>
          </Text>
        ) : (
          <Alert color="orange" icon={<Icon name="warning" />} p="sm">
            <Text size="sm">
              {devices.some(({ waiting }) => waiting > 0) ? (
                <Trans>
                  Their phones still hold recordings. Keep them on and online until the queue is empty.
                </Trans>
              ) : (
                <Trans>Their phones may still hold recordings. Keep them on and online until seen.</Trans>
              )}
            </Text>
            <List size="sm">
              {devices
                .filter(({ waiting, is_unseen }) => waiting > 0 || is_unseen)
                .map((queue) => (
                  <List.Item key={queue.device_reference}>
                    <QueueOfDevice queue={queue} />
                  </List.Item>
                ))}
            </List>
          </Alert>
        )
      }
    </QueryResult>
  )
}

function QueueOfDevice({
  queue: { device_reference, model, waiting, oldest, last_seen, is_unseen },
}: {
  queue: Queue
}) {
  return (
    <>
      <DeviceLink device_reference={device_reference}>{model ?? device_reference}</DeviceLink>:{' '}
      {waiting > 0 && (
        <Plural
          value={waiting}
          one="# recording announced but not uploaded"
          other="# recordings announced but not uploaded"
        />
      )}
      {oldest !== null && (
        <>
          , <Trans>oldest from</Trans> <Time at={oldest} />
        </>
      )}
      {is_unseen && (
        <>
          {waiting > 0 && '; '}
          {last_seen === null ? (
            <Trans>not seen since; more may remain</Trans>
          ) : (
            <Trans>
              last seen <Time at={last_seen} />; more may remain
            </Trans>
          )}
        </>
      )}
    </>
  )
}
