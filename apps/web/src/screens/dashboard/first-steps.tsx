import { FIRST_STEPS, type FirstStep, OPTIONAL_STEP } from '@custodia/contract'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react'
import { Plural, Trans } from '@lingui/react/macro'
import { Button, Card, Group, Text, Title, VisuallyHidden } from '@mantine/core'
import { useMay } from '../../api/use-profile.ts'
import type { LinkTarget } from '../../components/lists/list-definition.ts'
import { useListMemory } from '../../components/lists/list-memory.ts'
import { Icon } from '../../ui/icon.tsx'
import { LinkAnchor } from '../../ui/links.tsx'
import classes from './first-steps.module.css'

/** The page of a step, and the right to open it. */
const STEPS: Readonly<
  Record<FirstStep, { label: MessageDescriptor; about: MessageDescriptor; action: string; to: LinkTarget }>
> = {
  identity: {
    label: msg`Connect your identity provider`,
    about: msg`Map its claims to roles and groups, and preview a person before saving.`,
    action: 'account.identity:read',
    to: { to: '/dashboard/access/people', search: { claims: true } as never },
  },
  groups: {
    label: msg`Create groups`,
    about: msg`Reviewers see the recordings of their groups only.`,
    action: 'groups:list',
    to: { to: '/dashboard/access/groups' },
  },
  roles: {
    label: msg`Decide what people may do`,
    about: msg`Start from a role that exists, or create your own for a group.`,
    action: 'roles:list',
    to: { to: '/dashboard/access/roles' },
  },
  people: {
    label: msg`Let a colleague sign in`,
    about: msg`Assign roles to a person, also before the first sign-in.`,
    action: 'people:list',
    to: { to: '/dashboard/access/people' },
  },
  device_users: {
    label: msg`Add device users`,
    about: msg`Enter the people whose devices record, or import them from a CSV file.`,
    action: 'users:list',
    to: { to: '/dashboard/devices/users' },
  },
  devices: {
    label: msg`Enrol a device`,
    about: msg`Send or print a code for each person. The device scans it.`,
    action: 'users:list',
    to: { to: '/dashboard/devices/users' },
  },
  recordings: {
    label: msg`Receive the first recording`,
    about: msg`Make a call with an enrolled device. It uploads the recording.`,
    action: 'devices:list',
    to: { to: '/dashboard/devices' },
  },
  retention: {
    label: msg`Set the retention policy`,
    about: msg`Without one, recordings stay for good.`,
    action: 'account.retention:read',
    to: { to: '/dashboard/governance/retention' },
  },
  alert_mails: {
    label: msg`Order alert e-mails`,
    about: msg`Know when a device is silent or a recording fails.`,
    action: 'profile.alert_subscription:read',
    to: { to: '/dashboard/account/alert-mails' },
  },
  transfers: {
    label: msg`Set up a transfer`,
    about: msg`Optional: only if your own bucket or server should receive the recordings.`,
    action: 'transfer_configs:list',
    to: { to: '/dashboard/account/transfers', search: { tab: 'configs' } as never },
  },
}

const isNeeded = (step: FirstStep) => step !== OPTIONAL_STEP

/** What an administrator of a new client still has to set up, until all that each account needs is done, or it is hidden. */
export default function FirstSteps({ open }: { open: readonly FirstStep[] }) {
  const { _ } = useLingui()
  const may = useMay()
  const [isHidden, setHidden] = useListMemory('home', 'first-steps-hidden', (stored) => stored === true)
  const missing = open.filter(isNeeded).length
  if (isHidden || missing === 0) return null
  const all = FIRST_STEPS.filter(isNeeded).length
  const done = all - missing
  return (
    <Card component="section" aria-labelledby="first-steps-title" padding="lg">
      <Group justify="space-between" align="flex-start" wrap="nowrap" mb="xs">
        <div>
          <Title order={2} id="first-steps-title">
            <Trans>Set up the account</Trans>
          </Title>
          <Text c="dimmed" size="sm">
            <Plural value={done} one={`# of ${all} steps is done`} other={`# of ${all} steps are done`} />
          </Text>
        </div>
        <Button variant="subtle" size="xs" onClick={() => setHidden(true)}>
          <Trans>Hide</Trans>
        </Button>
      </Group>
      <ol className={classes.steps}>
        {FIRST_STEPS.map((step) => {
          const { label, about, action, to } = STEPS[step]
          const isDone = !open.includes(step)
          return (
            <li key={step} className={classes.step} data-done={isDone || undefined}>
              <span className={classes.mark}>{isDone && <Icon name="check" size={14} />}</span>
              <div>
                {may(action) ? <LinkAnchor {...to}>{_(label)}</LinkAnchor> : <span>{_(label)}</span>}
                {isDone ? (
                  <VisuallyHidden>
                    <Trans context="step of the setup">Done</Trans>
                  </VisuallyHidden>
                ) : (
                  <Text c="dimmed" size="sm">
                    {_(about)}
                  </Text>
                )}
              </div>
            </li>
          )
        })}
      </ol>
    </Card>
  )
}
