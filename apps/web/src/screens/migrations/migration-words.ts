import type {
  MigrationFile,
  MigrationResult,
  MigrationResultClass,
  MigrationResultType,
  MigrationState,
} from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import type { Words } from '../../components/words/spec-word.tsx'

/** Outcomes of a run. */
export const MIGRATION_STATE_WORDS: Words<MigrationState> = {
  Pending: msg({ context: 'migration', message: 'Under way' }),
  Quarantined: msg({ context: 'migration', message: 'Quarantined' }),
  Migrated: msg({ context: 'migration', message: 'Migrated' }),
  PartialFail: msg({ context: 'migration', message: 'Partly failed' }),
  Failed: msg({ context: 'migration', message: 'Failed' }),
}

/** Types of rows. */
export const MIGRATION_KIND_WORDS: Words<MigrationResult['kind']> = {
  Group: msg({ context: 'migrated', message: 'Group' }),
  DeviceUser: msg({ context: 'migrated', message: 'Device user' }),
  Device: msg({ context: 'migrated', message: 'Device' }),
  Payload: msg({ context: 'migrated', message: 'Recording' }),
  File: msg({ context: 'migrated', message: 'File' }),
}

/** Types of files in the drop folder, by name. */
export const FILE_KIND_WORDS: Words<MigrationFile['kind']> = {
  Group: msg({ context: 'file of a migration', message: 'Groups' }),
  DeviceUser: msg({ context: 'file of a migration', message: 'Device users' }),
  Device: msg({ context: 'file of a migration', message: 'Devices' }),
  Payload: msg({ context: 'file of a migration', message: 'Recordings, row by row' }),
  media: msg({ context: 'file of a migration', message: 'Recording or attachment' }),
  manifest: msg({ context: 'file of a migration', message: 'File hashes' }),
  unknown: msg({ context: 'file of a migration', message: 'Not used' }),
}

export const RESULT_CLASS_WORDS: Words<MigrationResultClass> = {
  error: msg({ context: 'result of migration', message: 'Error' }),
  warning: msg({ context: 'result of migration', message: 'Warning' }),
  success: msg({ context: 'result of migration', message: 'Success' }),
}

/** Results of a row or file. */
export const RESULT_WORDS: Words<MigrationResultType> = {
  DuplicateDeviceReference: msg`The files contain the device twice`,
  DeviceWithNoMatchingUser: msg`The device’s user is unknown`,
  PayloadDataNotAvailable: msg`Recording data missing`,
  PayloadWithNoMatchingUser: msg`The recording’s user is unknown`,
  ConferenceCallWithMismatchingData: msg`The party lists of the call do not match`,
  FileQuarantined: msg`The scanner found malware in the file`,
  FileDigestMismatch: msg`The file does not match the manifest`,
  Error: msg`The row cannot be read`,
  UnknownFile: msg`File type not used`,
  PayloadAlreadyLoaded: msg`Recording already imported`,
  IgnoreOnboardingMigrationDisabled: msg`Skipped by settings: onboarding`,
  IgnoreOffboardingMigrationDisabled: msg`Skipped by settings: offboarding`,
  IgnoreNewPayloadMigrationDisabled: msg`Skipped by settings: new recording`,
  IgnoreLegalHold: msg`Skipped: legal hold`,
  GroupAdded: msg`Group added`,
  GroupUnchanged: msg`Group known already`,
  UserCreatedOnboarded: msg`Device user added`,
  UserCreatedOffboarded: msg`Device user added, offboarded`,
  UserUpdated: msg`Device user changed`,
  UserOffboarded: msg`Device user offboarded`,
  UserUnchanged: msg`Device user unchanged`,
  DeviceCreatedActivated: msg`Device added, active`,
  DeviceCreatedDeactivated: msg`Device added, not active`,
  DeviceUpdated: msg`Device changed`,
  DeviceUnchanged: msg`Device unchanged`,
  PayloadCreated: msg`Recording imported`,
  RecordedPayloadCreated: msg`Recording imported, data follows`,
  PayloadUpdated: msg`Recording data arrived later`,
}
