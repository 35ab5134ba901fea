import { type AccessImpact, type Excess, PAYLOAD_TYPES, type RoleImpact } from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Alert, List, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { GroupSample } from '../names.tsx'
import { PAYLOAD_TYPE_WORDS } from '../words/payload-words.ts'
import { ActionName } from '../words/permission-words.tsx'

/** Lines shown per list; others are counted. */
const SHOWN = 12

/** Impact of a change of rights: lock-out, escalation, affected roles. */
export function ImpactView({ impact, subject }: { impact: AccessImpact; subject?: string }) {
  const { t } = useLingui()
  const { locks_out, escalations, may_escalate, roles, hidden_roles = 0 } = impact
  return (
    <Stack gap="sm">
      {locks_out && (
        <Alert color="red" icon={<Icon name="lock" />} title={t`This removes your own access`}>
          <Trans>You cannot undo this yourself after saving. Another administrator has to do it.</Trans>
        </Alert>
      )}
      {escalations.length > 0 && (
        <Alert
          color={may_escalate ? 'orange' : 'red'}
          icon={<Icon name="shield-alert" />}
          title={
            may_escalate
              ? t`This grants permissions beyond your own`
              : t`You cannot grant permissions beyond your own`
          }
        >
          <Lines
            items={escalations}
            draw={(excess) => <ExcessLine key={JSON.stringify(excess)} excess={excess} />}
          />
          <Text size="sm" mt={6}>
            {may_escalate ? (
              <Trans>Your role allows this. Saving raises a High security alert.</Trans>
            ) : (
              <Trans>
                Saving needs the permission “<ActionName action="access:escalate" />
                ”. Remove these permissions, or ask a person who has it.
              </Trans>
            )}
          </Text>
        </Alert>
      )}
      {hidden_roles > 0 && (
        <Alert color="blue" icon={<Icon name="info" />} title={t`Roles with changed access`}>
          <Text size="sm">
            <Plural
              value={hidden_roles}
              one="# role changes its access."
              other="# roles change their access."
            />{' '}
            <Trans>
              The permission “<ActionName action="roles:list" />” is needed to see which.
            </Trans>
          </Text>
        </Alert>
      )}
      {roles.length > 0 && (
        <Alert color="blue" icon={<Icon name="info" />} title={t`Roles with changed access`}>
          <Lines
            items={roles}
            draw={(role) => (
              <RoleLine key={role.role_reference} role={role} isSubject={role.role_reference === subject} />
            )}
          />
        </Alert>
      )}
      {isPartial(impact) && <OnlySeenGroups />}
    </Stack>
  )
}

/** Whether it names groups of which the user sees some only. */
export const isPartial = ({ escalations, roles }: AccessImpact): boolean =>
  escalations.some(({ groups }) => groups.is_partial) ||
  roles.some(({ groups_gained, groups_lost }) => groups_gained.is_partial || groups_lost.is_partial)

/** Note where further groups may exist. */
export const OnlySeenGroups = () => (
  <Text size="sm" c="dimmed">
    <Trans>This shows only groups that you may see.</Trans>
  </Text>
)

function Lines<Item>({ items, draw }: { items: readonly Item[]; draw: (item: Item) => ReactNode }) {
  const more = items.length - SHOWN
  return (
    <>
      <List size="sm" spacing={4}>
        {items.slice(0, SHOWN).map(draw)}
      </List>
      {more > 0 && (
        <Text size="sm" mt={4}>
          <Plural value={more} one="and # more" other="and # more" />
        </Text>
      )}
    </>
  )
}

/**
 * 'listen to recordings and see pictures in 2 groups: North, South, for Call'. Without groups: records without a
 * group, and future groups.
 */
function ExcessLine({ excess }: { excess: Excess }) {
  const { i18n } = useLingui()
  const { action, groups, limit, payload_types } = excess
  const types = payload_types.map((type) => i18n._(PAYLOAD_TYPE_WORDS[type])).join(', ')
  return (
    <List.Item>
      <strong>
        <ActionName action={action} />
      </strong>{' '}
      {groups.count === 0 && !groups.is_all ? (
        groups.is_partial ? (
          <Trans>for records without a group, and for hidden or future groups</Trans>
        ) : (
          <Trans>for records without a group, and for future groups</Trans>
        )
      ) : (
        <Trans>
          in <GroupSample sample={groups} />
        </Trans>
      )}
      {payload_types.length > 0 && payload_types.length < PAYLOAD_TYPES.length && (
        <Trans>, for {types}</Trans>
      )}
      {limit === 'networks' && (
        <div>
          <Trans>You have this only within narrower networks.</Trans>
        </div>
      )}
      {limit === 'watch' && (
        <div>
          <Trans>You have this only through a role that raises an alert.</Trans>
        </div>
      )}
    </List.Item>
  )
}

function RoleLine({ role, isSubject }: { role: RoleImpact; isSubject: boolean }) {
  const { actions_gained, actions_lost, groups_gained, groups_lost } = role
  const [gained, lost] = [actions_gained.length, actions_lost.length]
  const isElsewhere = [groups_gained, groups_lost].every(({ count }) => count === 0)
  const isSilent = isElsewhere && actions_gained.length === 0 && actions_lost.length === 0
  return (
    <List.Item>
      {isSubject ? (
        <strong>
          <Trans>This role</Trans>
        </strong>
      ) : (
        <strong>{role.role_reference}</strong>
      )}
      {isSilent && (
        <div>
          <Trans>changes in networks, alerts or groups not listed here</Trans>
        </div>
      )}
      {groups_gained.count > 0 && (
        <div>
          <Trans>
            gains <GroupSample sample={groups_gained} />
          </Trans>
        </div>
      )}
      {groups_lost.count > 0 && (
        <div>
          <Trans>
            loses <GroupSample sample={groups_lost} />
          </Trans>
        </div>
      )}
      {actions_gained.length > 0 && (
        <div>
          <Plural value={gained} one="gains # right:" other="gains # rights:" />{' '}
          <Actions names={actions_gained} />
        </div>
      )}
      {actions_lost.length > 0 && (
        <div>
          <Plural value={lost} one="loses # right:" other="loses # rights:" />{' '}
          <Actions names={actions_lost} />
        </div>
      )}
    </List.Item>
  )
}

function Actions({ names }: { names: readonly string[] }) {
  const more = names.length - SHOWN
  return (
    <>
      {names.slice(0, SHOWN).map((name, index) => (
        <span key={name}>
          {index > 0 && ', '}
          <ActionName action={name} />
        </span>
      ))}
      {more > 0 && (
        <>
          {' '}
          <Plural value={more} one="and # more" other="and # more" />
        </>
      )}
    </>
  )
}
