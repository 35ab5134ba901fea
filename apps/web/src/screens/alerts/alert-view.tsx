import type { Alert, PayloadType, RelatedEntity, RelatedType } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Anchor, Group, Text } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Marked } from '../../components/cells.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { ALERT_SCOPE_WORDS, ALERT_TYPE_WORDS } from '../../components/words/alert-words.ts'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import { SpecWord } from '../../components/words/spec-word.tsx'
import { Reference } from '../../ui/reference.tsx'
import { Time } from '../../ui/time.tsx'
import { authorName, visible } from '../../ui/visible.ts'
import { portalPath } from './alert-addresses.ts'
import { Advice, AlertStateMark, alertTexts, occurrenceText, Severity } from './alert-cells.tsx'
import classes from './alerts.module.css'

const ENTITY_WORDS = {
  DataRequest: msg`Data subject request`,
  Destruction: msg`Items due for destruction`,
  Device: msg`Device`,
  DeviceUser: msg`Device user`,
  Migration: msg`Migration`,
  Payload: msg`Recording`,
  PortalUser: msg`Portal user`,
  Proposal: msg`Proposal that waits`,
  Retention: msg`Retention`,
  SupportAccessRequest: msg`Support access request`,
  Transfer: msg`Transfer`,
} as const satisfies Record<RelatedType, unknown>

const NUMBERED: readonly RelatedType[] = [
  'DataRequest',
  'Destruction',
  'Payload',
  'Proposal',
  'Retention',
  'SupportAccessRequest',
]

/** Subject of an alert, with a link to its page. */
export function RelatedLink({ entity }: { entity: RelatedEntity }) {
  const { i18n } = useLingui()
  const router = useRouter()
  const { entity_id, entity_type, entity_subtype, entity_name, page_link } = entity
  const subtype =
    entity_type === 'Payload' && entity_subtype !== undefined && entity_subtype in PAYLOAD_TYPE_WORDS
      ? i18n._(PAYLOAD_TYPE_WORDS[entity_subtype as PayloadType])
      : entity_subtype
  const kind = [i18n._(ENTITY_WORDS[entity_type]), subtype].filter(Boolean).join(' · ')
  const path = portalPath(page_link)
  if (path === undefined)
    return (
      <>
        {kind}: {entity_id}
      </>
    )
  // A bare number follows the link's label.
  const isNumbered = NUMBERED.includes(entity_type)
  return (
    <>
      {!isNumbered && `${kind}: `}
      <Anchor
        underline="always"
        href={path}
        title={entity_id}
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return
          event.preventDefault()
          void router.navigate({ href: path })
        }}
      >
        {isNumbered
          ? [kind, visible(entity_name ?? '')].filter(Boolean).join(': ')
          : visible(entity_name ?? entity_id)}
      </Anchor>
      {entity_name !== undefined && (
        <>
          {' '}
          <Reference value={entity_id} length={20} />
        </>
      )}
    </>
  )
}

/** An alert: message, actions and facts; occurrences once it was read as a `whole`. */
export function AlertView(props: {
  alert: Alert
  whole: Alert | undefined
  /** Client, in the list of all clients. */
  client?: string
  buttons: ReactNode
}) {
  const { t } = useLingui()
  const { alert, whole } = props
  const result = alertTexts(alert)
  return (
    <>
      <Group>
        <Severity severity={alert.alert_severity} />
        <AlertStateMark state={alert.alert_state} />
        {alert.is_dismissed && <Marked icon="x" tone="calm">{t`Dismissed by you`}</Marked>}
      </Group>
      <div>
        <Text component="h3" fw={650} size="lg" lh={1.35}>
          {result.subject}
        </Text>
        <Text style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-line' }}>{result.message}</Text>
      </div>
      <Advice alert={alert} />
      <Group gap="xs">{props.buttons}</Group>
      <AlertFacts alert={alert} client={props.client} />
      <RelatedEntities entities={alert.related_entities} />
      {whole !== undefined && (
        <>
          {whole.dismissed_by !== '' && (
            <Facts title={t`Dismissed`}>
              <Fact label={t`By`}>{authorName(whole, 'dismissed_by').replaceAll(/, ?/g, ', ')}</Fact>
            </Facts>
          )}
          <Occurrences
            occurrences={whole.occurrences}
            count={whole.occurrence_count}
            entities={whole.related_entities}
          />
        </>
      )}
    </>
  )
}

