import {
  migrationEndpoints,
  reconciliationEndpoints,
  transferConfigEndpoints,
  transferEndpoints,
} from '@custodia/contract'
import { PROPOSALS } from './after-change.ts'
import { portalClient } from './api.ts'

/** The calls of transfers and of their configurations, which load with their pages. */
export const transfersApi = portalClient(
  { ...transferEndpoints, ...transferConfigEndpoints, ...reconciliationEndpoints },
  {
    runTransfer: ['listTransfers', 'readTransfer', 'listTransferItems'],
    createTransferConfig: ['listTransferConfigs', ...PROPOSALS],
    updateTransferConfig: ['listTransferConfigs', 'readTransferConfig', ...PROPOSALS],
    reviewTransferConfig: [],
    deleteTransferConfig: ['listTransferConfigs'],
    runTransferConfig: ['listTransfers', 'listTransferConfigs'],
    testTransferTarget: [],
  },
)

/** The calls of migration from a legacy platform, which load with their pages. */
export const migrationsApi = portalClient(migrationEndpoints, {
  uploadMigrationFile: ['listMigrationFiles'],
  deleteMigrationFile: ['listMigrationFiles'],
  saveMigrationSettings: [],
  createMigration: ['listMigrations'],
  retryMigration: ['listMigrations'],
  signMigration: ['listMigrations', 'readMigration', 'readMigrationSignOff'],
})
