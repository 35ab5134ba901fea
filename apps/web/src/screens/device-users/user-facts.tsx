import type { DeviceUser } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { Fact, Facts } from '../../components/facts.tsx'
import { type PreviewProps, RecordPreview } from '../../components/record-preview.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { SERVICE_WORDS } from '../../components/words/service-words.ts'
import { Reference } from '../../ui/reference.tsx'
import { Time } from '../../ui/time.tsx'
import { authorName } from '../../ui/visible.ts'
import { UserState, userQuery } from './user.tsx'

/** Link to the legal hold of the person. */
const getHold = ({ device_user_reference }: DeviceUser) =>
  ({
    to: '/dashboard/governance/holds',
    search: { preview: `DeviceUser/${device_user_reference}` },
  }) as const

/** Facts of a device user; small headings in a preview. */
export function UserFacts({ user, isPart = false }: { user: DeviceUser; isPart?: boolean }) {
  const { t, i18n } = useLingui()
  const { onboard_date, offboard_date, updated_at } = user
  const services = user.services.map((service) => i18n._(SERVICE_WORDS[service])).join(', ')
  return (
    <>
      <Facts title={t`Who`} isPart={isPart}>
        <Fact label={t`Reference`}>
          <Reference value={user.device_user_reference} length={28} />
        </Fact>
        <Fact label={t`Email`}>{user.email}</Fact>
        <Fact label={t`Group`}>{user.group}</Fact>
        <Fact label={t`State`}>
          <UserState user={user} />
        </Fact>
        <Fact label={t`Legal hold`}>
          {user.is_held && (
            <TextLink {...getHold(user)}>{t({ context: 'legally', message: 'On hold' })}</TextLink>
          )}
        </Fact>
        <Fact label={t`Onboarded at`}>{onboard_date !== null && <Time at={onboard_date} />}</Fact>
        <Fact label={t`Offboarded at`}>{offboard_date !== null && <Time at={offboard_date} />}</Fact>
        <Fact label={t`Legacy`}>{user.is_legacy && t`From the legacy platform`}</Fact>
      </Facts>
      <Facts title={t`Recording`} isPart={isPart}>
        <Fact label={t`Services`}>{services || t`None`}</Fact>
        <Fact label={t`Devices`}>{i18n.number(user.actual_device_count)}</Fact>
        <Fact label={t`Expected devices`}>{i18n.number(user.expected_device_count)}</Fact>
      </Facts>
      <Facts title={t`Last change`} isPart={isPart}>
        <Fact label={t`At`}>{updated_at !== null && <Time at={updated_at} />}</Fact>
        <Fact label={t`By`}>{authorName(user, 'updated_by')}</Fact>
      </Facts>
    </>
  )
}

/** Preview of a device user. */
export function UserPreview({ rowKey, row }: PreviewProps<DeviceUser>) {
  return (
    <RecordPreview row={row} query={userQuery(rowKey)} action="users:read" isRowWhole>
      {(user) => <UserFacts user={user} />}
    </RecordPreview>
  )
}
