/** What becomes of a row of a legacy platform, by class (spec section 4; the list is ours where the specification does not show it). */
export const MIGRATION_RESULTS = {
  DuplicateDeviceReference: 'error',
  DeviceWithNoMatchingUser: 'error',
  PayloadDataNotAvailable: 'error',
  PayloadWithNoMatchingUser: 'error',
  ConferenceCallWithMismatchingData: 'error',
  /** A scanner found something in a file. */
  FileQuarantined: 'error',
  /** A file is not what the manifest says. */
  FileDigestMismatch: 'error',
  /** A value that cannot be read, or something that its `faults` tell. */
  Error: 'error',
  UnknownFile: 'error',
  PayloadAlreadyLoaded: 'warning',
  IgnoreOnboardingMigrationDisabled: 'warning',
  IgnoreOffboardingMigrationDisabled: 'warning',
  IgnoreNewPayloadMigrationDisabled: 'warning',
  /** A legal hold keeps what is known as it is. */
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
  /** With its data, or of a kind that has none. */
  PayloadCreated: 'success',
  /** Its data is said to follow. */
  RecordedPayloadCreated: 'success',
  /** Its data followed. */
  PayloadUpdated: 'success',
} as const satisfies Record<string, 'error' | 'warning' | 'success'>
export type MigrationResultType = keyof typeof MIGRATION_RESULTS
export const MIGRATION_RESULT_CLASSES = ['error', 'warning', 'success'] as const
export type MigrationResultClass = (typeof MIGRATION_RESULT_CLASSES)[number]
export const MIGRATION_RESULT_TYPES = Object.keys(MIGRATION_RESULTS) as [
  MigrationResultType,
  ...MigrationResultType[],
]
