import type { TwoPeople as Rule } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { callQuery } from '../../api/call-keys.ts'
import { noticeDoneOrProposed, proposalsApi } from '../../api/governance-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { Time } from '../../ui/time.tsx'
import { authorName } from '../../ui/visible.ts'

/** Dual control of releases and shortenings, and its switch, which itself needs two people. */
export function TwoPeople() {
  const query = useQuery({
    ...callQuery(proposalsApi, 'readTwoPeople'),
    enabled: useMay()('account.two_people:read'),
  })
  return (
    <QueryResult query={query} pending={<Skeleton h={36} w={280} aria-busy="true" />}>
      {(rule) => <State rule={rule} />}
    </QueryResult>
  )
}

function State({ rule }: { rule: Rule }) {
  const { is_required, updated_at, people } = rule
  const [isAsking, setAsking] = useState(false)
  const may = useMay()
  const who = authorName(rule, 'updated_by')
  return (
    <Group justify="space-between" gap="4px 16px" mih={36}>
      <Group gap="4px 8px">
        <Icon name={is_required ? 'lock' : 'info'} size={16} />
        <Text fw={600}>{is_required ? <Trans>Dual control</Trans> : <Trans>Single approval</Trans>}</Text>
        {updated_at !== null && (
          <Text size="sm" c="dimmed">
            <Trans>
              Proposed by {who}, since <Time at={updated_at} />.
            </Trans>
          </Text>
        )}
      </Group>
      {may('account.two_people:update') && (
        <Button size="xs" variant="default" onClick={() => setAsking(true)}>
          {is_required ? <Trans>Remove dual control</Trans> : <Trans>Require dual control</Trans>}
        </Button>
      )}
      {isAsking && (
        <Switch
          isRequired={is_required}
          isShort={!is_required && people.some(({ count }) => count < 2)}
          onClose={() => setAsking(false)}
        />
      )}
    </Group>
  )
}

function Switch({
  isRequired,
  isShort,
  onClose,
}: {
  isRequired: boolean
  /** Too few people could decide under dual control. */
  isShort: boolean
  onClose: () => void
}) {
  const { t } = useLingui()
  return (
    <Confirm
      title={isRequired ? t`Remove dual control?` : t`Require dual control?`}
      confirmLabel={t`Propose`}
      isDangerous={isRequired}
      isForbidden={isShort}
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
      <Stack gap="xs">
        <Text size="sm">
          {isRequired ? (
            <Trans>Legal hold releases, shorter retention and wider transfers then need one person.</Trans>
          ) : (
            <Trans>
              Legal hold releases, shorter retention and wider transfers then need a second approval. Apps and
              support staff cannot take part.
            </Trans>
          )}
        </Text>
        <Text size="sm">
          {isShort ? (
            <Trans>Dual control needs two people who can do each action and signed in within 30 days.</Trans>
          ) : (
            <Trans>This also needs a second approval.</Trans>
          )}
        </Text>
      </Stack>
    </Confirm>
  )
}
