/** Results of a migrated row by class (spec section 4; Custodia adds results that the specification omits). */
export const MIGRATION_RESULTS = {
  DuplicateDeviceReference: 'error',
  DeviceWithNoMatchingUser: 'error',
  PayloadDataNotAvailable: 'error',
  PayloadWithNoMatchingUser: 'error',
  ConferenceCallWithMismatchingData: 'error',
  /** The malware scanner rejected a file. */
  FileQuarantined: 'error',
  /** A file differs from the manifest. */
  FileDigestMismatch: 'error',
  /** An unreadable value, or a fault in `faults`. */
  Error: 'error',
  UnknownFile: 'error',
  PayloadAlreadyLoaded: 'warning',
  IgnoreOnboardingMigrationDisabled: 'warning',
  IgnoreOffboardingMigrationDisabled: 'warning',
  IgnoreNewPayloadMigrationDisabled: 'warning',
  /** A legal hold prevents the change. */
  IgnoreLegalHold: 'warning',
  GroupAdded: 'success',
  GroupUnchanged: 'success',
  UserCreatedOnboarded: 'success',
  UserCreatedOffboarded: 'success',
  UserUpdated: 'success',
  UserOffboarded: 'success',
  UserUnchanged: 'success',
  DeviceCreatedActivated: 'success',
  DeviceCreatedDeactivated: 'success',
  DeviceUpdated: 'success',
  DeviceUnchanged: 'success',
  /** Imported with data, or metadata only by type. */
  PayloadCreated: 'success',
  /** The manifest announces data for later. */
  RecordedPayloadCreated: 'success',
  /** A later run imported the data. */
  PayloadUpdated: 'success',
} as const satisfies Record<string, 'error' | 'warning' | 'success'>
export type MigrationResultType = keyof typeof MIGRATION_RESULTS
export const MIGRATION_RESULT_CLASSES = ['error', 'warning', 'success'] as const
export type MigrationResultClass = (typeof MIGRATION_RESULT_CLASSES)[number]
export const MIGRATION_RESULT_TYPES = Object.keys(MIGRATION_RESULTS) as [
  MigrationResultType,
  ...MigrationResultType[],
]
