import { type Enrolment, isUsable, Ulid } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { fleetApi } from '../../api/fleet-api.ts'
import { UserLink } from '../../components/devices/links.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { getColumns } from '../../components/lists/columns.tsx'
import { defineList } from '../../components/lists/define-list.tsx'
import { ListPage } from '../../components/lists/list-page.tsx'
import { personName, GroupName } from '../../components/names.tsx'
import { DEVICE_USER_FILTER } from '../../components/record-filters.ts'
import { type PreviewProps, RecordPreview } from '../../components/record-preview.tsx'
import { wordFilter } from '../../components/words/spec-word.tsx'
import { Reference } from '../../ui/reference.tsx'
import { Time } from '../../ui/time.tsx'
import { authorName, visible } from '../../ui/visible.ts'
import { EnrolButton } from '../enrolments/enrol-button.tsx'
import { EnrolledDevices, RevokeButton } from '../enrolments/enrolled-devices.tsx'
import { ENROLMENT_STATE_WORDS, EnrolmentStateBadge, enrolmentQuery } from '../enrolments/enrolment.tsx'

const column = getColumns<Enrolment>()

/** Person of the enrolment; null: the account. */
const getOwnerName = (row: Enrolment) => personName(row) || row.device_user_reference

const getNewest = ({ devices: [newest] }: Enrolment) => newest && (newest.model ?? newest.device_reference)

const enrolments = defineList({
  name: 'enrolments',
  call: 'listEnrolments',
  api: fleetApi,
  to: '/dashboard/devices',
  part: { tab: 'enrolments' },
  key: Ulid,
  title: msg`Enrolments`,
  icon: 'qr',
  columns: [
    column.drawn('whose', msg`Device user`, WhoseCell, getOwnerName, {
      width: 150,
      grow: 1.4,
      stacked: 'lead',
    }),
    column.drawn(
      'state',
      msg`State`,
      ({ row }) => <EnrolmentStateBadge enrolment={row} />,
      (row) => row.enrolment_state,
      { width: 140, stacked: 'end' },
    ),
    column.drawn('phones', msg`Phones`, PhonesCell, (row) => row.uses, { width: 90, align: 'end' }),
    column.text('phone', msg`Newest phone`, getNewest, { width: 140, grow: 1, stacked: 'line' }),
    column.moment('created_at', msg`Created`, { stacked: 'line' }),
    column.text(
      'created_by',
      msg({ context: 'enrolment', message: 'Created by' }),
      (row) => authorName(row, 'created_by'),
      { width: 110, grow: 0.6 },
    ),
    column.moment('expires_at', msg`Valid until`),
    column.group('group', msg`Group`, { width: 110, grow: 0.8 }),
    column.text('sent_to', msg`Sent to`, { width: 150, grow: 1, isOptional: true }),
    column.text('description', msg`Note`, { width: 130, grow: 1 }),
    column.reference('reference', msg`Reference`, (row) => row.enrolment_reference, {
      width: 104,
      isOptional: true,
    }),
  ],
  filters: [wordFilter('states', msg`State`, ENROLMENT_STATE_WORDS), DEVICE_USER_FILTER],
  views: [
    {
      name: 'open',
      label: msg({ context: 'enrolments', message: 'Open' }),
      search: { states: ['open', 'opened'] },
    },
  ],
  noMatch: msg`No enrolments match`,
  empty: {
    title: msg`No enrolments yet`,
    description: msg`Enrolment codes and the phones that used them appear here. Enrol a single phone on its device user’s page.`,
  },
  getKey: (row) => row.enrolment_reference,
  rowTitle: (row, i18n) => visible(getOwnerName(row) ?? i18n._(msg`Bulk`)),
  Preview: EnrolmentPreview,
})

const withButton = { ...enrolments, primaryAction: <EnrolButton /> }

/** Enrolments, as a tab of the devices. */
export const EnrolmentList = () => <ListPage list={withButton} />

function WhoseCell({ row }: { row: Enrolment }) {
  const { t } = useLingui()
  const whose = getOwnerName(row)
  return whose === null ? <span>{t`Bulk`}</span> : <strong title={visible(whose)}>{visible(whose)}</strong>
}

/** 'enrolled / at most'. */
function PhonesCell({ row: { uses, max_uses } }: { row: Enrolment }) {
  const { i18n, t } = useLingui()
  const came = i18n.number(uses)
  return (
    <span>
      <span data-narrow-only>{t`Phones`} </span>
      {max_uses === null ? came : `${came} / ${i18n.number(max_uses)}`}
    </span>
  )
}

/** Preview of an enrolment: creator, person, and enrolled devices. */
export function EnrolmentPreview({ rowKey, row }: PreviewProps<Enrolment>) {
  return (
    <RecordPreview row={row} query={enrolmentQuery(rowKey)} action="devices.enrolments:read" isRowWhole>
      {(enrolment) => <EnrolmentFacts enrolment={enrolment} />}
    </RecordPreview>
  )
}

function EnrolmentFacts({ enrolment }: { enrolment: Enrolment }) {
  const { t, i18n } = useLingui()
  const { device_user_reference, max_uses, matches_email, opened_at, revoked_at } = enrolment
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
          <EnrolmentStateBadge enrolment={enrolment} />
        </Fact>
        <Fact label={t`Note`}>{enrolment.description !== null && visible(enrolment.description)}</Fact>
        <Fact label={t`Sent to`}>{enrolment.sent_to !== null && visible(enrolment.sent_to)}</Fact>
        <Fact label={t`Created`}>
          <Time at={enrolment.created_at} /> · {authorName(enrolment, 'created_by')}
        </Fact>
        <Fact label={t`Valid until`}>
          <Time at={enrolment.expires_at} />
        </Fact>
        <Fact label={t`Link opened`}>{opened_at !== null && <Time at={opened_at} />}</Fact>
        <Fact label={t({ context: 'enrolment', message: 'Revoked' })}>
          {revoked_at !== null && (
            <>
              <Time at={revoked_at} /> · {authorName(enrolment, 'revoked_by')}
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
      {isUsable(enrolment) && <RevokeButton enrolment={enrolment} />}
    </>
  )
}
