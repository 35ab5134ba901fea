import { type ActionPreview, type PayloadType, RoleReference, type RoleReview } from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Alert, Paper, Skeleton, Stack, Text, Title, VisuallyHidden } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useMay } from '../../api/use-profile.ts'
import { Fact, Facts } from '../../components/facts.tsx'
import { GroupSample } from '../../components/names.tsx'
import { ImpactView, isPartial, OnlySeenGroups } from '../../components/review/impact.tsx'
import { movesRights } from '../../components/review/use-review.ts'
import { ActionName, actionWords, nounWord } from '../../components/words/permission-words.tsx'
import { shownLocale } from '../../i18n/i18n.ts'
import { Icon } from '../../ui/icon.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { roleReviewQuery } from './delete-role.tsx'
import { byNoun, unmatchedBy } from './nouns.ts'
import { rightsFaults, type RoleDraft, roleInput } from './role-draft.ts'
import classes from './role-preview.module.css'

/** One action of the preview: where it is allowed, denied parts, or why it is not allowed. */
function ActionLine({ action }: { action: ActionPreview }) {
  const { i18n, t } = useLingui()
  const { outcome, denied_by, groups, struck, groupless } = action
  const isAllowed = outcome === 'allowed'
  const list = new Intl.ListFormat(i18n.locale, { type: 'conjunction' })
  const rules = list.format(denied_by.map((index) => i18n.number(index + 1)))
  const isStruck = struck.is_all || struck.count > 0
  return (
    <li className={classes.action}>
      <span className={classes.mark} data-outcome={outcome}>
        <Icon name={isAllowed ? 'check' : outcome === 'confined' ? 'warning' : 'x'} size={14} />
      </span>
      <div>
        <span
          className={`${classes.name} ${outcome === 'denied' ? classes.struck : ''}`}
          title={action.action}
        >
          {actionWords(action.action)}
        </span>
        <VisuallyHidden>
          {' '}
          {isAllowed ? t`allowed` : outcome === 'confined' ? t`not allowed` : t`denied`}
        </VisuallyHidden>{' '}
        <span className={classes.where}>
          {outcome === 'confined' ? (
            <Trans>needs a rule without group conditions</Trans>
          ) : !isAllowed ? (
            <Trans>denied by rule {rules}</Trans>
          ) : (
            <>
              {groups.is_all && groupless ? (
                <Trans>everywhere</Trans>
              ) : (
                <Trans>
                  in <GroupSample sample={groups} />
                </Trans>
              )}
              {isStruck && (
                <>
                  {' · '}
                  <Trans>
                    not{' '}
                    <s>
                      <GroupSample sample={struck} />
                    </s>{' '}
                    (rule {rules})
                  </Trans>
                </>
              )}
            </>
          )}
        </span>
      </div>
    </li>
  )
}

/** Debounce of typing, in milliseconds. */
const TYPING_PAUSE_MS = 400
interface RolePreviewState {
  review: RoleReview | undefined
  /** The preview belongs to earlier values. */
  isStale: boolean
  /** The draft is incomplete: no new request. */
  isIncomplete: boolean
  isForbidden: boolean
  error: unknown
  retry: () => void
}

/** Live preview of the role in the editor. */
export function useRolePreview(draft: RoleDraft): RolePreviewState {
  const { t } = useLingui()
  const may = useMay()('roles:review')
  const [settled] = useDebouncedValue(draft, TYPING_PAUSE_MS)
  const isIncomplete = rightsFaults(settled).length > 0
  const reference = settled.role_reference.trim()
  const name = RoleReference.safeParse(reference).success ? reference : t`Role without name`
  const { data, error, isPlaceholderData, isFetching, refetch } = useQuery({
    ...roleReviewQuery(name, roleInput(settled)),
    enabled: may && !isIncomplete,
  })
  return {
    review: data,
    isStale: isPlaceholderData || (isFetching && data === undefined) || settled !== draft,
    isIncomplete,
    isForbidden: !may,
    error: data === undefined || !isPlaceholderData ? error : null,
    retry: () => void refetch(),
  }
}

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
              !state.isIncomplete && state.error === null && <PreviewPending />
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
  const total = i18n.number(actions.length)
  return (
    <Stack>
      <Facts>
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
      </Facts>
      {groups.is_partial && !isPartial(review.impact) && <OnlySeenGroups />}
      {movesRights(review) && <ImpactView impact={review.impact} subject={subject} />}
      {allowed === 0 && (
        <Alert color="orange" icon={<Icon name="warning" />} p="xs">
          <Trans>This role has no permissions yet.</Trans>
        </Alert>
      )}
      {payload_types !== undefined && <UnmatchedRules actions={actions} payload_types={payload_types} />}
      <ActionsByNoun actions={actions} />
    </Stack>
  )
}

/** Permissions that the role lacks although its others need them. */
function UnmatchedRules(props: { actions: readonly ActionPreview[]; payload_types: readonly PayloadType[] }) {
  const missed = unmatchedBy(props.actions, props.payload_types)
  if (missed.length === 0) return null
  return (
    <Alert color="orange" icon={<Icon name="warning" />} p="xs" title={<Trans>Review these effects</Trans>}>
      {missed.map(({ words, without }) => (
        <Text key={`${without} ${words['en-GB']}`} size="sm" title={without}>
          {words[shownLocale()]}
        </Text>
      ))}
    </Alert>
  )
}

/** Allowed and denied actions of each noun, then those without a rule. */
function ActionsByNoun({ actions }: { actions: readonly ActionPreview[] }) {
  const nouns = byNoun(actions)
  const decided = nouns.filter((noun) => noun.decided.length > 0)
  const rest = actions.length - decided.reduce((sum, noun) => sum + noun.decided.length, 0)
  return (
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
            {nouns.flatMap(({ unmatched }) => unmatched.map(({ action }) => actionWords(action))).join(', ')}
          </Text>
        </details>
      )}
    </div>
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

const PreviewPending = () => (
  <Stack gap="sm">
    <Skeleton h={60} />
    <Skeleton h={180} />
  </Stack>
)
