import type { DeviceActivity, NamedRecording, PortalActivity } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Stack, Text, Skeleton } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { api } from '../../api/api.ts'
import { getKey } from '../../api/call-keys.ts'
import { useMay } from '../../api/use-profile.ts'
import { DeviceName, PersonName } from '../../components/devices/links.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { toDateParameter } from '../../components/lists/date-range.ts'
import { GroupName } from '../../components/names.tsx'
import { NotLoaded } from '../../components/record-preview.tsx'
import { Icon } from '../../ui/icon.tsx'
import { LinkAnchor } from '../../ui/links.tsx'
import { Reference } from '../../ui/reference.tsx'
import { Time } from '../../ui/time.tsx'
import { RecordingLink } from '../payloads/recording-link.tsx'
import { DurationCell, OutcomeCell, UserCell } from './activity-cells.tsx'
import { prettyParameters, entriesOfPlay } from './log-entries.ts'
import { sessionAt } from './places.ts'
import { type Activity, type Denial, readDenial } from './sentence.ts'
import { DENIAL_REASONS, Sentence } from './sentence.tsx'
import classes from './audit.module.css'

/** All logged fields of one call. User input is shown as text, never as markup. */
export default function ActivityPreview({ row }: { rowKey: string; row: Activity | undefined }) {
  const { t, i18n } = useLingui()
  if (row === undefined) return <NotLoaded />
  return (
    <Stack>
      <Text size="lg" fw={500} lh={1.35} style={{ overflowWrap: 'anywhere' }}>
        <Sentence row={row} />
      </Text>
      <div>
        <OutcomeCell row={row} />
      </div>
      {row.denial_reason !== null && <DenialNotice {...readDenial(row.denial_reason, DENIAL_REASONS)} />}
      {'user_id' in row && row.recording !== null && <Recording recording={row.recording} />}
      {'user_id' in row && row.was_handed_out !== null && <PlayRecord row={row} />}
      {'user_id' in row ? <User row={row} /> : <Device row={row} />}
      <Facts title={t`What`}>
        <Fact label={t`Action`}>{row.action}</Fact>
        <Fact label={t`Group`}>
          <GroupName group={row.group} />
        </Fact>
        <Fact label={t`HTTP status`}>{row.status_code === null ? null : i18n.number(row.status_code)}</Fact>
        <Fact label={t`Request`}>
          <Reference value={row.request_id} length={22} />
        </Fact>
        <Fact label={t`Log entry`}>
          <Reference value={row.log_id} length={22} />
        </Fact>
      </Facts>
      <Facts title={t`When`}>
        <Fact label={t`Time`}>
          <Time at={row.activity_time} style="second" />
        </Fact>
        <Fact label={t`End`}>
          {row.activity_end_time === null ? null : <Time at={row.activity_end_time} style="second" />}
        </Fact>
        <Fact label={t`Duration`}>{row.duration === null ? null : <DurationCell row={row} />}</Fact>
      </Facts>
      <section>
        <Text component="h3" size="xs" fw={650} c="dimmed" mb={4}>
          <Trans>Parameters</Trans>
        </Text>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling region must be reachable by keyboard */}
        <pre className={classes.parameters} tabIndex={0} aria-label={t`Parameters`}>
          {prettyParameters(row.parameters)}
        </pre>
      </section>
    </Stack>
  )
}

/** The recording, and a link to all its log entries. */
function Recording({ recording }: { recording: NamedRecording }) {
  const { t } = useLingui()
  const { payload_reference } = recording
  return (
    <Facts title={t`Recording`}>
      <Fact label={t`Recording`}>
        <RecordingLink recording={recording} />
      </Fact>
      <Fact label={t`Reference`}>
        <Reference value={payload_reference} length={22} />
      </Fact>
      <Fact label={t`Log`}>
        <LinkAnchor underline="always" to="/dashboard/account/audit" search={{ payload_reference }}>
          <Trans>All entries of this recording</Trans>
        </LinkAnchor>
      </Fact>
    </Facts>
  )
}

