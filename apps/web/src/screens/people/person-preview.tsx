import type { PortalPerson, PortalPersonDetail } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { noticeDone } from '../../api/notices.ts'
import { peopleApi } from '../../api/people-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { RoleLine } from '../../components/claims/claim-preview.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { type PreviewProps, RecordPreview } from '../../components/record-preview.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { recordQuery } from '../../ui/form/record-query.ts'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'

const personQuery = recordQuery('readPerson', (user_reference, options) =>
  peopleApi.readPerson({ params: { user_reference }, query: {} }, options),
)

/** Preview of a portal user: roles and why, groups, and sessions to end. */
export default function PersonPreview({ rowKey, row }: PreviewProps<PortalPerson>) {
  return (
    <RecordPreview row={row} query={personQuery(rowKey)} action="people:read">
      {(person, whole) => <Person person={person} whole={whole} />}
    </RecordPreview>
  )
}

function Person({ person, whole }: { person: PortalPerson; whole: PortalPersonDetail | undefined }) {
  const { t } = useLingui()
  const { user_reference, display_name, email, roles, groups, user_group, first_seen, last_seen } = person
  return (
    <>
      <Title order={3} style={{ overflowWrap: 'anywhere' }}>
        {visible(display_name ?? user_reference)}
      </Title>
      <Facts title={t`Person`}>
        <Fact label={t`Reference`}>{visible(user_reference)}</Fact>
        <Fact label={t`E-mail`}>{email !== null && visible(email)}</Fact>
        <Fact label={t`Own group`}>{user_group !== null && visible(user_group)}</Fact>
        <Fact label={t`Issuer`}>{whole && whole.issuer !== null && visible(whole.issuer)}</Fact>
        <Fact label={t`First seen`}>{first_seen !== null && <Time at={first_seen} style="second" />}</Fact>
        <Fact label={t`Last seen`}>
          {last_seen === null ? t`Never` : <Time at={last_seen} style="second" />}
        </Fact>
      </Facts>
      <Facts title={t`Reach`}>
        <Fact label={t`Roles`}>
          {roles.length === 0
            ? t`No roles`
            : roles.map((role) => <RoleLine key={role.role} role={role} exists={role.exists} />)}
        </Fact>
        <Fact label={t`Groups`}>
          {groups === null ? t`All groups` : groups.map(visible).join('\n') || t`No group`}
        </Fact>
      </Facts>
      {whole && <Sessions person={whole} />}
    </>
  )
}

type Session = PortalPersonDetail['sessions'][number]

function Sessions({ person: { user_reference, sessions } }: { person: PortalPersonDetail }) {
  const { t } = useLingui()
  const [ending, setEnding] = useState<Session>()
  const mayEnd = useMay()('people.sessions:end')
  const close = () => setEnding(undefined)
  return (
    <Stack gap="xs" component="section" aria-label={t`Open sessions`}>
      <Text component="h3" size="xs" fw={650} c="dimmed">
        <Trans>Open sessions</Trans>
      </Text>
      {sessions.length === 0 && (
        <Text size="sm">
          <Trans>No open sessions</Trans>
        </Text>
      )}
      {sessions.map((session) => (
        <Paper key={session.session_id} withBorder p="xs">
          <Group justify="space-between" wrap="nowrap" align="start">
            <Text size="sm">
              <Trans>
                Signed in <Time at={session.created_at} style="minute" />
              </Trans>
              {session.ip !== null && <> · {session.ip}</>}
              <br />
              <Trans>
                Last seen <Time at={session.last_seen} style="minute" />
              </Trans>
              {session.is_own && <> · {t`your own`}</>}
            </Text>
            {mayEnd && (
              <Button size="compact-xs" variant="default" flex="none" onClick={() => setEnding(session)}>
                <Trans>End session</Trans>
              </Button>
            )}
          </Group>
        </Paper>
      ))}
      {ending && (
        <Confirm
          title={t`End this session?`}
          confirmLabel={t`End session`}
          isDangerous
          onClose={close}
          onConfirm={async () => {
            const { session_id } = ending
            await peopleApi.endPersonSession({ params: { user_reference, session_id }, query: {} })
            close()
            noticeDone(t`Session ended`)
          }}
        >
          <Text size="sm">
            <Trans>The person has to sign in again. Nothing else changes.</Trans>
          </Text>
        </Confirm>
      )}
    </Stack>
  )
}
