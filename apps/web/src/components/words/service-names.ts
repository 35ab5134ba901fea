import type { DEVICE_SERVICES } from '@custodia/contract'
import type { I18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { SERVICE_WORDS } from './device-words.ts'

/** Names of services for a cell of a list, where all of them would not fit. */
export const serviceNames = (services: readonly (typeof DEVICE_SERVICES)[number][], i18n: I18n): string =>
  services.length === Object.keys(SERVICE_WORDS).length
    ? i18n._(msg`All services`)
    : services.map((service) => i18n._(SERVICE_WORDS[service])).join(', ')
