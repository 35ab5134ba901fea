import type { House } from '../../house.ts'
import type { Handlers } from '../../http/context.ts'
import { listTelemetry, listTelemetryOfDevice } from './list.ts'
import { listTelemetryOfClient, listTelemetryOfClients } from './provider-list.ts'
import { readTelemetry, readTelemetrySeries } from './read.ts'
import { uploadTelemetry } from './upload.ts'

type Rows =
  | 'listTelemetry'
  | 'listTelemetryOfDevice'
  | 'readTelemetrySeries'
  | 'readTelemetry'
  | 'listTelemetryOfClients'
  | 'listTelemetryOfClient'
  | 'uploadTelemetry'

/** What phones report of themselves, to their client and, as far as it concerns devices alone, to the provider. */
export const telemetryRoutes = (house: House): Handlers<Rows> => ({
  listTelemetry: listTelemetry(house),
  listTelemetryOfDevice: listTelemetryOfDevice(house),
  readTelemetrySeries,
  readTelemetry: readTelemetry(house),
  listTelemetryOfClients: listTelemetryOfClients(house),
  listTelemetryOfClient: listTelemetryOfClient(house),
  uploadTelemetry: uploadTelemetry(house),
})
