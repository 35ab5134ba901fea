export { type Cells, columnName } from './cells.ts'
export { csvLines, LINE_LIMIT, textLines, UnreadableFile } from './files.ts'
export type { DeviceRow, KnownDevice, KnownUser, UserRow } from './fleet-rows.ts'
export {
  isMigrationPath,
  MANIFEST,
  MEDIA_FOLDER,
  migrationFile,
  PATH_LENGTH,
  type MigrationKind,
} from './files.ts'
export type { PayloadRow } from './payload-rows.ts'
export {
  type KnownPayload,
  MigrationPlan,
  type MigrationSwitches,
  type KnownArchive,
  type PlannedRow,
} from './plan.ts'
