import type { LogLevel } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import type { Words } from './spec-word.tsx'

/** Levels of device logs. */
export const LOG_LEVEL_WORDS: Words<LogLevel> = {
  DEBUG: msg({ context: 'log level', message: 'Detail' }),
  INFO: msg({ context: 'log level', message: 'Information' }),
  WARN: msg({ context: 'log level', message: 'Warning' }),
  ERROR: msg({ context: 'log level', message: 'Error' }),
}
