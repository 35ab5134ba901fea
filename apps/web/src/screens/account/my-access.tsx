import { Trans, useLingui } from '@lingui/react/macro'
import { Badge, Group, Stack, Text } from '@mantine/core'
import { useProfile } from '../../api/use-profile.ts'
import { Fact, Facts } from '../../components/facts.tsx'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import { ActionFacts } from '../../components/words/permission-words.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Time } from '../../ui/time.tsx'

/** Maximum names; more are counted. */
const MAX_NAMES = 40

/** 'My access': user, rights and their expiry. */
export default function MyAccess({ onClose }: { onClose: () => void }) {
  const { t, i18n } = useLingui()
  const profile = useProfile()
  return (
    <Dialog onClose={onClose} title={t`My access`} size="lg">
      <Stack>
        <Facts title={t`Who`}>
          <Fact label={t`User`}>{profile.user_reference}</Fact>
          <Fact label={t`Account`}>{profile.client_name}</Fact>
          <Fact label={t`Own group`}>{profile.user_group ?? t`None`}</Fact>
          <Fact label={t`Session ends`}>
            <Time at={profile.session_expires_at} style="minute" />
          </Fact>
        </Facts>
        <Facts title={t`Reach`}>
          <Fact label={t`Roles`}>
            <Names names={profile.roles} none={t`No roles`} />
          </Fact>
          <Fact label={t`Groups`}>
            {profile.groups === null ? t`All groups` : <Names names={profile.groups} none={t`None`} />}
          </Fact>
          <Fact label={t`Types`}>
            <Names
              names={profile.payload_types.map((type) => i18n._(PAYLOAD_TYPE_WORDS[type]))}
              none={t`None`}
            />
          </Fact>
        </Facts>
        {profile.actions.length === 0 ? (
          <Text>
            <Trans>Nothing yet. An account administrator can give you a role.</Trans>
          </Text>
        ) : (
          <ActionFacts title={t`Your permissions`} actions={profile.actions} />
        )}
      </Stack>
    </Dialog>
  )
}

function Names({ names, none }: { names: readonly string[]; none: string }) {
  const more = names.length - MAX_NAMES
  if (names.length === 0) return none
  return (
    <Group gap={6}>
      {names.slice(0, MAX_NAMES).map((name) => (
        <Badge key={name} color="gray">
          {name}
        </Badge>
      ))}
      {more > 0 && <Trans>and {more} more</Trans>}
    </Group>
  )
}
