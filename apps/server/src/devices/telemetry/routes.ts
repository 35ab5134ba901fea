import type { AppContext } from '../../app-context.ts'
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

/** Telemetry routes of the client and, for device facts, of the provider. */
export const telemetryRoutes = (ctx: AppContext): Handlers<Rows> => ({
  listTelemetry: listTelemetry(ctx),
  listTelemetryOfDevice: listTelemetryOfDevice(ctx),
  readTelemetrySeries,
  readTelemetry: readTelemetry(ctx),
  listTelemetryOfClients: listTelemetryOfClients(ctx),
  listTelemetryOfClient: listTelemetryOfClient(ctx),
  uploadTelemetry: uploadTelemetry(ctx),
})
