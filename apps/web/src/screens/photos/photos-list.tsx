import { ListPage } from '../../components/lists/list-page.tsx'
import { askForRows } from '../../components/lists/rows-query.ts'
import { payloadList } from '../payloads/export-data-button.tsx'

const photos = payloadList('photos')

export const readAhead = (search: object): Promise<void> => askForRows(photos, search)

/** `/dashboard/services/photos`, as tiles or as a table. */
export const PhotosList = () => <ListPage list={photos} />
