// Writes docs/settings.md from the schema of the settings. A test fails while the file is not current.
import { writeFile } from 'node:fs/promises'
import { SETTING_DEFAULTS, type SettingName } from '../apps/server/src/environment.ts'
import { SECRET_SETTINGS } from '../apps/server/src/secret-files.ts'
import { SETTING_TEXTS } from '../apps/server/src/settings.ts'
import { ROOT } from './run.ts'

/** The operators' settings page. */
export const SETTINGS_FILE = `${ROOT}docs/settings.md`

/** The content of docs/settings.md. */
export function settingsPage(): string {
  const sections = Object.entries(SETTING_TEXTS).map(([topic, settings]) => {
    const items = Object.entries(settings).map(([name, text]) => {
      const secret = (SECRET_SETTINGS as readonly string[]).includes(name) ? ' ¹' : ''
      const byDefault = text.default ?? shownDefault(name as SettingName)
      return wrap(`- \`${name}\`${secret}${byDefault && ` (${byDefault})`}: ${text.meaning}`)
    })
    return `## ${topic}\n\n${items.join('\n')}\n`
  })
  return `# Settings

<!-- Written by \`node scripts/settings.ts\`. Change apps/server/src/settings.ts instead. -->

All settings are environment variables, read once at start. \`bin/custodia\` also reads
\`/etc/custodia/custodia.env\`; a variable of the environment wins. The process lists every fault and ends with 1.
Parentheses contain the default.

¹ A secret: \`<setting>_FILE\` names a file that holds it instead.

${sections.join('\n')}`
}

function shownDefault(name: SettingName): string {
  const value = SETTING_DEFAULTS[name]
  return value === undefined ? '' : `\`${value}\``
}

/** Breaks a list item into lines of at most 118 characters. */
const wrap = (item: string): string => item.replaceAll(/(.{1,116})(?: |$)/gm, '$1\n  ').trimEnd()

if (process.argv[1] === import.meta.filename) await writeFile(SETTINGS_FILE, settingsPage())
