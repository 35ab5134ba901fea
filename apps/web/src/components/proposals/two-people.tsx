import type { TwoPeople as Rule } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { keyOf } from '../../api/call-keys.ts'
import { proposalsApi } from '../../api/proposals-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'
import { noticeDoneOrProposed } from './notice.ts'

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
      title={is_required ? t`Two people decide` : t`One person decides`}
      mb="md"
    >
      <Group justify="space-between" align="flex-start" gap="md">
        <Stack gap={4} flex="1 1 20rem">
          <Text size="sm">
            {is_required ? (
              <Trans>
                The release of a hold, and a shorter retention, wait until somebody else confirms them.
                Neither apps nor support staff take part.
              </Trans>
            ) : (
              <Trans>
                Whoever may release a hold or shorten the retention does so alone. The account can ask for a
                second person.
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
                Fewer than two people who may do each of these signed in within 30 days: it cannot be switched
                on, and where it is on, nobody could confirm.
              </Trans>
            </Text>
          )}
        </Stack>
        {may('account.two_people:update') && (
          <Button variant="default" onClick={() => setAsking(true)} disabled={!is_required && isShort}>
            {is_required ? <Trans>Let one person decide</Trans> : <Trans>Ask for a second person</Trans>}
          </Button>
        )}
      </Group>
      {isAsking && (
        <Confirm
          title={is_required ? t`Let one person decide?` : t`Ask for a second person?`}
          confirmLabel={t`Propose`}
          isDangerous={is_required}
          onConfirm={async () => {
            const answer = await proposalsApi.saveTwoPeople({
              query: {},
              body: { is_required: !is_required },
            })
            setAsking(false)
            noticeDoneOrProposed(answer, t`Saved`)
          }}
          onClose={() => setAsking(false)}
        >
          <Text size="sm">
            <Trans>Two people decide this as well: it changes once somebody else confirms it.</Trans>
          </Text>
        </Confirm>
      )}
    </Alert>
  )
}
