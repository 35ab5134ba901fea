import { api } from '../../api/api.ts'
import { recordQuery } from '../../ui/form/record-query.ts'

/** A client app, for its drawer and its preview. */
export const appQuery = recordQuery('readClientApp', (app_reference, options) =>
  api.readClientApp({ params: { app_reference }, query: {} }, options),
)
