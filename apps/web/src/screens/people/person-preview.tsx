import type { PortalPerson, PortalPersonDetail, RoleAssignment } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { peopleApi } from '../../api/access-api.ts'
import { noticeDone } from '../../api/notices.ts'
import { recordQuery } from '../../api/queries.ts'
import { useMay } from '../../api/use-profile.ts'
import { Fact, Facts } from '../../components/facts.tsx'
import { type PreviewProps, RecordPreview } from '../../components/record-preview.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'
import { AssignedBy, groupsText, RightsFacts } from '../identity-providers/rights-facts.tsx'
import { HoldAct } from '../legal-holds/hold-act.tsx'

const RolesDrawer = lazy(() => import('./roles-drawer.tsx'))
const PersonAccess = lazy(async () => ({
  default: (await import('../../components/explained-access.tsx')).PersonAccess,
}))

const personQuery = recordQuery('readPerson', (user_reference, options) =>
  peopleApi.readPerson({ params: { user_reference }, query: {} }, options),
)

/** Preview of a portal user: roles and why, groups, and sessions to end. */
export default function PersonPreview({ rowKey, row }: PreviewProps<PortalPerson>) {
  return (
    <RecordPreview row={row} query={personQuery(rowKey)} action="people:read">
      {(person, whole) => <Person person={person} whole={whole} isTitled={row !== undefined} />}
    </RecordPreview>
  )
}

function Person({
  person,
  whole,
  isTitled,
}: {
  person: PortalPerson
  whole: PortalPersonDetail | undefined
  isTitled: boolean
}) {
  const { t } = useLingui()
  const { user_reference, display_name, email, user_group, first_seen, last_seen } = person
  return (
    <>
      {!isTitled && (
        <Title order={3} style={{ overflowWrap: 'anywhere' }}>
          {visible(display_name ?? user_reference)}
        </Title>
      )}
      <Facts title={t`Person`}>
        <Fact label={t`Reference`}>{visible(user_reference)}</Fact>
        <Fact label={t`Email`}>{email !== null && visible(email)}</Fact>
        <Fact label={t`Own group`}>{user_group !== null && visible(user_group)}</Fact>
        <Fact label={t`Issuer`}>{whole && whole.issuer !== null && visible(whole.issuer)}</Fact>
        <Fact label={t`First seen`}>{first_seen !== null && <Time at={first_seen} style="second" />}</Fact>
        <Fact label={t`Last seen`}>
          {last_seen === null ? t`Never` : <Time at={last_seen} style="second" />}
        </Fact>
      </Facts>
      <Facts title={t`Reach`}>
        <RightsFacts {...person} />
      </Facts>
      {whole?.roles_from === 'claims' && whole.assignment?.ends_at === null && (
        <PreparedRoles assignment={whole.assignment} />
      )}
      <ExplainAccess reference={user_reference} />
      {whole && <AssignRoles person={whole} />}
      {whole && <Sessions person={whole} />}
      <div>
        <HoldAct
          subject={{
            target_type: 'PortalUser',
            target: user_reference,
            name: display_name ?? user_reference,
          }}
        />
      </div>
    </>
  )
}

/** What a person is assigned while claims give roles. */
function PreparedRoles({ assignment }: { assignment: RoleAssignment }) {
  const { t } = useLingui()
  return (
    <Facts title={t`Prepared in the portal, not in effect`}>
      <Fact label={t`Roles`}>
        {assignment.roles.map(({ role }) => (
          <div key={role}>
            {visible(role)}{' '}
            <Text span size="sm" c="dimmed">
              (<AssignedBy role={role} assignment={assignment} />)
            </Text>
          </div>
        ))}
      </Fact>
      <Fact label={t`Groups`}>{groupsText(assignment.groups, t`All groups`, t`No group`)}</Fact>
    </Facts>
  )
}

function ExplainAccess({ reference }: { reference: string }) {
  const [isOpen, setOpen] = useState(false)
  if (!useMay()('people.access:read')) return null
  return (
    <div>
      <Button size="xs" variant="default" onClick={() => setOpen(true)}>
        <Trans>What this person may do…</Trans>
      </Button>
      {isOpen && (
        <Suspense>
          <PersonAccess reference={reference} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </div>
  )
}

function AssignRoles({ person }: { person: PortalPersonDetail }) {
  const [isOpen, setOpen] = useState(false)
  const { refetch } = useQuery({ ...personQuery(person.user_reference), enabled: false })
  if (!useMay()('people.roles:update')) return null
  return (
    <div>
      <Button size="xs" variant="default" onClick={() => setOpen(true)}>
        <Trans>Assign roles…</Trans>
      </Button>
      {isOpen && (
        <Suspense>
          <RolesDrawer
            key={person.version}
            person={person}
            onClose={() => setOpen(false)}
            onReload={() => void refetch()}
          />
        </Suspense>
      )}
    </div>
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
            <Trans>The person must sign in again. Nothing else changes.</Trans>
          </Text>
        </Confirm>
      )}
    </Stack>
  )
}
