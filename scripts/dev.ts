// `npm run dev`: the server restarts and the portal reloads when a file changes. Vite serves the portal and proxies
// the rest.
import { spawn } from 'node:child_process'
import { ROOT } from './run.ts'

/** Vite's address of the portal; the identity provider returns there. */
const PORTAL = 'http://127.0.0.1:5173'

const server = spawn(process.execPath, ['--watch', 'scripts/start.ts'], {
  cwd: ROOT,
  stdio: 'inherit',
  env: { ...process.env, PUBLIC_URL: PORTAL },
})
const portal = spawn('npm', ['run', '-s', '-w', '@custodia/web', 'dev'], { cwd: ROOT, stdio: 'inherit' })
const end = () => {
  server.kill('SIGTERM')
  portal.kill('SIGTERM')
}
process.on('SIGINT', end).on('SIGTERM', end)
