import type { Enrolment } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { UserLink } from '../../components/devices/links.tsx'
import { EnrolledDevices, RevokeButton } from '../enrolments/enrolled-devices.tsx'
import { enrolmentQuery, EnrolmentStateBadge } from '../enrolments/enrolment.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { GroupName, personName } from '../../components/names.tsx'
import { type PreviewProps, RecordPreview } from '../../components/record-preview.tsx'
import { Reference } from '../../ui/reference.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'

/** Preview of an enrolment: creator, person, and enrolled devices. */
export default function EnrolmentPreview({ rowKey, row }: PreviewProps<Enrolment>) {
  return (
    <RecordPreview row={row} query={enrolmentQuery(rowKey)} action="devices.enrolments:read" isRowWhole>
      {(enrolment) => <Shown enrolment={enrolment} />}
    </RecordPreview>
  )
}

function Shown({ enrolment }: { enrolment: Enrolment }) {
  const { t, i18n } = useLingui()
  const { device_user_reference, enrolment_state, max_uses, matches_email, revoked_at, revoked_by } =
    enrolment
  return (
    <>
      <Facts title={t`Enrolment`}>
        <Fact label={t`Device user`}>
          {device_user_reference === null ? (
            t`Bulk`
          ) : (
            <UserLink device_user_reference={device_user_reference}>
              {visible(personName(enrolment) || device_user_reference)}
            </UserLink>
          )}
        </Fact>
        <Fact label={t`Group`}>
          <GroupName group={enrolment.group} />
        </Fact>
        <Fact label={t`State`}>
          <EnrolmentStateBadge state={enrolment_state} />
        </Fact>
        <Fact label={t`Note`}>{enrolment.description !== null && visible(enrolment.description)}</Fact>
        <Fact label={t`Created`}>
          <Time at={enrolment.created_at} /> · {visible(enrolment.created_by)}
        </Fact>
        <Fact label={t`Valid until`}>
          <Time at={enrolment.expires_at} />
        </Fact>
        <Fact label={t({ context: 'enrolment', message: 'Revoked' })}>
          {revoked_at !== null && (
            <>
              <Time at={revoked_at} /> · {revoked_by}
            </>
          )}
        </Fact>
        <Fact label={t`Reference`}>
          <Reference value={enrolment.enrolment_reference} length={22} />
        </Fact>
      </Facts>
      <Facts title={t`Phones`}>
        <Fact label={t`Phones at most`}>{max_uses === null ? t`Any number` : i18n.number(max_uses)}</Fact>
        <Fact label={t`Phones enrolled`}>{i18n.number(enrolment.uses)}</Fact>
        {device_user_reference === null && (
          <Fact label={t`Holder`}>{matches_email ? t`By email address` : t`By confirmation`}</Fact>
        )}
      </Facts>
      {enrolment.uses > 0 && <EnrolledDevices enrolment={enrolment} />}
      {enrolment_state === 'open' && <RevokeButton enrolment={enrolment} />}
    </>
  )
}
