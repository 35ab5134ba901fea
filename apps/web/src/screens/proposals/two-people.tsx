import type { TwoPeople as Rule } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { keyOf } from '../../api/call-keys.ts'
import { noticeDoneOrProposed, proposalsApi } from '../../api/governance-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'

/** Dual control of releases and shortenings, and its switch, which itself needs two people. */
export function TwoPeople() {
  const query = useQuery({
    queryKey: keyOf('readTwoPeople'),
    queryFn: ({ signal }) => proposalsApi.readTwoPeople({ query: {} }, { signal }),
    enabled: useMay()('account.two_people:read'),
  })
  return (
    <Loaded query={query} height={72}>
      {(rule) => <State rule={rule} />}
    </Loaded>
  )
}

function State({ rule: { is_required, updated_at, updated_by, people } }: { rule: Rule }) {
  const { t } = useLingui()
  const [isAsking, setAsking] = useState(false)
  const may = useMay()
  const isShort = people.some(({ count }) => count < 2)
  const who = updated_by === null ? '' : visible(updated_by)
  return (
    <Alert
      color={is_required ? 'teal' : 'blue'}
      icon={<Icon name={is_required ? 'lock' : 'info'} />}
      title={is_required ? t`Dual control` : t`Single approval`}
      mb="md"
    >
      <Group justify="space-between" align="flex-start" gap="md">
        <Stack gap={4} flex="1 1 20rem">
          <Text size="sm">
            {is_required ? (
              <Trans>
                Legal hold releases, shorter retention and wider transfers need a second approval. Apps and
                support staff cannot take part.
              </Trans>
            ) : (
              <Trans>
                Legal hold releases, shorter retention and wider transfers need one person. You can require a
                second approval.
              </Trans>
            )}
          </Text>
          {updated_at !== null && (
            <Text size="sm" c="dimmed">
              <Trans>
                Proposed by {who}, since <Time at={updated_at} />.
              </Trans>
            </Text>
          )}
          {isShort && (
            <Text size="sm">
              <Trans>
                Dual control needs two people who can do each action and signed in within 30 days.
              </Trans>
            </Text>
          )}
        </Stack>
        {may('account.two_people:update') && (
          <Button variant="default" onClick={() => setAsking(true)} disabled={!is_required && isShort}>
            {is_required ? <Trans>Remove dual control</Trans> : <Trans>Require dual control</Trans>}
          </Button>
        )}
      </Group>
      {isAsking && <Switch isRequired={is_required} onClose={() => setAsking(false)} />}
    </Alert>
  )
}

function Switch({ isRequired, onClose }: { isRequired: boolean; onClose: () => void }) {
  const { t } = useLingui()
  return (
    <Confirm
      title={isRequired ? t`Remove dual control?` : t`Require dual control?`}
      confirmLabel={t`Propose`}
      isDangerous={isRequired}
      onConfirm={async () => {
        const answer = await proposalsApi.saveTwoPeople({
          query: {},
          body: { is_required: !isRequired },
        })
        onClose()
        noticeDoneOrProposed(answer, t`Saved`)
      }}
      onClose={onClose}
    >
      <Text size="sm">
        <Trans>This also needs a second approval.</Trans>
      </Text>
    </Confirm>
  )
}
