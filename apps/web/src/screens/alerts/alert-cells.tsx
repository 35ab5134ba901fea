import {
  alertAdvice,
  type Alert,
  ALERT_TEXTS,
  alertPhrases,
  type AlertText,
  type AlertSeverity,
  type AlertState,
  type Incident,
  fill,
  getIncidentKind,
  phrase,
  type RelatedEntity,
} from '@custodia/contract'
import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Text } from '@mantine/core'
import { getKey } from '../../api/call-keys.ts'
import { queryClient } from '../../api/query-client.ts'
import { HIGHEST_FIRST, SEVERITY_STYLES } from '../../components/alerts/severity.ts'
import { Marked } from '../../components/cells.tsx'
import {
  ALERT_SCOPE_WORDS,
  ALERT_SEVERITY_WORDS,
  ALERT_STATE_WORDS,
  ALERT_TYPE_WORDS,
} from '../../components/words/alert-words.ts'
import { SpecWord, wordFilter } from '../../components/words/spec-word.tsx'
import { shownLocale } from '../../i18n/i18n.ts'
import { visible } from '../../ui/visible.ts'

interface CellProps {
  row: Alert
}

/** A severity as icon, word and colour. */
export function Severity({ severity }: { severity: AlertSeverity }) {
  const { i18n } = useLingui()
  return (
    <Marked {...SEVERITY_STYLES[severity]} title={severity}>
      {i18n._(ALERT_SEVERITY_WORDS[severity])}
    </Marked>
  )
}

const STATE_STYLES = {
  Triggered: { icon: 'bell', tone: 'plain' },
  Cleared: { icon: 'check', tone: 'calm' },
} as const

/** A state as icon, word and colour. */
export function AlertStateMark({ state }: { state: AlertState }) {
  const { i18n } = useLingui()
  return (
    <Marked {...STATE_STYLES[state]} title={state}>
      {i18n._(ALERT_STATE_WORDS[state])}
    </Marked>
  )
}

export const SeverityCell = ({ row }: CellProps) => (
  <Severity severity={row.incident?.alert_severity ?? row.alert_severity} />
)
/** The usual state is quiet: narrow rows have no room for it. */
export const StateCell = ({ row: { alert_state } }: CellProps) =>
  alert_state === 'Triggered' ? (
    <span data-wide-only>
      <AlertStateMark state={alert_state} />
    </span>
  ) : (
    <AlertStateMark state={alert_state} />
  )
export const ScopeCell = ({ row }: CellProps) => (
  <SpecWord value={row.alert_scope} words={ALERT_SCOPE_WORDS} />
)
export const TypeCell = ({ row }: CellProps) => <SpecWord value={row.alert_type} words={ALERT_TYPE_WORDS} />
export function DismissedCell({ row }: CellProps) {
  const { t } = useLingui()
  return row.is_dismissed ? <Marked icon="x" tone="calm">{t`Dismissed`}</Marked> : null
}

type TextsOfAlert = Pick<Alert, 'alert_subject' | 'alert_message' | 'alert_text' | 'related_entities'>

/**
 * Translated subject and message of an alert; the stored texts where no translation exists. Both name devices and
 * people that the reader may see; the subject begins with the device, else the person.
 */
export function alertTexts({ alert_subject, alert_message, alert_text, related_entities }: TextsOfAlert): {
  subject: string
  message: string
} {
  const { subject, message } = (alert_text && getPhrases(alert_text, related_entities)) ?? {
    subject: alert_subject,
    message: alert_message,
  }
  const named = related_entities.filter(({ entity_name }) => entity_name !== undefined)
  const about = named.find(({ entity_type }) => entity_type === 'Device') ?? named[0]
  return { subject: about ? `${visible(about.entity_name ?? '')}: ${subject}` : subject, message }
}

/** What to do about an alert, in a sentence; nothing for texts without a code. */
export function Advice({ alert: { alert_text } }: { alert: Alert }) {
  const { t } = useLingui()
  const advice = alert_text && alertAdvice(alert_text.code, shownLocale())
  if (!advice) return null
  return (
    <section aria-label={t`What to do`}>
      <Text component="h3" size="xs" fw={650} c="dimmed" mb={4}>
        {t`What to do`}
      </Text>
      <Text>{advice}</Text>
    </section>
  )
}

