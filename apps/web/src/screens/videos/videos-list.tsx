import { ListPage } from '../../components/lists/list-page.tsx'
import { askForRows } from '../../components/lists/rows-query.ts'
import { payloadList } from '../payloads/export-data-button.tsx'

const videos = payloadList('videos')

export const readAhead = (search: object): Promise<void> => askForRows(videos, search)

/** `/dashboard/services/videos`, as tiles or as a table. */
export const VideosList = () => <ListPage list={videos} />
