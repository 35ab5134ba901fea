// Writes docs/settings.md from the schema of the settings. A test fails while the file is not current.
import { writeFile } from 'node:fs/promises'
import { SETTING_DEFAULTS, type SettingName } from '../apps/server/src/config.ts'
import { SECRET_SETTINGS } from '../apps/server/src/secret-files.ts'
import { SETTING_TEXTS, type SettingText } from '../apps/server/src/settings.ts'
import { ROOT } from './run.ts'

/** The file that operators read. */
export const SETTINGS_FILE = `${ROOT}docs/settings.md`

/** The whole of docs/settings.md. */
export function settingsPage(): string {
  const sections = Object.entries(SETTING_TEXTS).map(([topic, settings]) => {
    const rows = Object.entries(settings).map(([name, text]) => [
      `\`${name}\`${(SECRET_SETTINGS as readonly string[]).includes(name) ? ' ¹' : ''}`,
      text.default ?? shownDefault(name as SettingName),
      text.meaning,
    ])
    return `## ${topic}\n\n${table(['setting', 'default', 'meaning'], rows)}\n`
  })
  return `# Settings

<!-- Written by \`node scripts/settings.ts\`. Change apps/server/src/settings.ts instead. -->

All settings are environment variables, read once at start. \`bin/custodia\` also reads \`/etc/custodia/custodia.env\`;
a variable of the environment wins. Every fault is listed, then the process ends with 1.

¹ A secret: \`<setting>_FILE\` names a file that holds it instead.

${sections.join('\n')}`
}

function shownDefault(name: SettingName): NonNullable<SettingText['default']> {
  const value = SETTING_DEFAULTS[name]
  return value === undefined ? 'none' : `\`${value}\``
}

/** Columns are padded as the formatter does. */
function table(head: readonly string[], rows: readonly string[][]): string {
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}

if (process.argv[1] === import.meta.filename) await writeFile(SETTINGS_FILE, settingsPage())
