import type { ClaimMapping, ClaimPreview as Result, GivenRole } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Stack, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { useFailureText } from '../../api/failure-text.ts'
import { Icon } from '../../ui/icon.tsx'
import { MayButton } from '../../ui/may-button.tsx'
import { visible } from '../../ui/visible.ts'
import { ActionTable } from '../action-table.tsx'
import { Fact, Facts } from '../facts.tsx'

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
  const failureText = useFailureText()
  const [token, setToken] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [shown, setShown] = useState<{ result?: Result; failure?: string; mapping: ClaimMapping }>()
  // No mutation: the query client would cache the token.
  const preview = async () => {
    setBusy(true)
    try {
      setShown({ result: await ask({ token: token.trim(), mapping }), mapping })
    } catch (error) {
      setShown({ failure: failureText(error), mapping })
    } finally {
      setBusy(false)
    }
  }
  // The result belongs to the mapping of the request.
  const answer = shown?.mapping === mapping ? shown : undefined
  return (
    <Stack gap="sm" component="section" aria-label={t`Preview`}>
      <Textarea
        label={t`Preview with an id token`}
        description={t`Paste an id token or its claims as JSON. It is not stored.`}
        value={token}
        onChange={(event) => {
          setToken(event.currentTarget.value)
          setShown(undefined)
        }}
        maxLength={65_536}
        minRows={3}
        maxRows={6}
        autosize
        autoComplete="off"
        spellCheck={false}
      />
      <div>
        <MayButton
          action={action}
          reason={token.trim() === '' ? t`Paste a token first.` : undefined}
          size="xs"
          variant="default"
          loading={isBusy}
          leftSection={<Icon name="eye" size={15} />}
          onClick={() => void preview()}
        >
          <Trans>Preview</Trans>
        </MayButton>
      </div>
      {answer?.failure !== undefined && (
        <Alert color="red" role="alert" icon={<Icon name="alert-circle" />}>
          {answer.failure}
        </Alert>
      )}
      <output>{answer?.result && <Outcome result={answer.result} />}</output>
    </Stack>
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
      <Facts title={t`This person would be`}>
        <Fact label={t`User`}>{visible(person.user_reference)}</Fact>
        <Fact label={t`Name`}>{person.display_name !== null && visible(person.display_name)}</Fact>
        <Fact label={t`E-mail`}>{person.email !== null && visible(person.email)}</Fact>
        <Fact label={t`Own group`}>{person.user_group !== null && visible(person.user_group)}</Fact>
        <Fact label={t`Roles`}>
          {roles.length === 0
            ? t`No roles`
            : roles.map((role) => <RoleLine key={role.role} role={role} exists={role.exists} />)}
        </Fact>
        <Fact label={t`Groups`}>
          {groups === null ? t`All groups` : groups.map(visible).join('\n') || t`No group`}
        </Fact>
        <Fact label={t`Values without effect`}>{person.unused.map(visible).join('\n')}</Fact>
      </Facts>
      <section>
        <Text component="h3" size="xs" fw={650} c="dimmed" mb={4}>
          <Trans>What this person may do</Trans>
        </Text>
        {actions.length === 0 ? (
          <Text size="sm">
            <Trans>Nothing</Trans>
          </Text>
        ) : (
          <ActionTable actions={actions} caption={t`What this person may do`} />
        )}
      </section>
    </Stack>
  )
}

/** A role and why the user has it. */
export function RoleLine({ role, exists = true }: { role: GivenRole; exists?: boolean }) {
  const { t } = useLingui()
  const value = role.value === null ? '' : visible(role.value)
  const why = {
    claim: t`named by a claim`,
    mapping: t`rule for ${value}`,
    default: t`default role of the account`,
    first_administrator: t`first administrator of the account`,
  }[role.source]
  return (
    <div>
      {visible(role.role)}{' '}
      <Text span size="sm" c="dimmed">
        ({why}
        {!exists && <> · {t`no such role`}</>})
      </Text>
    </div>
  )
}
