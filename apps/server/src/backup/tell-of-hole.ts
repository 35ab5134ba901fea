import { tellProvider } from '../alerts/tell-provider.ts'
import type { House } from '../house.ts'

/** Raises an alert for the provider's staff: a restore cannot get from the latest backup to the present. */
export const tellOfHole = (house: Pick<House, 'db' | 'log' | 'now'>): Promise<void> =>
  tellProvider(house, { alert_key: 'log hole', text: 'log_has_hole', alert_severity: 'High' })
