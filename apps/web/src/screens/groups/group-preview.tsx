import type { StoredGroup } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Table, Text, Title } from '@mantine/core'
import { type PreviewProps, RecordPreview } from '../../components/record-preview.tsx'
import { SERVICE_WORDS } from '../../components/service-words.ts'
import { Time } from '../../ui/time.tsx'
import { groupQuery } from './group-query.ts'
import { TagChips } from './tag-chips.tsx'

/** A group beside its list: tags, people and devices, and each service's figures. */
export default function GroupPreview({ rowKey, row }: PreviewProps<StoredGroup>) {
  return (
    <RecordPreview row={row} query={groupQuery(rowKey)} action="groups:read" isRowWhole>
      {(group) => <Group group={group} />}
    </RecordPreview>
  )
}

function Group({ group }: { group: StoredGroup }) {
  const { t, i18n } = useLingui()
  const { stats, tags } = group
  const number = (count: number) => i18n.number(count)
  const services = Object.entries(stats.services)
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
      <Table verticalSpacing={4} fz="sm" className="tabular">
        <Table.Tbody>
          {(
            [
              [t`Device users`, stats.device_users],
              [t`Devices`, stats.actual_devices],
              [t`Expected devices`, stats.expected_devices],
            ] as const
          ).map(([label, count]) => (
            <Table.Tr key={label}>
              <Table.Th scope="row" fw={500}>
                {label}
              </Table.Th>
              <Table.Td ta="right">{number(count)}</Table.Td>
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
          {services.map(([service, figures]) => (
            <Table.Tr key={service}>
              <Table.Th scope="row" fw={500}>
                {i18n._(SERVICE_WORDS[service as keyof typeof SERVICE_WORDS])}
              </Table.Th>
              <Table.Td ta="right">{number(figures.used_licenses)}</Table.Td>
              <Table.Td ta="right">
                {number(figures.active_devices)} / {number(figures.expected_devices)}
              </Table.Td>
              <Table.Td ta="right">{number(figures.active_users)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Text size="xs" c="dimmed">
        <Trans>Devices: active / expected</Trans>
      </Text>
    </>
  )
}
