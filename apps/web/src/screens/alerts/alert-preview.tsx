import { type Alert, alertEndpoints, type Incident } from '@custodia/contract'
import { alertObstacle } from '@custodia/domain/can'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api } from '../../api/api.ts'
import { callQuery, getKey } from '../../api/call-keys.ts'
import { Fact, Facts } from '../../components/facts.tsx'
import { wireFilters } from '../../components/lists/call-search.ts'
import { canonical, type ListSearch } from '../../components/lists/list-search.ts'
import { type PreviewProps, RecordPreview } from '../../components/record-preview.tsx'
import { ALERT_SCOPE_WORDS, ALERT_TYPE_WORDS } from '../../components/words/alert-words.ts'
import { SpecWord } from '../../components/words/spec-word.tsx'
import { LinkAnchor, LinkButton } from '../../ui/links.tsx'
import { formatTime } from '../../ui/time-format.ts'
import { Time } from '../../ui/time.tsx'
import AlertButtons from './alert-actions.tsx'
import { incidentSearch } from './alert-addresses.ts'
import { Advice, AlertStateMark, alertTexts, incidentSubject, isIncident, Severity } from './alert-cells.tsx'
import { AlertView, RelatedLink } from './alert-view.tsx'
import classes from './alerts.module.css'

const alertQuery = (alert_reference: string) => callQuery(api, 'readAlert', { params: { alert_reference } })

/** Preview of an alert: at once from the row, with occurrences after the read. */
export default function AlertPreview({ rowKey, row }: PreviewProps<Alert>) {
  const { t } = useLingui()
  if (row !== undefined && isIncident(row))
    return <IncidentView row={row} buttons={<AlertButtons keys={[rowKey]} onDone={() => undefined} />} />
  return (
    <RecordPreview row={row} query={alertQuery(rowKey)} action="alerts:read">
      {(alert, whole) => (
        <AlertView
          alert={alert}
          whole={whole}
          buttons={
            <AlertButtons
              keys={[rowKey]}
              onDone={() => undefined}
              clearReason={alertObstacle(alert) && t`Already cleared.`}
              dismissReason={alert.is_dismissed ? t`Already dismissed.` : undefined}
            />
          }
        />
      )}
    </RecordPreview>
  )
}

/** Alerts that the preview lists. */
const LISTED = 20

/** Preview of an incident: what happened, actions on all its alerts, and the devices and people. */
function IncidentView({ row, buttons }: { row: Alert & { incident: Incident }; buttons: ReactNode }) {
  const { t, i18n } = useLingui()
  const { incident } = row
  const count = incident.alert_count
  const since = formatTime(incident.triggered_at, i18n.locale)
  const search = incidentSearch(useSearch({ strict: false }), row)
  return (
    <Stack>
      <Group>
        <Severity severity={incident.alert_severity} />
        <AlertStateMark state={row.alert_state} />
      </Group>
      <div>
        <Text component="h3" fw={650} size="lg" lh={1.35}>
          {incidentSubject(row)}
        </Text>
        <Text>
          {t`${plural(count, { one: `# alert since ${since}`, other: `# alerts since ${since}` })}`}
        </Text>
      </div>
      <Advice alert={row} />
      <Group gap="xs">
        {buttons}
        <LinkButton size="xs" variant="default" to="/dashboard/account/alerts" search={search as never}>
          <Trans>Show each alert</Trans>
        </LinkButton>
      </Group>
      <Facts title={t`What`}>
        <Fact label={t`Type`}>
          <SpecWord value={row.alert_type} words={ALERT_TYPE_WORDS} />
        </Fact>
        <Fact label={t`Scope`}>
          <SpecWord value={row.alert_scope} words={ALERT_SCOPE_WORDS} />
        </Fact>
        <Fact label={t`Occurrences`}>{i18n.number(incident.occurrence_count)}</Fact>
        <Fact label={t`First`}>
          <Time at={incident.triggered_at} style="second" />
        </Fact>
        <Fact label={t`Last`}>
          <Time at={row.last_occurrence} style="second" />
        </Fact>
      </Facts>
      <AffectedAlerts incident={incident} search={search} />
    </Stack>
  )
}

/** Devices and people of an incident. Last in the preview: nothing below it moves when it arrives. */
function AffectedAlerts({ incident, search }: { incident: Incident; search: ListSearch }) {
  const { t, i18n } = useLingui()
  const { data } = useQuery({
    queryKey: getKey('listAlerts', 'of incident', canonical(search)),
    queryFn: ({ signal }) => {
      const filters = wireFilters(alertEndpoints.listAlerts.query, search, Date.now())
      return api.listAlerts({ query: { ...filters, limit: LISTED } }, { signal })
    },
  })
  if (data === undefined) return null
  const rest = i18n.number(incident.alert_count - LISTED)
  return (
    <section aria-label={t`Affected`}>
      <Text component="h3" size="xs" fw={650} c="dimmed" mb={4}>
        <Trans>Affected</Trans>
      </Text>
      <ul className={classes.occurrences}>
        {data.data.map((alert) => (
          <li key={alert.alert_reference}>
            <AffectedEntity alert={alert} />
            <Text size="xs" c="dimmed">
              <Time at={alert.last_occurrence} />
            </Text>
          </li>
        ))}
      </ul>
      {data.last_key !== undefined && (
        <LinkAnchor underline="always" to="/dashboard/account/alerts" search={search as never}>
          <Trans>{rest} more</Trans>
        </LinkAnchor>
      )}
    </section>
  )
}

/** The device or person of an alert with a link; its message where it has none. */
function AffectedEntity({ alert }: { alert: Alert }) {
  const { related_entities } = alert
  const about =
    related_entities.find(({ entity_type }) => entity_type === 'Device') ??
    related_entities.find(({ entity_name }) => entity_name !== undefined) ??
    related_entities[0]
  return about ? <RelatedLink entity={about} /> : alertTexts(alert).message
}
