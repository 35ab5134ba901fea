import {
  type ClaimMapping,
  ClaimMapping as MappingShape,
  type ClientAccount,
  ClientIdentity,
  type IdentityChange,
  isProposed,
  type ProposalAnswer,
} from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Button, Divider, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { allPages } from '../../api/all-pages.ts'
import { getKey } from '../../api/call-keys.ts'
import { internalApi } from '../../api/internal-api.ts'
import { noticeDone } from '../../api/notices.ts'
import { useMay, useProfile } from '../../api/use-profile.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { getStored } from '../../ui/form/conflict.ts'
import { shapeFaults } from '../../ui/form/faults.ts'
import { FormDrawer } from '../../ui/form/form-drawer.tsx'
import { useForm } from '../../ui/form/use-form.ts'
import { Icon } from '../../ui/icon.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'
import { ClaimPreview } from '../identity-providers/claim-preview.tsx'
import { MappingFields, useMappingWords } from '../identity-providers/mapping-fields.tsx'
import { IdentityFields, type IdentityValues, getIdentity, useIdentityLabels } from './identity-fields.tsx'

/** A pending change of the identity provider; staff can confirm it for a locked-out client, or withdraw it. */
function WaitingChange({ account, change }: { account: ClientAccount; change: IdentityChange }) {
  const { t } = useLingui()
  const { user_reference } = useProfile()
  const [asked, setAsked] = useState<'second' | 'withdraw'>()
  const { issuer, proposed_by, proposed_at, seconded_by, takes_effect_at } = change
  const { client_name } = account
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
      {asked && (
        <ChangeQuestion
          asked={asked}
          account={account}
          proposal_id={change.proposal_id}
          onClose={() => setAsked(undefined)}
        />
      )}
    </Alert>
  )
}

/** Question before staff confirm or withdraw a change. */
function ChangeQuestion(props: {
  asked: 'second' | 'withdraw'
  account: ClientAccount
  proposal_id: string
  onClose: () => void
}) {
  const { t } = useLingui()
  const { asked, proposal_id, onClose } = props
  const { client, client_name } = props.account
  const params = { client }
  const question = {
    second: {
      title: t`Confirm that ${client_name} cannot sign in?`,
      confirmLabel: t`Confirm`,
      text: t`The client is alerted. The new provider applies in 72 hours unless the client rejects it.`,
      act: () => internalApi.secondClientIdentity({ params, body: { proposal_id } }),
      done: t`Confirmed. It takes effect in 72 hours unless the client rejects it.`,
    },
    withdraw: {
      title: t`Withdraw the change of ${client_name}?`,
      confirmLabel: t`Withdraw`,
      text: t`Nothing changes. You can propose it again.`,
      act: () => internalApi.withdrawClientIdentity({ params }),
      done: t`Change withdrawn`,
    },
  }[asked]
  return (
    <Confirm
      title={question.title}
      confirmLabel={question.confirmLabel}
      isDangerous={asked === 'second'}
      onConfirm={async () => {
        await question.act()
        onClose()
        noticeDone(question.done)
      }}
      onClose={onClose}
    >
      <Text size="sm">{question.text}</Text>
    </Confirm>
  )
}

/** Names of a client's roles; empty when they cannot be read. */
function useRolesOfClient(client: string): readonly string[] {
  const { data = [] } = useQuery({
    queryKey: getKey('listRolesOfClient', client),
    queryFn: ({ signal }) =>
      allPages((paging) => internalApi.listRolesOfClient({ params: { client }, query: paging }, { signal })),
    select: (all) => all.map(({ role_reference }) => role_reference),
    enabled: useMay()('internal.roles:list'),
  })
  return data
}

type Values = IdentityValues & { claim_mapping: ClaimMapping }

const getDraft = (
  account: Pick<ClientAccount, 'oidc_issuer' | 'oidc_client_id' | 'oidc_device_client_id' | 'claim_mapping'>,
): Values => ({
  kind: account.oidc_issuer === null ? 'installation' : 'own',
  issuer: account.oidc_issuer ?? '',
  oidc_client_id: account.oidc_client_id ?? '',
  oidc_device_client_id: account.oidc_device_client_id ?? '',
  client_secret: '',
  claim_mapping: account.claim_mapping,
})

/** What a waiting change proposes, as far as it is shown. */
const getProposed = (change: IdentityChange | null) =>
  change && { oidc_issuer: change.issuer, oidc_client_id: change.oidc_client_id }

/** The account once more, with the author of the change that waits. */
async function readNewest({ client }: ClientAccount) {
  const all = await allPages((paging) => internalApi.listClients({ query: { ...paging, search: client } }))
  const newest = all.find((each) => each.client === client)
  if (newest === undefined) throw new Error(`no client ${client}`)
  const { proposed_at = null, proposed_by = null } = newest.identity_change ?? {}
  return { ...newest, updated_at: proposed_at, updated_by: proposed_by }
}

/** Identity provider of a client. The secret is write-only. */
export default function IdentityDrawer({
  account,
  onClose,
}: {
  account: ClientAccount
  onClose: () => void
}) {
  const { t } = useLingui()
  const { client, client_name, oidc_issuer } = account
  const words = useMappingWords(account.claim_mapping.roles_from === 'portal')
  const labels = {
    ...useIdentityLabels(),
    ...Object.fromEntries(
      Object.entries(words.labels).map(([path, label]) => [`claim_mapping.${path}`, label]),
    ),
  }
  const form = useForm<Values, ClientAccount | ProposalAnswer>({
    labels,
    initial: getDraft(account),
    stored: getStored(
      account,
      () => readNewest(account),
      ({ identity_change, ...newest }) => getDraft({ ...newest, ...getProposed(identity_change) }),
    ),
    check: (values) => [
      ...shapeFaults(ClientIdentity, getIdentity(values)),
      ...shapeFaults(MappingShape, values.claim_mapping, 'claim_mapping'),
    ],
    save: (values, version) =>
      internalApi.saveClientIdentity(
        {
          params: { client },
          body: { identity: getIdentity(values), claim_mapping: values.claim_mapping },
        },
        { if_match: version },
      ),
    onSaved: (answer) => {
      noticeDone(
        isProposed(answer)
          ? t`Proposed. Takes effect once an administrator of ${client_name} confirms it.`
          : t`Identity provider of ${client_name} saved`,
      )
      onClose()
    },
  })
  const roles = useRolesOfClient(client)
  return (
    <FormDrawer title={t`Identity provider of ${client_name}`} form={form} onClose={onClose} size={560}>
      {account.identity_change && <WaitingChange account={account} change={account.identity_change} />}
      <IdentityFields form={form} hasSecret={oidc_issuer !== null} />
      <Divider label={t`Claims, roles and groups`} labelPosition="left" />
      <MappingFields
        value={form.values.claim_mapping}
        onChange={(claim_mapping) => form.set({ claim_mapping })}
        errorAt={(path) => form.errorAt(`claim_mapping.${path}`)}
        choices={{ roles, groups: [] }}
      />
      <ClaimPreview
        mapping={form.values.claim_mapping}
        action="internal.clients:preview"
        ask={(body) => internalApi.previewClaimsOfClient({ params: { client }, body })}
      />
      {form.isDirty && (
        <Alert color="orange" icon={<Icon name="warning" />}>
          <Trans>
            The change takes effect once a client administrator confirms it. A wrong address blocks sign-in.
          </Trans>
        </Alert>
      )}
    </FormDrawer>
  )
}
