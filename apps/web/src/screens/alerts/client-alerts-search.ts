import {
  ALERT_DATE_FILTERS,
  ALERT_TYPES,
  AlertSeverity,
  AlertState,
  ClientReference,
  text,
} from '@custodia/contract'
import * as z from 'zod/mini'
import { DateText, flag, freeText, one, several } from '../../components/lists/list-search.ts'

/** `/internal/alerts?severities=High&clients=acme`; with `create` the drawer that notifies clients is open. */
export const ClientAlertsSearch = z.object({
  search: freeText(text(1, 255)),
  date: one(z.enum(ALERT_DATE_FILTERS)),
  from: one(DateText),
  to: one(DateText),
  clients: several(ClientReference),
  severities: several(AlertSeverity),
  states: several(AlertState),
  types: several(z.enum(ALERT_TYPES)),
  dismissed: flag(),
  view: one(text(1, 60)),
  preview: one(text(28, 120)),
  create: flag(),
})
export type ClientAlertsSearch = z.output<typeof ClientAlertsSearch>
