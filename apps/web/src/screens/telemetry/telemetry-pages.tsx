import { ListPage } from '../../components/lists/list-page.tsx'
import { telemetry, telemetryOfClients } from './telemetry-lists.ts'

/** `/dashboard/devices?tab=telemetry`: telemetry of all visible devices. */
export const TelemetryTab = () => <ListPage list={telemetry} />

/** `/internal/statistics?tab=telemetry`: newest report of each device of all clients. */
export const ProviderTelemetryTab = () => <ListPage list={telemetryOfClients} />
