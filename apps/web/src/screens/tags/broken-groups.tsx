import type { BrokenGroup, Fault } from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Alert, Badge, ScrollArea, Table, Text } from '@mantine/core'
import { faultText } from '../../api/failure-text.ts'
import { Icon } from '../../ui/icon.tsx'

/** Whether the tag is removed from the group. */
export const strips = ({ becomes }: BrokenGroup): boolean => becomes === null

/** Groups that a definition invalidates: the effect of saving on each, or why it fails. */
export function BrokenGroups(props: {
  groups: readonly BrokenGroup[]
  count: number
  obstacles: readonly Fault[]
}) {
  const { t, i18n } = useLingui()
  const { groups, count, obstacles } = props
  const more = count - groups.length
  return (
    <Alert
      color={obstacles.length > 0 || groups.some(strips) ? 'red' : 'orange'}
      icon={<Icon name="warning" />}
      title={<Plural value={count} one="# group violates this tag" other="# groups violate this tag" />}
    >
      <Text size="sm" mb={8}>
        {obstacles.length === 0 ? (
          <Trans>Nothing has changed yet. Saving changes these groups.</Trans>
        ) : (
          <>
            {obstacles.map((obstacle) => faultText(obstacle, i18n)).join(' ')}{' '}
            <Trans>Ask an administrator who can change all these groups to save this.</Trans>
          </>
        )}
      </Text>
      <ScrollArea.Autosize
        mah={280}
        viewportProps={{ tabIndex: 0, 'aria-label': t`Groups that violate the tag` }}
      >
        <Table verticalSpacing={4} fz="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t`Group`}</Table.Th>
              <Table.Th>{t`Now`}</Table.Th>
              <Table.Th>{t`Then`}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {groups.map((group) => (
              <Table.Tr key={JSON.stringify(group)}>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{group.group_reference}</Table.Td>
                <Table.Td>
                  {group.problem === 'missing' ? t`missing` : <Value value={group.value} />}
                </Table.Td>
                <Table.Td>
                  {strips(group) ? (
                    <Badge color="red" leftSection={<Icon name="trash" size={12} />}>
                      {t`removed`}
                    </Badge>
                  ) : (
                    <Value value={group.becomes} />
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea.Autosize>
      {more > 0 && (
        <Text size="sm" mt={4}>
          <Plural value={more} one="and # more" other="and # more" />
        </Text>
      )}
    </Alert>
  )
}

const Value = ({ value }: { value: string | null }) =>
  value === null || value === '' ? (
    <Text span c="dimmed" size="sm">
      <Trans>empty</Trans>
    </Text>
  ) : (
    <>{value}</>
  )
