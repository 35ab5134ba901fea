import type { PayloadType, RoleReview } from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Alert, Paper, Skeleton, Stack, Table, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { ErrorState } from '../../ui/error-state.tsx'
import { Icon } from '../../ui/icon.tsx'
import { GroupSample } from '../../ui/sample-list.tsx'
import { ImpactView, isPartial, OnlySeenGroups } from '../../components/review/impact.tsx'
import { ActionName } from '../../components/words/action-name.tsx'
import { actionWords, nounWord } from '../../components/words/action-words.ts'
import { shownLocale } from '../../i18n/i18n.ts'
import { movesRights } from '../../components/review/use-review.ts'
import { ActionLine } from './action-line.tsx'
import { unmatchedBy } from './unmatched-rules.ts'
import { byNoun } from './nouns.ts'
import classes from './role-preview.module.css'
import type { RolePreviewState } from './use-role-preview.ts'

/** Live preview of the edited role: matches and reach. */
export function RolePreview(props: {
  state: RolePreviewState
  subject: string
  /** Current values of the role; absent: read-only. */
  payload_types: readonly PayloadType[] | undefined
}) {
  const { t } = useLingui()
  const { state, subject, payload_types } = props
  const { review } = state
  return (
    <Paper component="aside" className={classes.panel} aria-label={t`Effect of this role`}>
      <Title order={2} className={classes.head}>
        <Trans>Effect of this role</Trans>
      </Title>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling region must be reachable by keyboard */}
      <section className={classes.scroll} tabIndex={0} aria-label={t`Preview`} aria-busy={state.isStale}>
        {state.isForbidden ? (
          <Text size="sm" c="dimmed">
            <Trans>
              The preview needs the permission “<ActionName action="roles:review" />
              ”.
            </Trans>
          </Text>
        ) : (
          <>
            {state.isIncomplete && (
              <Text size="sm" c="dimmed">
                <Trans>Complete every rule and condition to see the effect.</Trans>
              </Text>
            )}
            {state.error !== null && <ErrorState onRetry={state.retry} />}
            {review === undefined ? (
              !state.isIncomplete && state.error === null && <Waiting />
            ) : (
              <div className={state.isStale ? classes.stale : undefined}>
                <Reach review={review} subject={subject} payload_types={payload_types} />
              </div>
            )}
          </>
        )}
      </section>
    </Paper>
  )
}

function Reach({
  review,
  subject,
  payload_types,
}: {
  review: RoleReview
  subject: string
  payload_types: readonly PayloadType[] | undefined
}) {
  const { t, i18n } = useLingui()
  const { actions, groups } = review
  const allowed = actions.filter(({ outcome }) => outcome === 'allowed').length
  const nouns = byNoun(actions)
  const decided = nouns.filter((noun) => noun.decided.length > 0)
  const rest = actions.length - decided.reduce((sum, noun) => sum + noun.decided.length, 0)
  const total = i18n.number(actions.length)
  const missed = payload_types === undefined ? [] : unmatchedBy(actions, payload_types)
  return (
    <Stack gap="md">
      <Table verticalSpacing={3} horizontalSpacing={0} fz="sm" withRowBorders={false}>
        <Table.Tbody>
          <Fact label={t`Actions`}>
            <Trans>
              {allowed} of {total}
            </Trans>
          </Fact>
          <Fact label={t`Groups`}>
            <GroupSample sample={groups} />
          </Fact>
          <Fact label={t`Recordings in lists now`}>
            <Recordings review={review} />
          </Fact>
        </Table.Tbody>
      </Table>
      {groups.is_partial && !isPartial(review.impact) && <OnlySeenGroups />}
      {movesRights(review) && <ImpactView impact={review.impact} subject={subject} />}
      {allowed === 0 && (
        <Alert color="orange" icon={<Icon name="warning" />} p="xs">
          <Trans>This role has no permissions yet.</Trans>
        </Alert>
      )}
      {missed.length > 0 && (
        <Alert
          color="orange"
          icon={<Icon name="warning" />}
          p="xs"
          title={<Trans>Review these effects</Trans>}
        >
          {missed.map(({ words, without }) => (
            <Text key={`${without} ${words['en-GB']}`} size="sm" title={without}>
              {words[shownLocale()]}
            </Text>
          ))}
        </Alert>
      )}
      <div>
        {decided.map(({ noun, allowed: count, decided: lines, unmatched }) => {
          const all = lines.length + unmatched.length
          return (
            <details
              key={noun}
              className={classes.noun}
              open={lines.some(({ outcome }) => outcome !== 'denied')}
            >
              <summary>
                <span title={noun}>{nounWord(noun)}</span>
                <Text span size="xs" c="dimmed" className="tabular">
                  <Trans>
                    {count} of {all} allowed
                  </Trans>
                </Text>
              </summary>
              <ul className={classes.actions}>
                {lines.map((action) => (
                  <ActionLine key={action.action} action={action} />
                ))}
              </ul>
            </details>
          )
        })}
        {rest > 0 && (
          <details className={classes.noun}>
            <summary>
              <Plural value={rest} one="# action not matched" other="# actions not matched" />
            </summary>
            <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {nouns
                .flatMap(({ unmatched }) => unmatched.map(({ action }) => actionWords(action)))
                .join(', ')}
            </Text>
          </details>
        )}
      </div>
    </Stack>
  )
}

/** Number of recordings that a holder can list, as far as the viewer may know. */
function Recordings({ review: { payloads, problems } }: { review: RoleReview }) {
  const { i18n } = useLingui()
  if (payloads === null) return problems.length > 0 ? '–' : <Trans>none: it lists no recordings</Trans>
  if (payloads.total === null)
    return (
      <Trans>
        hidden: needs the permission “<ActionName action="payloads:list" />”
      </Trans>
    )
  const total = `${i18n.number(payloads.total)}${payloads.is_capped ? '+' : ''}`
  return payloads.is_partial ? <Trans>{total} that you can list</Trans> : total
}

const Fact = ({ label, children }: { label: string; children: ReactNode }) => (
  <Table.Tr>
    <Table.Th scope="row" fw={500} w={150} c="dimmed" style={{ verticalAlign: 'top' }}>
      {label}
    </Table.Th>
    <Table.Td style={{ overflowWrap: 'anywhere' }}>{children}</Table.Td>
  </Table.Tr>
)

const Waiting = () => (
  <Stack gap="sm">
    <Skeleton h={60} />
    <Skeleton h={180} />
  </Stack>
)