/** Whether a row of a folded list stands for several alerts. */
export const isIncident = (row: Alert): row is Alert & { incident: Incident } =>
  row.incident !== undefined && row.incident.alert_count > 1

/** Subject of an incident, without the device or person of its newest alert. */
export const incidentSubject = ({ alert_subject, alert_text, related_entities }: Alert): string =>
  (alert_text && getPhrases(alert_text, related_entities)?.subject) ?? alert_subject

/** Subject and message of a row: of its alert, or of its incident. */
export function rowTexts(row: Alert): { subject: string; message: string } {
  const { subject, message } = alertTexts(row)
  if (!isIncident(row)) return { subject, message }
  return {
    subject: `${i18n.number(row.incident.alert_count)} × ${incidentSubject(row)}`,
    message: i18n._(msg`Latest: ${message}`),
  }
}

/** Kinds of incidents by their subject, also those that a loaded list shows. */
export function useIncidentKinds(): { value: string; label: string }[] {
  const { i18n: present } = useLingui()
  const kinds = new Map<string, string>()
  for (const [code, { subject }] of Object.entries(ALERT_TEXTS))
    if (!SEVERAL_KINDS.includes(code)) kinds.set(getIncidentKind(code), subject[shownLocale()])
  for (const row of loadedAlerts())
    if (row.incident) kinds.set(row.incident.incident_kind, incidentSubject(row))
  return [...kinds]
    .map(([value, label]) => ({ value, label }))
    .toSorted((a, b) => a.label.localeCompare(b.label, present.locale))
}

/** Codes whose texts differ too much for one kind. */
const SEVERAL_KINDS: readonly string[] = ['notification', 'device_reports']

/** Rows of cached lists of alerts. */
export const loadedAlerts = (): Alert[] =>
  queryClient
    .getQueriesData<{ pages?: { data: Alert[] }[] }>({ queryKey: getKey('listAlerts') })
    .flatMap(([, data]) => data?.pages ?? [])
    .flatMap((page) => page.data)

/** Translated message of an occurrence. */
export const occurrenceText = (
  { message, text }: Alert['occurrences'][number],
  entities: readonly RelatedEntity[],
): string => (text && getPhrases(text, entities)?.message) ?? message

/** Values of texts that are references of devices, people or recordings. */
const REFERENCE_VALUES: readonly string[] = [
  'confirmed_by',
  'device_reference',
  'device_user_reference',
  'other',
  'payload_reference',
  'user',
  'user_reference',
  'whose',
]

/** A related recording in a sentence: its person. */
const RECORDING_OF = phrase('the recording of {name}', 'a gravação de {name}')

/** Phrases of an alert with names in place of references. */
function getPhrases({ code, values }: AlertText, entities: readonly RelatedEntity[]) {
  const names = new Map(
    entities.map(({ entity_id, entity_type, entity_name: name }) => [
      entity_id,
      entity_type === 'Payload' && name !== undefined ? fill(RECORDING_OF[shownLocale()], { name }) : name,
    ]),
  )
  // "Google Pixel 8a of Nadia Volk": the name of a device begins with its person, and the text names the person itself.
  const person = `${names.get(values['device_user_reference'] ?? '')} · `
  const getName = (reference: string) => {
    const name = names.get(reference)
    return name?.startsWith(person) ? name.slice(person.length) : name
  }
  const shown = Object.entries(values).map(([key, value]) => [
    key,
    REFERENCE_VALUES.includes(key) ? (getName(value) ?? value) : value,
  ])
  return alertPhrases({ code, values: Object.fromEntries(shown) }, shownLocale())
}

/** Filters of alerts, for one client and for all. */
export const alertFilter = {
  severities: wordFilter('severities', msg`Severity`, ALERT_SEVERITY_WORDS, { values: HIGHEST_FIRST }),
  states: wordFilter('states', msg`State`, ALERT_STATE_WORDS),
  scopes: wordFilter('scopes', msg`Scope`, ALERT_SCOPE_WORDS),
  alert_types: wordFilter('alert_types', msg`Type`, ALERT_TYPE_WORDS),
}

export const ALERT_DATES = [
  { value: 'last_occurrence', label: msg`Last occurrence` },
  { value: 'first_occurrence', label: msg`First occurrence` },
] as const
