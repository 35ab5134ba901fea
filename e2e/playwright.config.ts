import { defineConfig } from '@playwright/test'
import { SHORT_LIVED } from './chromium.ts'

export default defineConfig({
  testDir: './journeys',
  // A forgotten `.only` would skip the other tests, and the run would pass.
  forbidOnly: true,
  outputDir: `${process.env.OUTPUT ?? '.'}/results`,
  reporter: [['list'], ['json']],
  // Each worker runs whole files, each file on a demo of its own.
  workers: 3,
  fullyParallel: false,
  retries: 0,
  // Timeouts for hangs on a busy machine.
  timeout: 300_000,
  expect: { timeout: 30_000 },
  use: {
    ...(process.env.BASE_URL ? { baseURL: process.env.BASE_URL } : {}),
    actionTimeout: 30_000,
    navigationTimeout: 60_000,
    trace: 'off',
    // Axe measures colours, which are not final during a transition.
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: {
      ...(process.env.BROWSER_PATH ? { executablePath: process.env.BROWSER_PATH } : {}),
      args: [...(JSON.parse(process.env.BROWSER_ARGUMENTS ?? '[]') as string[]), SHORT_LIVED],
    },
  },
})
