import type { PersonChange } from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Alert, List, Text } from '@mantine/core'
import { Icon } from '../../ui/icon.tsx'
import { visible } from '../../ui/visible.ts'

/** People who are named; the rest is counted. */
const NAMED = 12

/** Who gains or loses roles and groups where roles are decided elsewhere from then on. */
export function PeopleChanged({ changes, unknown }: { changes: readonly PersonChange[]; unknown: number }) {
  const { t } = useLingui()
  const more = changes.length - NAMED
  return (
    <Alert color="orange" icon={<Icon name="user" />} title={t`Who gains or loses roles`}>
      {changes.length === 0 ? (
        <Text size="sm">
          <Trans>All known people keep their roles and groups.</Trans>
        </Text>
      ) : (
        <List size="sm" spacing={4}>
          {changes.slice(0, NAMED).map((change) => (
            <Change key={change.user_reference} change={change} />
          ))}
        </List>
      )}
      {more > 0 && (
        <Text size="sm" mt={4}>
          <Plural value={more} one="and # more" other="and # more" />
        </Text>
      )}
      {unknown > 0 && (
        <Text size="sm" mt={4}>
          <Plural
            value={unknown}
            one="# person’s claims are not known: their roles show at the next sign-in."
            other="The claims of # people are not known: their roles show at the next sign-in."
          />
        </Text>
      )}
    </Alert>
  )
}

function Change({ change }: { change: PersonChange }) {
  const { t } = useLingui()
  const { user_reference, display_name, roles_gained, roles_lost, groups_before, groups_after } = change
  const all = t`all groups`
  const none = t`no group`
  const listed = (names: readonly string[]) => names.map(visible).join(', ')
  const groupsOf = (groups: readonly string[] | null) => (groups === null ? all : listed(groups) || none)
  const [gained, lost] = [listed(roles_gained), listed(roles_lost)]
  const [before, after] = [groupsOf(groups_before), groupsOf(groups_after)]
  return (
    <List.Item style={{ overflowWrap: 'anywhere' }}>
      <strong>{visible(display_name ?? user_reference)}</strong>
      {gained !== '' && (
        <div>
          <Trans>gains {gained}</Trans>
        </div>
      )}
      {lost !== '' && (
        <div>
          <Trans>loses {lost}</Trans>
        </div>
      )}
      {before !== after && (
        <div>
          <Trans>
            groups: {before}, then {after}
          </Trans>
        </div>
      )}
    </List.Item>
  )
}
