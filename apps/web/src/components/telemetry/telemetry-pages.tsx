import { ListPage } from '../lists/list-page.tsx'
import { telemetry, telemetryOfClients } from './telemetry-lists.ts'

/** `/dashboard/devices?tab=telemetry`: what all phones within reach report of themselves. */
export const TelemetryTab = () => <ListPage list={telemetry} />

/** `/internal/statistics?tab=telemetry`: the newest report of each phone of all clients. */
export const ProviderTelemetryTab = () => <ListPage list={telemetryOfClients} />
