import { defineConfig } from '@playwright/test'

export default defineConfig({
  testDir: './journeys',
  // A forgotten `.only` would leave the others out, and all would look well.
  forbidOnly: true,
  outputDir: `${process.env.OUTPUT ?? '.'}/results`,
  reporter: [['list'], ['json']],
  workers: 1,
  // Halves are played side by side, on a machine that may have two cores and other work.
  timeout: 300_000,
  expect: { timeout: 30_000 },
  use: {
    baseURL: process.env.BASE_URL ?? 'http://127.0.0.1:4000',
    trace: 'off',
    // A colour half-way through a transition is nobody's colour.
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: {
      ...(process.env.BROWSER_PATH ? { executablePath: process.env.BROWSER_PATH } : {}),
      args: JSON.parse(process.env.BROWSER_ARGUMENTS ?? '[]') as string[],
    },
  },
})
