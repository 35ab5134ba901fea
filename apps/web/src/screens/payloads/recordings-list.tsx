import { ListPage } from '../../components/lists/list-page.tsx'
import { askForRows } from '../../components/lists/rows-query.ts'
import { payloadList } from './export-data-button.tsx'
import type { ScreenService } from './services.ts'

const defined: Partial<Record<ScreenService, ReturnType<typeof payloadList>>> = {}
/** The list of a service, defined once. */
export const listOfService = (service: ScreenService) => (defined[service] ??= payloadList(service))

/** Requests the first rows before the page has loaded. */
export const readAhead = (service: ScreenService, search: object): Promise<void> =>
  askForRows(listOfService(service), search)

/** List of a service's recordings: `/dashboard/services/calls`. */
export const RecordingsList = ({ service }: { service: ScreenService }) => (
  <ListPage list={listOfService(service)} />
)
