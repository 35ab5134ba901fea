import { CLAIM_LIMITS, type ClaimMapping, type ClaimPreview as Result } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Stack, Text } from '@mantine/core'
import { Icon } from '../../ui/icon.tsx'
import { TokenCheck } from '../../ui/token-check.tsx'
import { visible } from '../../ui/visible.ts'
import { ActionTable } from '../../components/action-table.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
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
      <section>
        <Text component="h3" size="xs" fw={650} c="dimmed" mb={4}>
          <Trans>Permissions of this person</Trans>
        </Text>
        {actions.length === 0 ? (
          <Text size="sm">
            <Trans>Nothing</Trans>
          </Text>
        ) : (
          <ActionTable actions={actions} caption={t`Permissions of this person`} />
        )}
      </section>
    </Stack>
  )
}
