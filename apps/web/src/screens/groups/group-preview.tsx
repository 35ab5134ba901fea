import type { StoredGroup } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Text, Title } from '@mantine/core'
import { api } from '../../api/api.ts'
import { recordQuery } from '../../api/queries.ts'
import { useMay } from '../../api/use-profile.ts'
import { Fact, Facts } from '../../components/facts.tsx'
import type { SearchOf } from '../../components/lists/call-search.ts'
import type { LinkTarget } from '../../components/lists/list-definition.ts'
import { type PreviewProps, RecordPreview } from '../../components/record-preview.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { SERVICE_WORDS } from '../../components/words/service-words.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { Time } from '../../ui/time.tsx'
import { authorName } from '../../ui/visible.ts'
import { TagChips } from './tag-chips.tsx'

/** Days within which an active device was seen (reading-the-spec: inactivity threshold). */
const ACTIVE_DAYS = '30'

type Service = keyof typeof SERVICE_WORDS

/** People, devices and service figures of a group, with links to the lists. */
function GroupStats({ group: { stats, group_reference } }: { group: StoredGroup }) {
  const { t } = useLingui()
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
      <Facts>
        <Fact label={t`Device users`}>
          <Figure count={stats.device_users} to={users()} what={t`Device users`} />
        </Fact>
        <Fact label={t`Devices`}>
          <Figure count={stats.actual_devices} to={devices()} what={t`Devices`} />
        </Fact>
        <Fact label={t`Expected devices`}>
          <Figure count={stats.expected_devices} to={undefined} what={t`Expected devices`} />
        </Fact>
      </Facts>
      <ServiceTable services={stats.services} devices={devices} users={users} />
      <Text size="xs" c="dimmed">
        <Trans>Devices: active / expected</Trans>
      </Text>
    </>
  )
}

type Services = StoredGroup['stats']['services']

/** Figures of a group per service. */
function ServiceTable(props: {
  services: Services
  devices: (search: SearchOf<'listDevices'>) => LinkTarget | undefined
  users: (search: SearchOf<'listDeviceUsers'>) => LinkTarget | undefined
}) {
  const { t, i18n } = useLingui()
  const { devices, users } = props
  const figure = (service: Service, column: string, count: number, to: LinkTarget | undefined) => (
    <Figure count={count} to={to} what={`${i18n._(SERVICE_WORDS[service])}, ${column}`} />
  )
  return (
    <DataTable
      isCompact
      caption={t`By service`}
      rows={Object.entries(props.services) as [Service, Services[Service]][]}
      getKey={([service]) => service}
      columns={[
        { label: t`Service`, cell: ([service]) => i18n._(SERVICE_WORDS[service]) },
        {
          label: t`Licences`,
          align: 'end',
          cell: ([service, { used_licenses }]) =>
            figure(service, t`Licences`, used_licenses, devices({ services: [service] })),
        },
        {
          label: t`Devices`,
          align: 'end',
          cell: ([service, { active_devices, expected_devices }]) => (
            <>
              {figure(
                service,
                t`Devices`,
                active_devices,
                devices({ services: [service], seen_days: ACTIVE_DAYS }),
              )}
              {` / ${i18n.number(expected_devices)}`}
            </>
          ),
        },
        {
          label: t`Users`,
          align: 'end',
          cell: ([service, { active_users }]) =>
            figure(service, t`Users`, active_users, users({ services: [service] })),
        },
      ]}
    />
  )
}

/** A count, linked for permitted users; zero has no link. */
function Figure({ count, to, what }: { count: number; to: LinkTarget | undefined; what: string }) {
  const { i18n } = useLingui()
  const text = i18n.number(count)
  if (to === undefined || count === 0) return text
  return (
    <TextLink aria-label={`${what}: ${text}`} {...to}>
      {text}
    </TextLink>
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
      {(group) => <Group group={group} isTitled={row !== undefined} />}
    </RecordPreview>
  )
}

function Group({ group, isTitled }: { group: StoredGroup; isTitled: boolean }) {
  const { tags } = group
  return (
    <>
      <div>
        {!isTitled && (
          <Title order={3} style={{ overflowWrap: 'anywhere' }}>
            {group.group_reference}
          </Title>
        )}
        {group.updated_at !== null && (
          <Text size="sm" c="dimmed">
            <Trans>
              Updated <Time at={group.updated_at} />
            </Trans>
            {group.updated_by !== null && <> · {authorName(group, 'updated_by')}</>}
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
