import { ListPage } from '../../components/lists/list-page.tsx'
import { askForRows } from '../../components/lists/rows-query.ts'
import { payloadList } from './export-data-button.tsx'
import type { ScreenService } from './services.ts'

/** List page of a service, and the query that its route sends while the page loads. */
function pageOf(service: ScreenService) {
  const list = payloadList(service)
  return {
    Page: () => <ListPage list={list} />,
    readAhead: (search: object): Promise<void> => askForRows(list, search),
  }
}

/** `/dashboard/services/{service}`: recordings of one service. */
export const SERVICE_LISTS = {
  calls: pageOf('calls'),
  messages: pageOf('messages'),
  interviews: pageOf('interviews'),
  photos: pageOf('photos'),
  videos: pageOf('videos'),
  diagnostics: pageOf('diagnostics'),
}
