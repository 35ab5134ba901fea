import type { EntityType, PayloadType, RETENTION_BASES } from '@custodia/contract'
import type { I18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import type { Words } from '../../components/words/spec-word.tsx'

/** Other records with a retention period. */
const ENTITY_WORDS: Words<Exclude<EntityType, 'Payload'>> = {
  Device: msg({ context: 'retention', message: 'Devices with logs, positions and reports' }),
  DeviceUser: msg({ context: 'retention', message: 'Device users' }),
  PortalUser: msg({ context: 'retention', message: 'Portal users with activity and sessions' }),
  Migration: msg({ context: 'retention', message: 'Migrations' }),
  SupportAccessRequest: msg({ context: 'retention', message: 'Support access requests' }),
  Transfer: msg({ context: 'retention', message: 'Transfers' }),
}

/** Start of the period for other records, where it needs an explanation. */
export const SINCE_WORDS: Partial<Words<EntityType>> = {
  Device: msg({
    context: 'retention',
    message: 'Counted from deactivation; devices in use are never deleted',
  }),
  DeviceUser: msg({
    context: 'retention',
    message: 'Counted from offboarding; recorded people are never deleted',
  }),
  Migration: msg({ context: 'retention', message: 'Counted from sign-off and file erasure' }),
  Transfer: msg({ context: 'retention', message: 'After their recordings are destroyed' }),
}

/** Start of the period. */
export const BASIS_WORDS: Words<(typeof RETENTION_BASES)[number]> = {
  payload_time: msg({ context: 'retention', message: 'Recording' }),
  processed_at: msg({ context: 'retention', message: 'Processing' }),
  transferred_at: msg({ context: 'retention', message: 'Transfer' }),
  receipt_confirmed_at: msg({ context: 'retention', message: 'Receipt' }),
}

/** Record type of a policy line, in the current language. */
export const subjectWord = (
  i18n: I18n,
  { entity_type, payload_type }: { entity_type: EntityType; payload_type?: PayloadType | undefined },
): string =>
  i18n._(entity_type === 'Payload' ? PAYLOAD_TYPE_WORDS[payload_type ?? 'Call'] : ENTITY_WORDS[entity_type])

/** Record type of a changed entry, as the API names it: `Payload Call`, `Minimum Call`, `Device`. */
export function changedWord(i18n: I18n, changed: string): string {
  const [kind = '', type] = changed.split(' ')
  if (kind === 'Minimum') {
    const what = i18n._(PAYLOAD_TYPE_WORDS[type as PayloadType])
    return i18n._(msg({ context: 'retention', message: `Legal minimum: ${what}` }))
  }
  return subjectWord(i18n, { entity_type: kind as EntityType, payload_type: type as PayloadType | undefined })
}
