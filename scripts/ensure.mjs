// Installs the dependencies when the lockfile or the machine differs from what is installed.
// Runs before every npm script, on whatever Node started npm (20 or newer), so it imports only node: modules.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const stamp = 'node_modules/.install-stamp'
const lock = '.install-lock'
const wanted = createHash('sha256')
  .update(readFileSync('package-lock.json'))
  .update(process.platform + process.arch)
  .digest('hex')
const installed = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted

if (!installed()) {
  takeLock()
  try {
    // Another process may have finished the installation during the wait for the lock.
    if (!installed()) install()
  } finally {
    rmSync(lock, { force: true })
  }
}

function install() {
  console.error('Installing dependencies (once, about a minute) …')
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error']
  const npm = process.env.npm_execpath
  const run = npm
    ? spawnSync(process.execPath, [npm, ...args], { stdio: 'inherit' })
    : spawnSync('npm', args, { stdio: 'inherit', shell: true })
  if (run.status !== 0) {
    rmSync(lock, { force: true })
    process.exit(run.status ?? 1)
  }
  // Written last: an interrupted installation has no stamp and is repeated.
  writeFileSync(stamp, wanted)
}

function takeLock() {
  for (let waited = 0; waited < 600_000; waited += 200) {
    try {
      closeSync(openSync(lock, 'wx'))
      writeFileSync(lock, String(process.pid))
      return
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
      if (!ownerAlive()) rmSync(lock, { force: true })
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
    }
  }
  throw new Error(`${lock} has been held for ten minutes; remove it if no installation is running`)
}

function ownerAlive() {
  const pid = Number(existsSync(lock) ? readFileSync(lock, 'utf8') : 0)
  if (!pid) return true
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
