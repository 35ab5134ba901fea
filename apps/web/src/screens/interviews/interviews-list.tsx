import { ListPage } from '../../components/lists/list-page.tsx'
import { askForRows } from '../../components/lists/rows-query.ts'
import { payloadList } from '../payloads/export-data-button.tsx'

const interviews = payloadList('interviews')

export const readAhead = (search: object): Promise<void> => askForRows(interviews, search)

/** `/dashboard/services/interviews`: conversations in a room. */
export const InterviewsList = () => <ListPage list={interviews} />
