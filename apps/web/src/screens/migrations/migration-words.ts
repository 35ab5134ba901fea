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
  media: msg({ context: 'file of a migration', message: 'A recording, or an attachment' }),
  manifest: msg({ context: 'file of a migration', message: 'Digests of the files' }),
  unknown: msg({ context: 'file of a migration', message: 'Nobody reads it' }),
}

/** Severities of results. */
export const RESULT_CLASS_WORDS: Words<MigrationResultClass> = {
  error: msg({ context: 'result of migration', message: 'Error' }),
  warning: msg({ context: 'result of migration', message: 'Warning' }),
  success: msg({ context: 'result of migration', message: 'Success' }),
}

/** Results of a row or file. */
export const RESULT_WORDS: Words<MigrationResultType> = {
  DuplicateDeviceReference: msg`The device stands in the files twice`,
  DeviceWithNoMatchingUser: msg`The device belongs to nobody who is known`,
  PayloadDataNotAvailable: msg`The data of the recording is not there`,
  PayloadWithNoMatchingUser: msg`The recording belongs to nobody who is known`,
  ConferenceCallWithMismatchingData: msg`The lists of the parties of a call do not fit each other`,
  FileQuarantined: msg`The scanner found something in the file`,
  FileDigestMismatch: msg`The file is not the one in the manifest`,
  Error: msg`The row cannot be read`,
  UnknownFile: msg`Nobody reads such a file`,
  PayloadAlreadyLoaded: msg`Recording was imported before`,
  IgnoreOnboardingMigrationDisabled: msg`Passed over: nobody joins, by the settings`,
  IgnoreOffboardingMigrationDisabled: msg`Passed over: nobody leaves, by the settings`,
  IgnoreNewPayloadMigrationDisabled: msg`Passed over: no new recordings, by the settings`,
  IgnoreLegalHold: msg`Passed over: a legal hold keeps what is known`,
  GroupAdded: msg`Group added`,
  GroupUnchanged: msg`Group known already`,
  UserCreatedOnboarded: msg`Device user added`,
  UserCreatedOffboarded: msg`Device user added, who has left`,
  UserUpdated: msg`Device user changed`,
  UserOffboarded: msg`Device user has left`,
  UserUnchanged: msg`Device user as before`,
  DeviceCreatedActivated: msg`Device added, active`,
  DeviceCreatedDeactivated: msg`Device added, not active`,
  DeviceUpdated: msg`Device changed`,
  DeviceUnchanged: msg`Device as before`,
  PayloadCreated: msg`Recording imported`,
  RecordedPayloadCreated: msg`Recording imported, its data follows`,
  PayloadUpdated: msg`Data of the recording followed`,
}