function User({ row }: { row: PortalActivity }) {
  const { t } = useLingui()
  const maySeeSession = useMay()('supportaccess:read')
  return (
    <Facts title={t`Who`}>
      <Fact label={t`User`}>
        <UserCell row={row} />
      </Fact>
      <Fact label={t`Roles`}>{row.roles.join(', ')}</Fact>
      <Fact label={t`Client app`}>{row.is_client_app ? t`Yes` : t`No`}</Fact>
      <Fact label={t`Support reference`}>
        {row.support_reference === null ? null : <Reference value={row.support_reference} length={22} />}
      </Fact>
      <Fact label={t`Support session`}>
        {row.support_reference !== null && maySeeSession && (
          <LinkAnchor {...sessionAt(row.support_reference ?? '')}>
            <Trans>All steps of this session</Trans>
          </LinkAnchor>
        )}
      </Fact>
      <Fact label={t`IP address`}>{row.user_ip}</Fact>
      <Fact label={t`Browser`}>{row.browser}</Fact>
    </Facts>
  )
}

function Device({ row }: { row: DeviceActivity }) {
  const { t } = useLingui()
  const { device_user_reference } = row
  return (
    <Facts title={t`Who`}>
      <Fact label={t`Device`}>
        <DeviceName device_reference={row.device_reference} />
      </Fact>
      <Fact label={t`Device reference`}>
        <Reference value={row.device_reference} length={22} />
      </Fact>
      <Fact label={t`Device user`}>
        {device_user_reference === null ? (
          <Trans>None</Trans>
        ) : (
          <PersonName
            device_user_reference={device_user_reference}
            person_name={row.names.device_user_reference}
          />
        )}
      </Fact>
      <Fact label={t`IP address`}>{row.device_ip}</Fact>
    </Facts>
  )
}

function DenialNotice({ code, detail }: Denial) {
  const { t } = useLingui()
  const reason = code === undefined ? undefined : DENIAL_REASONS[code]
  return (
    <Alert color="red" icon={<Icon name="shield-alert" />} p="sm">
      {reason && <Text fw={600}>{t(reason)}</Text>}
      {detail !== '' && (
        <Text size={reason ? 'sm' : 'md'} style={{ overflowWrap: 'anywhere' }}>
          {detail}
        </Text>
      )}
    </Alert>
  )
}

/** Maximum duration of a playback's entries, in seconds. */
const LOOKED_FOR = 86_400
const MAX = 200

/** All log entries of a playback, in order. */
export const playQuery = (row: PortalActivity) =>
  queryOptions({
    queryKey: getKey('listActivities', 'play', row.log_id),
    queryFn: async ({ signal }) => {
      const query = {
        users: [row.user_id],
        actions: [row.action],
        payload_reference: row.recording?.payload_reference,
        ip: row.user_ip,
        from: toDateParameter(row.activity_time),
        to: toDateParameter(row.activity_time + LOOKED_FOR),
        limit: MAX,
      }
      const [entries, plays] = await Promise.all([
        api.listActivities({ query }, { signal }),
        api.listActivities({ query: { ...query, is_folded: true } }, { signal }),
      ])
      return entriesOfPlay(row.log_id, entries.data, plays.data)
    },
    // Past entries do not change, and each read is logged.
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Full record of a playback row. */
export function PlayRecord({ row }: { row: PortalActivity }) {
  const { t } = useLingui()
  const { data, isPending } = useQuery(playQuery(row))
  if (isPending) return <Skeleton h={60} aria-busy />
  if (data === undefined) return <Trans>More details could not be loaded.</Trans>
  return (
    <section>
      <Text component="h3" size="xs" fw={650} c="dimmed" mb={4}>
        <Trans>Entries of this playback</Trans>
      </Text>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling region must be reachable by keyboard */}
      <ol className={classes.entries} tabIndex={0} aria-label={t`Entries of this playback`}>
        {data.map((entry) => (
          <li key={entry.log_id}>
            <Time at={entry.activity_time} style="second" />
            {' · '}
            {entry.was_handed_out === null ? (
              <OutcomeCell row={entry} />
            ) : entry.was_handed_out ? (
              <Trans>data accessed</Trans>
            ) : (
              <Trans>link issued</Trans>
            )}
            {' · '}
            <code title={entry.log_id}>…{entry.log_id.slice(-8)}</code>
          </li>
        ))}
      </ol>
    </section>
  )
}
