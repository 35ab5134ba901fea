import type { StoredGroup } from '@custodia/contract'
import { Trans } from '@lingui/react/macro'
import { Text, Title } from '@mantine/core'
import { type PreviewProps, RecordPreview } from '../../components/record-preview.tsx'
import { Time } from '../../ui/time.tsx'
import { groupQuery } from './group-query.ts'
import { GroupStats } from './group-stats.tsx'
import { TagChips } from './tag-chips.tsx'

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
