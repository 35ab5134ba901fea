import type { StoredGroup } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Anchor, Table, Text, Title } from '@mantine/core'
import { type PreviewProps, RecordPreview } from '../../components/record-preview.tsx'
import { Time } from '../../ui/time.tsx'
import { api } from '../../api/api.ts'
import { recordQuery } from '../../api/queries.ts'
import { Link } from '@tanstack/react-router'
import { useMay } from '../../api/use-profile.ts'
import type { SearchOf } from '../../components/lists/call-search.ts'
import type { LinkTarget } from '../../components/lists/list-definition.ts'
import { SERVICE_WORDS } from '../../components/words/device-words.ts'
import { TagChips } from './tag-chips.tsx'

/** Days within which an active device was seen (reading-the-spec: inactivity threshold). */
const ACTIVE_DAYS = '30'

type Service = keyof typeof SERVICE_WORDS

/** People, devices and service figures of a group, with links to the lists. */
function GroupStats({ group: { stats, group_reference } }: { group: StoredGroup }) {
  const { t, i18n } = useLingui()
  const may = useMay()
  const groups = [group_reference]
  const devices = (search: SearchOf<'listDevices'> = {}): LinkTarget | undefined =>
    may('devices:list')
      ? { to: '/dashboard/devices', search: { groups, states: ['activated'], ...search } }
      : undefined
  const users = (search: SearchOf<'listDeviceUsers'> = {}): LinkTarget | undefined =>
    may('users:list')
      ? { to: '/dashboard/devices/users', search: { groups, is_active: true, ...search } }
      : undefined
  return (
    <>
      <Table verticalSpacing={4} fz="sm" className="tabular">
        <Table.Tbody>
          {(
            [
              [t`Device users`, stats.device_users, users()],
              [t`Devices`, stats.actual_devices, devices()],
              [t`Expected devices`, stats.expected_devices, undefined],
            ] as const
          ).map(([label, count, to]) => (
            <Table.Tr key={label}>
              <Table.Th scope="row" fw={500}>
                {label}
              </Table.Th>
              <Table.Td ta="right">
                <Figure count={count} to={to} what={label} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Table verticalSpacing={4} fz="sm" className="tabular" captionSide="top">
        <Table.Caption ta="left" mt={0}>
          <Trans>By service</Trans>
        </Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t`Service`}</Table.Th>
            <Table.Th ta="right">{t`Licences`}</Table.Th>
            <Table.Th ta="right">{t`Devices`}</Table.Th>
            <Table.Th ta="right">{t`Users`}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {(Object.entries(stats.services) as [Service, (typeof stats.services)[Service]][]).map(
            ([service, { used_licenses, active_devices, expected_devices, active_users }]) => {
              const word = i18n._(SERVICE_WORDS[service])
              const services = [service]
              return (
                <Table.Tr key={service}>
                  <Table.Th scope="row" fw={500}>
                    {word}
                  </Table.Th>
                  <Table.Td ta="right">
                    <Figure
                      count={used_licenses}
                      to={devices({ services })}
                      what={`${word}, ${t`Licences`}`}
                    />
                  </Table.Td>
                  <Table.Td ta="right">
                    <Figure
                      count={active_devices}
                      to={devices({ services, seen_days: ACTIVE_DAYS })}
                      what={`${word}, ${t`Devices`}`}
                    />
                    {` / ${i18n.number(expected_devices)}`}
                  </Table.Td>
                  <Table.Td ta="right">
                    <Figure count={active_users} to={users({ services })} what={`${word}, ${t`Users`}`} />
                  </Table.Td>
                </Table.Tr>
              )
            },
          )}
        </Table.Tbody>
      </Table>
      <Text size="xs" c="dimmed">
        <Trans>Devices: active / expected</Trans>
      </Text>
    </>
  )
}

/** A count, linked for permitted users; zero has no link. */
function Figure({ count, to, what }: { count: number; to: LinkTarget | undefined; what: string }) {
  const { i18n } = useLingui()
  const text = i18n.number(count)
  if (to === undefined || count === 0) return text
  return (
    <Anchor
      underline="always"
      inherit
      aria-label={`${what}: ${text}`}
      renderRoot={(props) => <Link {...props} {...to} />}
    >
      {text}
    </Anchor>
  )
}

/** A group, for its drawer and its preview. */
export const groupQuery = recordQuery('readGroup', (group_reference, options) =>
  api.readGroup({ params: { group_reference }, query: {} }, options),
)

/** Preview of a group: tags, people, devices, and figures per service. */
export default function GroupPreview({ rowKey, row }: PreviewProps<StoredGroup>) {
  return (
    <RecordPreview row={row} query={groupQuery(rowKey)} action="groups:read" isRowWhole>
      {(group) => <Group group={group} />}
    </RecordPreview>
  )
}

function Group({ group }: { group: StoredGroup }) {
  const { tags } = group
  return (
    <>
      <div>
        <Title order={3} style={{ overflowWrap: 'anywhere' }}>
          {group.group_reference}
        </Title>
        {group.updated_at !== null && (
          <Text size="sm" c="dimmed">
            <Trans>
              Updated <Time at={group.updated_at} />
            </Trans>
            {group.updated_by !== null && <> · {group.updated_by}</>}
          </Text>
        )}
      </div>
      {tags.length === 0 ? (
        <Text size="sm" c="dimmed">
          <Trans>No tags</Trans>
        </Text>
      ) : (
        <TagChips tags={tags} all />
      )}
      <GroupStats group={group} />
    </>
  )
}
