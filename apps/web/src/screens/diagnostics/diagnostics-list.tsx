import { ListPage } from '../../components/lists/list-page.tsx'
import { askForRows } from '../../components/lists/rows-query.ts'
import { payloadList } from '../../components/payloads/payload-list.ts'

const diagnostics = payloadList('diagnostics')

/** Asks for the first rows before the page is drawn. */
export const readAhead = (search: object): Promise<void> => askForRows(diagnostics, search)

/** `/dashboard/services/diagnostics`, what apps found out about themselves. */
export const DiagnosticsList = () => <ListPage list={diagnostics} />