function AlertFacts({ alert, client }: { alert: Alert; client: string | undefined }) {
  const { t, i18n } = useLingui()
  return (
    <>
      <Facts title={t`What`}>
        <Fact label={t`Client`}>{client}</Fact>
        <Fact label={t`Type`}>
          <SpecWord value={alert.alert_type} words={ALERT_TYPE_WORDS} />
        </Fact>
        <Fact label={t`Scope`}>
          <SpecWord value={alert.alert_scope} words={ALERT_SCOPE_WORDS} />
        </Fact>
        <Fact label={t`Occurrences`}>{i18n.number(alert.occurrence_count)}</Fact>
        <Fact label={t`First`}>
          <Time at={alert.first_occurrence} style="second" />
        </Fact>
        <Fact label={t`Last`}>
          <Time at={alert.last_occurrence} style="second" />
        </Fact>
        <Fact label={t`Shown until`}>
          {alert.expires_after === null ? null : <Time at={alert.expires_after} style="second" />}
        </Fact>
        <Fact label={t`Action`}>{alert.api_action}</Fact>
        <Fact label={t`Key`}>{alert.alert_key}</Fact>
        <Fact label={t`Reference`}>
          <Reference value={alert.alert_reference} length={22} />
        </Fact>
      </Facts>
      {alert.cleared_at !== null && (
        <Facts title={t`Cleared`}>
          <Fact label={t`By`}>{authorName(alert, 'cleared_by')}</Fact>
          <Fact label={t`At`}>
            <Time at={alert.cleared_at} style="second" />
          </Fact>
          <Fact label={t`Reason`}>{alert.cleared_reason}</Fact>
        </Facts>
      )}
    </>
  )
}

function RelatedEntities({ entities }: { entities: readonly RelatedEntity[] }) {
  const { t } = useLingui()
  if (entities.length === 0) return null
  return (
    <section aria-label={t`Related to`}>
      <Text component="h3" size="xs" fw={650} c="dimmed" mb={4}>
        <Trans>Related to</Trans>
      </Text>
      <ul className={classes.related}>
        {entities.map((entity) => (
          <li key={`${entity.entity_type} ${entity.entity_id}`}>
            <RelatedLink entity={entity} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Occurrences(props: {
  occurrences: Alert['occurrences']
  count: number
  entities: readonly RelatedEntity[]
}) {
  const { t } = useLingui()
  const kept = props.occurrences.length
  if (kept === 0) return null
  return (
    <section>
      <Text component="h3" size="xs" fw={650} c="dimmed" mb={4}>
        {kept < props.count ? t`The last ${kept} of ${props.count} occurrences` : t`Occurrences`}
      </Text>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling region must be reachable by keyboard */}
      <ul className={classes.occurrences} tabIndex={0} aria-label={t`Occurrences`}>
        {props.occurrences
          .toSorted((a, b) => b.time - a.time)
          .map((occurrence, index) => (
            // Equal occurrences may share a second.
            <li key={`${occurrence.time} ${index}`}>
              <Text size="xs" c="dimmed">
                <Time at={occurrence.time} style="second" />
              </Text>
              {occurrenceText(occurrence, props.entities)}
              <Text size="xs" c="dimmed">
                <OccurrenceAlert occurrence={occurrence} entities={props.entities} />
              </Text>
            </li>
          ))}
      </ul>
    </section>
  )
}

function OccurrenceAlert(props: {
  occurrence: Alert['occurrences'][number]
  entities: readonly RelatedEntity[]
}) {
  const reference = props.occurrence.text?.values.payload_reference
  if (reference === undefined) return null
  const entity = props.entities.find(({ entity_id }) => entity_id === reference)
  return <RelatedLink entity={entity ?? { entity_id: reference, entity_type: 'Payload' }} />
}
