import { ListPage } from '../../components/lists/list-page.tsx'
import { askForRows } from '../../components/lists/rows-query.ts'
import { payloadList } from '../payloads/export-data-button.tsx'

const diagnostics = payloadList('diagnostics')

export const readAhead = (search: object): Promise<void> => askForRows(diagnostics, search)

/** `/dashboard/services/diagnostics`: diagnostics of apps. */
export const DiagnosticsList = () => <ListPage list={diagnostics} />
