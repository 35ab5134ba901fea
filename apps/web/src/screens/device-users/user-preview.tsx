import type { DeviceUser } from '@custodia/contract'
import { type PreviewProps, RecordPreview } from '../../components/record-preview.tsx'
import { UserFacts } from './user-facts.tsx'
import { userQuery } from './user-query.ts'

/** Preview of a device user. */
export default function UserPreview({ rowKey, row }: PreviewProps<DeviceUser>) {
  return (
    <RecordPreview row={row} query={userQuery(rowKey)} action="users:read" isRowWhole>
      {(user) => <UserFacts user={user} />}
    </RecordPreview>
  )
}
