import {
  CLAIM_LIMITS,
  type ClaimMapping,
  type ClaimPreview as Result,
  type PersonChange,
} from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Alert, List, Stack, Text } from '@mantine/core'
import { Fact, Facts } from '../../components/facts.tsx'
import { ActionFacts } from '../../components/words/permission-words.tsx'
import { Icon } from '../../ui/icon.tsx'
import { TokenCheck } from '../../ui/token-check.tsx'
import { visible } from '../../ui/visible.ts'
import { RightsFacts } from './rights-facts.tsx'

/** Shows which user an id token would create under the mapping in the form. The token stays in this field. */
export function ClaimPreview({
  mapping,
  action,
  ask,
}: {
  mapping: ClaimMapping
  action: string
  ask: (body: { token: string; mapping: ClaimMapping }) => Promise<Result>
}) {
  const { t } = useLingui()
  return (
    <TokenCheck
      title={t`Preview`}
      label={t`Preview with an ID token`}
      description={t`Paste an ID token or its claims as JSON. It is not stored.`}
      maxLength={CLAIM_LIMITS.token}
      action={action}
      submit={<Trans>Preview</Trans>}
      icon="eye"
      reasonIfEmpty={t`Paste a token first.`}
      subject={mapping}
      ask={(token) => ask({ token, mapping })}
    >
      {(result) => <Outcome result={result} />}
    </TokenCheck>
  )
}

function Outcome({ result: { refusal, person } }: { result: Result }) {
  const { t } = useLingui()
  if (person === null)
    return (
      <Alert color="red" icon={<Icon name="lock" />} title={t`This person could not sign in`}>
        {visible(refusal ?? '')}
      </Alert>
    )
  const { roles, groups, actions } = person
  return (
    <Stack gap="sm">
      <Facts title={t`Resulting person`}>
        <Fact label={t`User`}>{visible(person.user_reference)}</Fact>
        <Fact label={t`Name`}>{person.display_name !== null && visible(person.display_name)}</Fact>
        <Fact label={t`Email`}>{person.email !== null && visible(person.email)}</Fact>
        <Fact label={t`Own group`}>{person.user_group !== null && visible(person.user_group)}</Fact>
        <RightsFacts roles={roles} groups={groups} />
        <Fact label={t`Values without effect`}>{person.unused.map(visible).join('\n')}</Fact>
      </Facts>
      {actions.length === 0 ? (
        <Facts title={t`Permissions of this person`}>
          <Fact label={t`Actions`}>{t`Nothing`}</Fact>
        </Facts>
      ) : (
        <ActionFacts title={t`Permissions of this person`} actions={actions} />
      )}
    </Stack>
  )
}

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
  const getGroups = (groups: readonly string[] | null) => (groups === null ? all : listed(groups) || none)
  const [gained, lost] = [listed(roles_gained), listed(roles_lost)]
  const [before, after] = [getGroups(groups_before), getGroups(groups_after)]
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
