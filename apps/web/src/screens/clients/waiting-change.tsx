import type { ClientAccount, IdentityChange } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { internalApi } from '../../api/internal-api.ts'
import { noticeDone } from '../../api/notices.ts'
import { useProfile } from '../../api/use-profile.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'

/** A pending change of the identity provider; staff can confirm it for a locked-out client, or withdraw it. */
export function WaitingChange({
  account: { client, client_name },
  change,
}: {
  account: ClientAccount
  change: IdentityChange
}) {
  const { t } = useLingui()
  const { user_reference } = useProfile()
  const [asked, setAsked] = useState<'second' | 'withdraw'>()
  const close = () => setAsked(undefined)
  const { proposal_id, issuer, proposed_by, proposed_at, seconded_by, takes_effect_at } = change
  const isMine = proposed_by === `${user_reference} (provider)`
  const who = visible(proposed_by)
  const second_person = seconded_by === null ? '' : visible(seconded_by)
  return (
    <Alert color="orange" icon={<Icon name="clock" />} title={t`Waiting for confirmation`}>
      <Stack gap="xs">
        <Text size="sm">{issuer === null ? t`Installation default` : visible(issuer)}</Text>
        <Text size="sm">
          <Trans>
            Proposed by {who}, <Time at={proposed_at} style="second" />. An administrator of {client_name}{' '}
            must confirm it.
          </Trans>
        </Text>
        {takes_effect_at !== null && (
          <Text size="sm">
            <Trans>
              {second_person} confirmed that the client cannot sign in. The change takes effect{' '}
              <Time at={takes_effect_at} style="second" /> unless the client rejects it.
            </Trans>
          </Text>
        )}
        {takes_effect_at === null && isMine && (
          <Text size="sm" c="dimmed">
            <Trans>If the client cannot sign in, another staff member must confirm that.</Trans>
          </Text>
        )}
        <Group gap="xs">
          {takes_effect_at === null && !isMine && (
            <Button size="xs" variant="default" onClick={() => setAsked('second')}>
              <Trans>Client cannot sign in…</Trans>
            </Button>
          )}
          <Button size="xs" variant="default" onClick={() => setAsked('withdraw')}>
            <Trans>Withdraw…</Trans>
          </Button>
        </Group>
      </Stack>
      {asked === 'second' && (
        <Confirm
          title={t`Confirm that ${client_name} cannot sign in?`}
          confirmLabel={t`Confirm`}
          isDangerous
          onConfirm={async () => {
            await internalApi.secondClientIdentity({ params: { client }, body: { proposal_id } })
            close()
            noticeDone(t`Confirmed. It takes effect in 72 hours unless the client rejects it.`)
          }}
          onClose={close}
        >
          <Text size="sm">
            <Trans>
              The client is alerted. The new provider applies in 72 hours unless the client rejects it.
            </Trans>
          </Text>
        </Confirm>
      )}
      {asked === 'withdraw' && (
        <Confirm
          title={t`Withdraw the change of ${client_name}?`}
          confirmLabel={t`Withdraw`}
          onConfirm={async () => {
            await internalApi.withdrawClientIdentity({ params: { client } })
            close()
            noticeDone(t`Change withdrawn`)
          }}
          onClose={close}
        >
          <Text size="sm">
            <Trans>Nothing changes. You can propose it again.</Trans>
          </Text>
        </Confirm>
      )}
    </Alert>
  )
}
